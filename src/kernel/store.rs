//! The store of a kernel.

use super::tail::{LANES, Tail, bits_type, lane};
use super::template::emit;
use crate::plan::Store;

impl Tail<'_> {
    /// `fn store`: a quad's storage bits to the output.
    pub fn store(&self, out: &mut String) {
        let size = self.key.output.size();
        let offset = self.output_offset();
        let bits = bits_type(self.key.output);
        if self.key.unit() == 2 {
            return self.store_pair(out);
        }
        emit! { out, bits; "fn store(q: u32, r: {bits}) {" }
        if self.key.store == Store::Wide {
            self.store_vectors(size, offset, out);
            emit! { out; "}" }
            return;
        }
        emit! { out, first = self.first_element();
            "    let element = vec4<u32>({first}) + vec4<u32>(0u, 1u, 2u, 3u);"
            "    let own = element < vec4<u32>(table.elements);"
        }
        match size {
            4 | 8 => {
                emit! { out, offset; "    let word = 4u * q + {offset};" }
                for (k, name) in LANES.iter().enumerate() {
                    emit! { out, name, k, value = lane(self.key.output, "r", name);
                        "    if own.{name} { result[word + {k}u] = {value}; }"
                    }
                }
            }
            2 => {
                emit! { out, offset;
                    "    let word = 2u * q + ({offset} >> 1u);"
                    "    let mask = pack_halves(select(vec4<u32>(0u), vec4<u32>(0xffffu), own));"
                    "    let packed = pack_halves(r);"
                }
                for (k, lane) in ["x", "y"].iter().enumerate() {
                    merge(
                        out,
                        &format!("word + {k}u"),
                        &format!("mask.{lane}"),
                        &format!("packed.{lane}"),
                    );
                }
            }
            _ => {
                emit! { out, offset;
                    "    let word = q + ({offset} >> 2u);"
                    "    let mask = pack_bytes(select(vec4<u32>(0u), vec4<u32>(0xffu), own));"
                }
                merge(out, "word", "mask", "pack_bytes(r)");
            }
        }
        emit! { out; "}" }
    }

    /// Writes a quad of elements of `size` bytes as one vector, or two.
    fn store_vectors(&self, size: usize, offset: &str, out: &mut String) {
        if size == 8 {
            let at = self.behind("2u * q", &format!("{offset} >> 1u"));
            self.write(&at, "vec4<u32>(r.lo.x, r.hi.x, r.lo.y, r.hi.y)", out);
            let next = format!("{at} + 1u");
            self.write(&next, "vec4<u32>(r.lo.z, r.hi.z, r.lo.w, r.hi.w)", out);
            return;
        }
        let packed = match size {
            1 => "pack_bytes(r)",
            2 => "pack_halves(r)",
            _ => "r",
        };
        self.write(&self.behind("q", &self.quad_at(offset)), packed, out);
    }

    /// A place behind the output's offset, if it has one.
    fn behind(&self, own: &str, offset: &str) -> String {
        match self.key.output_offset {
            true => format!("{own} + ({offset})"),
            false => own.into(),
        }
    }

    /// `fn store` of a pair of 64-bit elements, as their words lie in memory.
    fn store_pair(&self, out: &mut String) {
        emit! { out; "fn store(q: u32, r: vec4<u32>) {" }
        let offset = self.output_offset();
        if self.key.store == Store::Wide {
            self.write(&self.behind("q", &self.quad_at(offset)), "r", out);
        } else {
            emit! { out, first = self.first_element(), offset;
                "    let element = {first};"
                "    if element < table.elements { result[element + {offset}] = r.xy; }"
                "    if element + 1u < table.elements { result[element + 1u + {offset}] = r.zw; }"
            }
        }
        emit! { out; "}" }
    }

    /// Stores into words that other invocations write parts of too: `fn change`, the masked bits of
    /// a word, `fn put`, an element, and `fn put_quad`, those of four neighbours that are there.
    pub fn shared_store(&self, out: &mut String) {
        emit! { out;
            "fn change(word: u32, bits: u32, mask: u32) {"
            "    if mask == 0xffffffffu {"
            "        atomicStore(&result[word], bits);"
            "    } else if mask != 0u {"
            "        atomicAnd(&result[word], ~mask);"
            "        atomicOr(&result[word], bits & mask);"
            "    }"
            "}"
        }
        let (a_word, most) = self.narrow_elements();
        let (pack, words) = match a_word {
            4 => ("pack_bytes", 1),
            _ => ("pack_halves", 2),
        };
        let by = u32::trailing_zeros(a_word);
        emit! { out, most, by, last = a_word - 1, size = 32 / a_word;
            "fn put(element: u32, bits: u32) {"
            "    let shift = (element & {last}u) * {size}u;"
            "    change(element >> {by}u, bits << shift, {most} << shift);"
            "}"
            "fn put_quad(element: u32, quad: vec4<u32>, own: vec4<bool>) {"
            "    let first = element >> {by}u;"
            "    let shift = (element & {last}u) * {size}u;"
            "    let rest = select(0u, 0xffffffffu, shift > 0u);"
            "    let back = (32u - shift) & 31u;"
        }
        emit! { out, pack, most;
            "    let bits = {pack}(quad);"
            "    let mask = {pack}(select(vec4<u32>(0u), vec4<u32>({most}), own));"
        }
        let part = |of: &str, n: usize| match words {
            1 => of.to_owned(),
            _ => format!("{of}.{}", LANES[n]),
        };
        for n in 0..=words {
            let whole = |of: &str| {
                let begun = (n < words).then(|| format!("({} << shift)", part(of, n)));
                let before = n.checked_sub(1);
                let before = before.map(|n| format!("(({} >> back) & rest)", part(of, n)));
                let parts: Vec<String> = [begun, before].into_iter().flatten().collect();
                parts.join(" | ")
            };
            emit! { out, n, bits = whole("bits"), mask = whole("mask");
                "    change(first + {n}u, {bits}, {mask});"
            }
        }
        emit! { out; "}" }
    }

    /// Elements of a narrow result in a word, and the bits of one.
    pub fn narrow_elements(&self) -> (u32, &'static str) {
        match self.key.output.size() {
            1 => (4, "0xffu"),
            _ => (2, "0xffffu"),
        }
    }
}

/// A store of the masked part of a word: whole words are written, shared ones read and merged,
/// foreign ones left.
fn merge(out: &mut String, word: &str, mask: &str, packed: &str) {
    emit! { out, mask, word, packed;
        "    if {mask} == 0xffffffffu { result[{word}] = {packed}; }"
        "    else if {mask} != 0u { result[{word}] = (result[{word}] & ~{mask}) | ({packed} & {mask}); }"
    }
}
