//! The functions that read one input, and the expressions of its quads.

use super::tail::Tail;
use super::template::emit;
use crate::plan::{Access, LaneLoad, QUAD};

impl Tail<'_> {
    /// The variable that input `i` is read from, if a dispatch computes one call.
    pub fn variable(&self, i: usize) -> String {
        if self.key.inputs[i].in_place {
            "result".into()
        } else {
            format!("in{i}")
        }
    }

    /// `get{i}`: the storage bits of one element, for inputs that are read word by word.
    pub fn getter(&self, i: usize, out: &mut String) {
        let input = &self.key.inputs[i];
        if let LaneLoad::Vector {
            misaligned: by @ 1..,
        } = input.load.lanes
        {
            return self.misaligned_load(i, by, out);
        }
        if matches!(
            input.load.lanes,
            LaneLoad::Vector { .. } | LaneLoad::Transposed | LaneLoad::Interleaved
        ) {
            return;
        }
        if input.load.lanes == LaneLoad::Unaligned {
            return match self.key.unit() > QUAD as u32 {
                true => self.words_anywhere(i, out),
                false => self.unaligned_load(i, out),
            };
        }
        let body = match self.key.addressed_size(i) {
            _ if input.access == Access::Numbers => "e".into(),
            1 => format!("({} >> ((e & 3u) << 3u)) & 0xffu", self.read(i, "e >> 2u")),
            2 => format!(
                "({} >> ((e & 1u) << 4u)) & 0xffffu",
                self.read(i, "e >> 1u")
            ),
            _ => self.read(i, "e"),
        };
        let bits = self.element(i);
        emit! { out, i, bits, body; "fn get{i}(e: u32) -> {bits} { return {body}; }" }
    }

    /// `shifted{i}`: a misaligned vector load, the storage bits of four elements that begin `by`
    /// elements into a quad. The quad after the last is not read: none of its elements is wanted.
    fn misaligned_load(&self, i: usize, by: u8, out: &mut String) {
        // One word of the next quad is loaded if one is wanted.
        let (next, both) = match (self.key.inputs[i].unit().size(), by) {
            (1, _) => ("", format!("unpack_bytes((a >> {}u) | (b << {}u))", 8 * by, 32 - 8 * by)),
            (2, 1) => (".x", "unpack_halves(vec2<u32>((a.x >> 16u) | (a.y << 16u), (a.y >> 16u) | (b << 16u)))".into()),
            (2, 2) => (".x", "unpack_halves(vec2<u32>(a.y, b))".into()),
            (2, _) => ("", "unpack_halves(vec2<u32>((a.y >> 16u) | (b.x << 16u), (b.x >> 16u) | (b.y << 16u)))".into()),
            (_, 1) => (".x", "vec4<u32>(a.yzw, b)".into()),
            (_, 2) => ("", "vec4<u32>(a.zw, b.xy)".into()),
            _ => ("", "vec4<u32>(a.w, b.xyz)".to_owned()),
        };
        let next_of = match &*self.wrapped(i) {
            "" => "k + 1u".into(),
            wrapped => format!("(k + 1u){wrapped}"),
        };
        let last = format!("min({next_of}, {} - 1u)", self.length(i));
        emit! { out, i, first = self.read(i, "k"), last = self.read(i, &last), next, both;
            "fn shifted{i}(k: u32) -> vec4<u32> {"
            "    let a = {first};"
            "    let b = {last}{next};"
            "    return {both};"
            "}"
        }
    }

    /// `words{i}`: four words of elements that begin as many before element `e` as they are. Words
    /// that lie outside the binding have none that is wanted.
    fn words_anywhere(&self, i: usize, out: &mut String) {
        let (to_word, rest, to_bits) = match self.key.inputs[i].dtype.size() {
            1 => (2, 3, 3),
            _ => (1, 1, 4),
        };
        let word = |n: u32| self.read(i, &format!("min(k + {n}u, last)"));
        let four = [0, 1, 2, 3].map(word).join(", ");
        emit! { out, i, to_word, rest, to_bits, four, fifth = word(4), length = self.length(i);
            "fn words{i}(e: u32) -> vec4<u32> {"
            "    let k = (e >> {to_word}u) - 4u;"
            "    let by = (e & {rest}u) << {to_bits}u;"
            "    let last = {length} - 1u;"
            "    let a = vec4<u32>({four});"
            "    let b = vec4<u32>(a.yzw, {fifth});"
            "    return (a >> vec4<u32>(by)) | ((b << vec4<u32>(1u)) << vec4<u32>(31u - by));"
            "}"
        }
    }

    /// `unaligned{i}`: the storage bits of four neighbours from element `e` on.
    fn unaligned_load(&self, i: usize, out: &mut String) {
        let both = match self.key.inputs[i].unit().size() {
            1 => "unpack_bytes(select((a >> by) | (b << (32u - by)), a, by == 0u))",
            2 => {
                "unpack_halves(select(two, (two >> vec2<u32>(16u)) | (vec2<u32>(two.y, last) << vec2<u32>(16u)), odd))"
            }
            _ => "select(two, vec4<u32>(two.yzw, last), odd)",
        };
        let shift = match self.key.inputs[i].unit().size() {
            1 => "let by = (e & 3u) << 3u;".to_owned(),
            size => {
                let (moved, last, of) = match size {
                    2 => ("vec2<u32>(a.y, b.x)", "select(b.x, b.y, by_two)", "vec2"),
                    _ => ("vec4<u32>(a.zw, b.xy)", "select(b.x, b.z, by_two)", "vec4"),
                };
                format!(
                    "let odd = (e & 1u) != 0u;\n    let by_two = (e & 2u) != 0u;\n    let two = select(a, {moved}, {of}<bool>(by_two));\n    let last = {last};"
                )
            }
        };
        let next = format!("min((e >> 2u) + 1u, {} - 1u)", self.length(i));
        emit! { out, i, first = self.read(i, "e >> 2u"), next = self.read(i, &next), shift, both;
            "fn unaligned{i}(e: u32) -> vec4<u32> {"
            "    let a = {first};"
            "    let b = {next};"
            "    {shift}"
            "    return {both};"
            "}"
        }
    }

    /// The storage bits of input `i`'s quad of this number in its binding; of a pair of 64-bit
    /// elements the words as they lie there.
    pub fn wide_load(&self, i: usize, at: &str) -> String {
        let read = |at: &str| self.read(i, at);
        match self.key.inputs[i].unit().size() {
            1 if self.key.unit() == 2 => format!(
                "two_bytes({} >> ((({at}) & 1u) << 4u))",
                read(&format!("({at}) >> 1u"))
            ),
            2 if self.key.unit() == 2 => format!("two_halves({})", read(at)),
            8 if self.key.unit() == 2 => read(at),
            1 => format!("unpack_bytes({})", read(at)),
            2 => format!("unpack_halves({})", read(at)),
            4 => read(at),
            _ => format!(
                "unpack_pairs({}, {})",
                read(&format!("2u * ({at})")),
                read(&format!("2u * ({at}) + 1u"))
            ),
        }
    }

    /// The storage bits of the elements of input `i` at the addresses of a vector.
    pub fn gather(&self, i: usize, at: &str) -> String {
        let join = match (self.key.inputs[i].unit().size(), self.key.unit()) {
            (8, 4) => "join_pairs",
            (8, _) => "vec4<u32>",
            _ => self.lanes_type(),
        };
        let lanes = self.each_lane(|lane| format!("get{i}({at}.{lane})"));
        format!("{join}({lanes})")
    }
}
