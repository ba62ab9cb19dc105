//! A parser of the Python dict literal in a `.npy` header, and of nothing more of Python.

/// The three entries of the dict.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Dict {
    pub descr: String,
    pub fortran: bool,
    pub extents: Vec<usize>,
}

/// Parses a header's text: the dict, then only padding.
///
/// # Errors
/// What is wrong, and at which byte of the text.
pub(super) fn parse(text: &[u8]) -> Result<Dict, String> {
    let mut scan = Scan { text, at: 0 };
    let (mut descr, mut fortran, mut extents) = (None, None, None);
    scan.expect(b'{')?;
    while !scan.eat(b'}') {
        let key = scan.string("a key in quotes")?;
        scan.expect(b':')?;
        let again = match key.as_str() {
            "descr" => descr.replace(scan.descr()?).is_some(),
            "fortran_order" => fortran.replace(scan.flag()?).is_some(),
            "shape" => extents.replace(scan.extents()?).is_some(),
            _ => return Err(format!("unknown key `{key}` in the header")),
        };
        if again {
            return Err(format!("key `{key}` occurs twice in the header"));
        }
        if !scan.eat(b',') {
            scan.expect(b'}')?;
            break;
        }
    }
    if scan.peek().is_some() {
        return Err(scan.unexpected("only padding after the dict"));
    }
    let missing = |key: &str| format!("the header lacks the key `{key}`");
    Ok(Dict {
        descr: descr.ok_or_else(|| missing("descr"))?,
        fortran: fortran.ok_or_else(|| missing("fortran_order"))?,
        extents: extents.ok_or_else(|| missing("shape"))?,
    })
}

/// A position in the header's text.
struct Scan<'a> {
    text: &'a [u8],
    at: usize,
}

impl Scan<'_> {
    /// The next byte that is not white space.
    fn peek(&mut self) -> Option<u8> {
        while let Some(b' ' | b'\n' | b'\t' | b'\r') = self.text.get(self.at) {
            self.at += 1;
        }
        self.text.get(self.at).copied()
    }

    fn eat(&mut self, wanted: u8) -> bool {
        let found = self.peek() == Some(wanted);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, wanted: u8) -> Result<(), String> {
        if self.eat(wanted) {
            Ok(())
        } else {
            Err(self.unexpected(&format!("`{}`", char::from(wanted))))
        }
    }

    fn unexpected(&mut self, wanted: &str) -> String {
        let found = match self.peek() {
            None => "its end".into(),
            Some(byte) if byte.is_ascii_graphic() => format!("`{}`", char::from(byte)),
            Some(byte) => format!("the byte {byte:#04x}"),
        };
        format!(
            "at byte {} of the header {found} was found, expected {wanted}",
            self.at
        )
    }

    /// A string in single or double quotes; no readable header has escapes.
    fn string(&mut self, wanted: &str) -> Result<String, String> {
        let Some(quote @ (b'\'' | b'"')) = self.peek() else {
            return Err(self.unexpected(wanted));
        };
        let rest = &self.text[self.at + 1..];
        let ends = |b: &u8| [quote, b'\\', b'\n'].contains(b);
        let Some(len) = rest.iter().position(ends) else {
            return Err(format!(
                "the string at byte {} of the header does not end",
                self.at
            ));
        };
        if rest[len] != quote {
            return Err(format!(
                "the string at byte {} of the header holds an escape or a line end",
                self.at
            ));
        }
        self.at += len + 2;
        Ok(String::from_utf8_lossy(&rest[..len]).into_owned())
    }

    /// The element type; lists of fields are refused.
    fn descr(&mut self) -> Result<String, String> {
        match self.peek() {
            Some(b'[' | b'(' | b'{') => {
                Err("the elements are structured; store each field as an array of its own".into())
            }
            _ => self.string("the element type in quotes"),
        }
    }

    /// The letters and digits at this place.
    fn word(&mut self) -> &[u8] {
        self.peek();
        let rest = &self.text[self.at..];
        let letters = rest.iter().take_while(|b| b.is_ascii_alphanumeric());
        let len = letters.count();
        self.at += len;
        &rest[..len]
    }

    fn flag(&mut self) -> Result<bool, String> {
        let start = self.at;
        match self.word() {
            b"True" => Ok(true),
            b"False" => Ok(false),
            _ => {
                self.at = start;
                Err(self.unexpected("True or False"))
            }
        }
    }

    /// A tuple of extents; a tuple of one has its comma.
    fn extents(&mut self) -> Result<Vec<usize>, String> {
        let mut extents = Vec::new();
        self.expect(b'(')?;
        while !self.eat(b')') {
            extents.push(self.extent()?);
            if !self.eat(b',') {
                if extents.len() == 1 {
                    return Err(self.unexpected("`,`, since a shape of one axis is written (n,)"));
                }
                self.expect(b')')?;
                break;
            }
        }
        Ok(extents)
    }

    /// A decimal number, with the `L` that Python 2 put behind long ones.
    fn extent(&mut self) -> Result<usize, String> {
        match self.peek() {
            Some(b'-') => return Err("the shape has a negative extent".into()),
            Some(b'0'..=b'9') => {}
            _ => return Err(self.unexpected("an extent")),
        }
        let word = String::from_utf8_lossy(self.word()).into_owned();
        let digits = word.strip_suffix('L').unwrap_or(&word);
        if !digits.bytes().all(|b| b.is_ascii_digit()) {
            return Err(format!("the extent {word} is not a decimal number"));
        }
        match digits.parse::<isize>() {
            Ok(extent) => Ok(extent.unsigned_abs()),
            Err(_) => Err(format!("the extent {word} is more than can be counted")),
        }
    }
}
