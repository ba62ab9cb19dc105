//! A kernel that scans rows: a workgroup scans a row that is short enough; otherwise one invocation
//! scans the row alone, group by group.
//!
//! In a workgroup each invocation owns a group of a row's elements, as quads of them or as one for
//! each of four columns, and folds it in sequence. It reads the totals of the invocations before it
//! in its group of groups from the workgroup's memory; the last one of each group of groups stores
//! that one's total, which all read next. An invocation alone has a loop for each level of groups.

use super::functions::turned;
use super::lanes::memory_name;
use super::{FoldNest, Quad};
use crate::kernel::tail::{LANES, list};
use crate::kernel::template::emit;
use crate::kernel::values::{decode, encode};
use crate::op::{GROUP, wgsl_type};
use crate::plan::{Begin, ScanStep};

impl FoldNest<'_> {
    /// From the loads of the elements to the stores of the results.
    pub(super) fn scan(&self, scan: &ScanStep, out: &mut String) {
        let s = self.schedule;
        emit! { out; "    let none = neutral0();" }
        let begin = self.begin(scan, out);
        if s.levels > 0 {
            let before = begin.as_deref().unwrap_or("none");
            self.groups(scan, s.levels, ("0u", "table.steps"), before, "    ", out);
            if scan.total {
                self.total(&format!("prefix{}", s.levels), out);
            }
            return;
        }
        let first = match s.threads {
            1 => String::new(),
            _ => format!("thread * {}u + ", s.own),
        };
        let prefixes = self.group(scan, &first, "    ", out);
        if s.threads == 1 {
            return match scan.total {
                true => self.total("total", out),
                false => self.results(begin.as_deref(), prefixes, "    ", out),
            };
        }
        let before = self.exchange(scan, begin, out);
        match scan.total {
            true => self.total(&before, out),
            false => {
                emit! { out, before; "    let before = {before};" }
                self.results(Some("before"), prefixes, "    ", out);
            }
        }
    }

    /// Declares the initial value of all results of the row.
    fn begin(&self, scan: &ScanStep, out: &mut String) -> Option<String> {
        let dtype = self.key.folds[0].dtype;
        let zero = "vec4<u32>(table.zero)";
        let bits = match scan.begin {
            Begin::Nothing => return None,
            Begin::Zero if dtype.size() == 8 => format!("Pair({zero}, {zero})"),
            Begin::Zero => zero.to_owned(),
            Begin::Input(i) => format!("x{i}_bits"),
        };
        emit! { out, value = decode(dtype, &bits); "    let begin = {value};" }
        Some("begin".into())
    }

    /// The loops over groups of `level` levels; the outermost computes `prefix` of its level.
    fn groups(
        &self,
        scan: &ScanStep,
        level: u32,
        (from, to): (&str, &str),
        before: &str,
        indent: &str,
        out: &mut String,
    ) {
        let by = GROUP.pow(level - 1);
        emit! { out, indent, level, from, to, by, before;
            "{indent}var prefix{level} = none;"
            "{indent}for (var s{level} = {from}; s{level} < {to}; s{level} += {by}u) {"
            "{indent}    let before{level} = fold0({before}, prefix{level});"
        }
        let inner = format!("{indent}    ");
        let (own, first) = (format!("before{level}"), format!("s{level}"));
        let total = match level {
            1 => {
                let quads = format!("{first} * {}u + ", self.schedule.own);
                let prefixes = self.group(scan, &quads, &inner, out);
                if !scan.total {
                    self.results(Some(&own), prefixes, &inner, out);
                }
                "total".to_owned()
            }
            _ => {
                emit! { out, inner, level, first, by, to;
                    "{inner}let e{level} = min({first} + {by}u, {to});"
                }
                let last = format!("e{level}");
                self.groups(scan, level - 1, (&first, &last), &own, &inner, out);
                format!("prefix{}", level - 1)
            }
        };
        emit! { out, indent, level, total;
            "{indent}    prefix{level} = fold0(prefix{level}, {total});"
            "{indent}}"
        }
    }

    /// Loads a group and folds it: the prefixes of each own quad's elements within it, and `total`.
    /// `first`: the number of its first quad in its row, and a plus.
    fn group(&self, scan: &ScanStep, first: &str, indent: &str, out: &mut String) -> Vec<String> {
        let inputs = self.folded();
        for m in 0..self.schedule.own {
            emit! { out, indent, m, first; "{indent}let p0_{m} = {first}{m}u;" }
            let quad = Quad::held(self.schedule.own, 0, m);
            self.numbered(quad, indent, out);
            self.loads(quad, &inputs, None, indent, out);
        }
        let dtype = self.key.folds[0].dtype;
        let mut before = "none".to_owned();
        let mut prefixes = Vec::new();
        for m in 0..self.schedule.own {
            let term = self.term_of(0, Quad::held(self.schedule.own, 0, m), indent, out);
            emit! { out, indent, m, term; "{indent}let v{m} = {term};" }
            if !self.is_along() {
                emit! { out, indent, m, before; "{indent}let a{m} = fold0({before}, v{m});" }
                let own = format!("a{m}");
                prefixes.push(if scan.exclusive { before } else { own.clone() });
                before = own;
                continue;
            }
            let mut each = vec![before.clone()];
            for (n, lane) in LANES.iter().enumerate() {
                let element = turned(dtype, &format!("v{m}"), &lane.repeat(4));
                emit! { out, indent, m, n, before, element;
                    "{indent}let a{m}_{n} = fold0({before}, {element});"
                }
                before = format!("a{m}_{n}");
                each.push(before.clone());
            }
            let first = usize::from(!scan.exclusive);
            let joined = |part: &str| list(&each[first..first + 4], |a| format!("{a}{part}.x"));
            let quad = match wgsl_type(dtype.class()) {
                "Pair" => format!(
                    "Pair(vec4<u32>({}), vec4<u32>({}))",
                    joined(".lo"),
                    joined(".hi")
                ),
                of => format!("{of}({})", joined("")),
            };
            emit! { out, indent, m, quad; "{indent}let b{m} = {quad};" }
            prefixes.push(format!("b{m}"));
        }
        emit! { out, indent, before; "{indent}let total = {before};" }
        prefixes
    }

    /// Writes the results of a group.
    fn results(&self, before: Option<&str>, prefixes: Vec<String>, indent: &str, out: &mut String) {
        let dtype = self.key.folds[0].dtype;
        let missing = self.behind();
        for (m, prefix) in (0..self.schedule.own).zip(prefixes) {
            let quad = Quad::held(self.schedule.own, 0, m);
            self.loads(quad, &missing, None, indent, out);
            let scanned = match before {
                Some(before) => format!("fold0({before}, {prefix})"),
                None => prefix,
            };
            emit! { out, indent, m, scanned, bits = encode(dtype, &format!("r{m}"));
                "{indent}let r{m} = {scanned};"
                "{indent}let f0_0_{m} = {bits};"
            }
            self.store_quad(quad, None, indent, out);
        }
    }

    /// The total before this invocation's group in its row, from the totals of a workgroup's
    /// invocations; or the total of the whole row, which its last invocation has.
    fn exchange(&self, scan: &ScanStep, begin: Option<String>, out: &mut String) -> String {
        let name = memory_name(wgsl_type(self.key.folds[0].dtype.class()));
        let (mask, shift) = (GROUP - 1, GROUP.trailing_zeros());
        let (first, apart) = self.places();
        emit! { out, name, mask, first, apart;
            "    let first = {first};"
            "    {name}[index] = total;"
            "    workgroupBarrier();"
            "    var before1 = none;"
            "    for (var k = thread - (thread & {mask}u); k < thread; k++) {"
            "        before1 = fold0(before1, {name}[first + k * {apart}u]);"
            "    }"
        }
        let more = self.schedule.threads as usize > GROUP;
        if !more {
            return match scan.total {
                true => "fold0(before1, total)".into(),
                false => joined(begin, "before1"),
            };
        }
        emit! { out, name, mask, shift, apart;
            "    let total1 = fold0(before1, total);"
            "    workgroupBarrier();"
            "    if (thread & {mask}u) == {mask}u {"
            "        {name}[first + (thread >> {shift}u) * {apart}u] = total1;"
            "    }"
            "    workgroupBarrier();"
            "    var before2 = none;"
            "    for (var k = 0u; k < (thread >> {shift}u); k++) {"
            "        before2 = fold0(before2, {name}[first + k * {apart}u]);"
            "    }"
        }
        match scan.total {
            true => "fold0(before2, total1)".into(),
            false => joined(Some(joined(begin, "before2")), "before1"),
        }
    }

    /// Writes the total of the row.
    fn total(&self, total: &str, out: &mut String) {
        let bits = encode(self.key.folds[0].dtype, "all");
        emit! { out, total, bits;
            "    let all = {total};"
            "    let f0_0_0 = {bits};"
        }
        self.store_total(out);
    }
}

/// Two values as one.
fn joined(a: Option<String>, b: &str) -> String {
    match a {
        Some(a) => format!("fold0({a}, {b})"),
        None => b.into(),
    }
}
