//! Arrays as lists of numbers: `[1, 2, 3]`, `[[1, 2], [3, 4.5]]`, `[1, 2]:f32`.

use zerostride::{HostTensor, Shape};

use super::errors::dtype;
use super::number::{self, Number};

/// The deepest nesting of brackets, which is NumPy's limit of axes.
const DEEPEST: usize = 64;

/// Parses an array. Its type is that of NumPy's `np.array`, unless the text names one.
pub fn parse(text: &str) -> Result<HostTensor, String> {
    let end = text.rfind(']').map_or(text.len(), |at| at + 1);
    let wanted = match text[end..].trim() {
        "" => None,
        tail => match tail.strip_prefix(':') {
            Some(name) => Some(dtype(name.trim())?),
            None => return Err(format!("`{}` cannot follow the list", number::shown(tail))),
        },
    };
    let (elements, extents) = elements(&text[..end])?;
    let dtype = match wanted {
        Some(dtype) => dtype,
        None => {
            let numbers = elements.iter().map(|e| number::parse(e));
            number::common(numbers.collect::<Result<Vec<Number>, _>>()?.into_iter())
        }
    };
    let mut bytes = Vec::new();
    for element in elements {
        number::encode(element, dtype, &mut bytes)?;
    }
    HostTensor::new(dtype, Shape::from(extents), bytes).map_err(|e| e.to_string())
}

/// The elements as text, and the extents.
fn elements(text: &str) -> Result<(Vec<&str>, Vec<usize>), String> {
    let mut scan = Scan {
        rest: text,
        elements: Vec::new(),
    };
    if !scan.eat('[') {
        return Err("a list must begin with `[`".into());
    }
    let extents = scan.list(1)?;
    match scan.rest.trim_start() {
        "" => Ok((scan.elements, extents)),
        more => Err(format!("`{}` cannot follow the list", number::shown(more))),
    }
}

/// The rest of a text, and the elements before it.
struct Scan<'a> {
    rest: &'a str,
    elements: Vec<&'a str>,
}

impl Scan<'_> {
    fn eat(&mut self, wanted: char) -> bool {
        self.rest = self.rest.trim_start();
        match self.rest.strip_prefix(wanted) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// Reads a list behind its bracket, and returns its extents.
    fn list(&mut self, depth: usize) -> Result<Vec<usize>, String> {
        if depth > DEEPEST {
            return Err(format!("the list has more than {DEEPEST} axes"));
        }
        let (mut items, mut inner) = (0, None);
        while !self.eat(']') {
            let extents = if self.eat('[') {
                self.list(depth + 1)?
            } else {
                self.number()?;
                Vec::new()
            };
            if *inner.get_or_insert_with(|| extents.clone()) != extents {
                return Err("its lists must all have one length".into());
            }
            items += 1;
            if !self.eat(',') && !self.rest.starts_with(']') {
                return Err(match self.rest.chars().next() {
                    None => "a `]` is missing".into(),
                    Some(_) => format!("`,` or `]` was expected at `{}`", number::shown(self.rest)),
                });
            }
        }
        let mut extents = vec![items];
        extents.extend(inner.unwrap_or_default());
        Ok(extents)
    }

    fn number(&mut self) -> Result<(), String> {
        let end = self.rest.find([',', '[', ']']).unwrap_or(self.rest.len());
        let (number, rest) = self.rest.split_at(end);
        match number.trim_end() {
            "" => Err("a number is missing".into()),
            number => {
                self.elements.push(number);
                self.rest = rest;
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use zerostride::DType;

    use super::*;

    #[test]
    fn lists_have_the_types_and_shapes_of_np_array() {
        for (text, dtype, shape) in [
            ("[1, 2, 3]", DType::I64, vec![3]),
            ("[ [1,2] , [3,4.5], ]", DType::F64, vec![2, 2]),
            ("[True, False]", DType::Bool, vec![2]),
            ("[True, 2]", DType::I64, vec![2]),
            ("[True, 2.5]", DType::F64, vec![2]),
            ("[9223372036854775808]", DType::U64, vec![1]),
            ("[9223372036854775808, 1]", DType::F64, vec![2]),
            ("[]", DType::F64, vec![0]),
            ("[[], []]", DType::F64, vec![2, 0]),
            ("[[[1]], [[2]]]", DType::I64, vec![2, 1, 1]),
            ("[nan, -inf, 1e3]", DType::F64, vec![3]),
            ("[1, 2]:f16", DType::F16, vec![2]),
            ("[0, 255] : uint8", DType::U8, vec![2]),
        ] {
            let found = parse(text).unwrap();
            assert_eq!(
                (found.dtype, found.layout.shape().extents()),
                (dtype, &shape[..]),
                "{text}"
            );
        }
        assert_eq!(
            parse("[True, 2]").unwrap().bytes[..9],
            [1, 0, 0, 0, 0, 0, 0, 0, 2]
        );
    }

    #[test]
    fn what_is_no_array_is_refused() {
        for (text, words) in [
            ("[1, 2", "a `]` is missing"),
            ("[1, [2]]", "must all have one length"),
            ("[[1, 2], [3]]", "must all have one length"),
            ("[[], [1]]", "must all have one length"),
            ("[1,, 2]", "a number is missing"),
            ("[1 2]", "`1 2` is no number"),
            ("[1] + 2]", "cannot follow the list"),
            ("[1] 2", "cannot follow the list"),
            ("[1]:f31", "`f31` is not an element type"),
            ("[300]:u8", "`300` does not fit u8"),
            ("[x]", "`x` is no number"),
            ("[[1] [2]]", "`,` or `]` was expected"),
            ("[18446744073709551616]", "does not fit 64 bits"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(words), "{text}: {error}");
        }
        let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
        assert!(parse(&deep).unwrap_err().contains("more than 64 axes"));
    }
}
