//! What buffers and workgroup memory hold, as far as it is followed: of which elements each word was
//! computed.

use std::collections::HashMap;

use crate::sources::{Source, Sources};

/// A storage buffer.
#[derive(Clone, Debug)]
pub struct Buffer {
    /// Its number in group 0.
    pub binding: u32,
    /// Its size.
    pub bytes: u64,
    /// Bytes of an element.
    pub element: u32,
    /// The words that it begins with; 0 where there are none.
    pub words: Vec<u32>,
    /// Whether a load from outside of it is a fault.
    pub kept: bool,
}

/// A word that was written, and how often.
#[derive(Clone, Copy)]
struct Written {
    from: Source,
    times: u32,
}

/// The buffers of a dispatch and a workgroup's memory.
pub struct Memory {
    buffers: Vec<(Buffer, Source)>,
    outside: Source,
    pub(crate) sources: Sources,
    written: HashMap<(u32, u64), Written>,
    shared: Vec<Source>,
    fault: Option<String>,
}

impl Memory {
    /// Buffers of which every element is computed of itself.
    pub fn new(buffers: Vec<Buffer>) -> Self {
        let mut outside = 1;
        let mut number = |buffer: Buffer| {
            let first = outside;
            outside += buffer.bytes.div_ceil(buffer.element.into()) as Source;
            (buffer, first)
        };
        let buffers: Vec<(Buffer, Source)> = buffers.into_iter().map(&mut number).collect();
        Self {
            buffers,
            outside,
            sources: Sources::new(outside),
            written: HashMap::new(),
            shared: Vec::new(),
            fault: None,
        }
    }

    /// An element of a buffer as a source. One outside of it flows nowhere.
    pub fn element(&self, binding: u32, number: i64) -> Source {
        let (buffer, first) = self.buffer(binding);
        let count = buffer.bytes.div_ceil(buffer.element.into());
        match u64::try_from(number) {
            Ok(number) if number < count => first + number as Source,
            _ => Source::MAX,
        }
    }

    /// An element in words.
    pub fn name(&self, element: Source) -> String {
        let mut own = self.buffers.iter().rev();
        match own.find(|(_, first)| (*first..self.outside).contains(&element)) {
            Some((buffer, first)) => format!("{} of binding {}", element - first, buffer.binding),
            None => "outside".into(),
        }
    }

    /// Of which elements each byte of a word of a buffer was computed: at first, of itself.
    pub fn bytes(&mut self, binding: u32, word: u64) -> [Source; 4] {
        let word = self.word(binding, word);
        self.sources.bytes(word)
    }

    /// The elements of some sources, in order.
    pub fn elements(&mut self, sources: &[Source]) -> Vec<Source> {
        self.sources.elements(sources)
    }

    /// The words of a buffer that were written, and how often, stores of whole words alone.
    pub fn written(&self, binding: u32) -> impl Iterator<Item = (u64, u32)> + '_ {
        let own = self.written.iter().filter(move |((b, _), _)| *b == binding);
        own.map(|((_, word), written)| (*word, written.times))
    }

    /// An access that left its buffer though it must not.
    pub fn fault(&self) -> Option<&str> {
        self.fault.as_deref()
    }

    pub(crate) fn enter(&mut self) {
        self.shared.clear();
    }

    fn buffer(&self, binding: u32) -> (&Buffer, Source) {
        let found = self.buffers.iter().find(|(b, _)| b.binding == binding);
        let (buffer, first) = found.unwrap_or_else(|| panic!("no buffer at binding {binding}"));
        (buffer, *first)
    }

    /// The source of a word of a buffer.
    fn word(&mut self, binding: u32, word: u64) -> Source {
        if let Some(written) = self.written.get(&(binding, word)) {
            return written.from;
        }
        let (buffer, first) = self.buffer(binding);
        let (size, bytes) = (u64::from(buffer.element), buffer.bytes);
        if (word + 1).saturating_mul(4) > bytes {
            if buffer.kept {
                let fault =
                    format!("a load of word {word} of the {bytes} bytes of binding {binding}");
                self.fault.get_or_insert(fault);
            }
            return self.outside;
        }
        let of = |byte: u64| first + ((4 * word + byte) / size) as Source;
        match size >= 4 {
            true => of(0),
            false => self.sources.of_bytes([0, 1, 2, 3].map(of)),
        }
    }

    /// A word of a buffer and its source.
    pub(crate) fn load(&mut self, binding: u32, at: u64) -> (u64, Source) {
        let source = self.word(binding, at / 4);
        let (buffer, _) = self.buffer(binding);
        let word = buffer.words.get((at / 4) as usize);
        (word.copied().unwrap_or(0).into(), source)
    }

    /// Puts a source into a word of a buffer. `once`: whether no other store may do so.
    pub(crate) fn store(&mut self, binding: u32, at: u64, from: Source, once: bool) {
        let (buffer, _) = self.buffer(binding);
        if at.saturating_add(4) > buffer.bytes {
            let (bytes, fault) = (buffer.bytes, &mut self.fault);
            fault.get_or_insert_with(|| {
                format!("a store to byte {at} of the {bytes} of binding {binding}")
            });
            return;
        }
        let written = self.written.entry((binding, at / 4));
        let written = written.or_insert(Written { from, times: 0 });
        written.from = from;
        written.times += u32::from(once);
    }

    pub(crate) fn shared(&self, word: u64) -> Source {
        self.shared.get(word as usize).copied().unwrap_or(0)
    }

    pub(crate) fn share(&mut self, word: u64, from: Source) {
        let word = word as usize;
        if self.shared.len() <= word {
            self.shared.resize(word + 1, 0);
        }
        self.shared[word] = from;
    }
}
