//! Kernels as Direct3D 12 has them: translated to HLSL, compiled by DXC to SPIR-V, and read as WGSL again. So the adapter
//! computes what the HLSL says.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::{LazyLock, Mutex};

use naga::Expression;
use naga::valid::{Capabilities, ValidationFlags, Validator};
use zerostride::kernel::Language;

/// The environment variable with the path of DXC's library, which a package of PyPI has: scripts/check-hlsl.sh finds it.
const DXC: &str = "ZEROSTRIDE_DXC";

/// The process that compiles, with what it answers.
static SERVER: LazyLock<Mutex<(Child, BufReader<ChildStdout>)>> = LazyLock::new(|| {
    let library = std::env::var(DXC).unwrap_or_else(|_| panic!("{DXC} names no library"));
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/dxc_server.py");
    let mut child = Command::new("python3")
        .args([script, &library])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("python3 runs scripts/dxc_server.py");
    let answers = BufReader::new(child.stdout.take().unwrap());
    Mutex::new((child, answers))
});

/// A kernel's WGSL as DXC understands its HLSL.
pub fn through_dxc(wgsl: &str) -> String {
    let hlsl = Language::Hlsl.translate(wgsl);
    let hlsl = String::from_utf8(hlsl.unwrap_or_else(|e| panic!("{e}\n{wgsl}")).code).unwrap();
    let (hlsl, [_, grid]) = with_grid(&hlsl);
    let text = written(&Rewritten::of(&compiled(&hlsl)), &hlsl);
    text.replace(grid, "@builtin(num_workgroups)")
}

/// A builtin of HLSL, and what it is in WGSL.
type Builtin = [&'static str; 2];

/// HLSL in which the number of workgroups is an argument again: naga reads it from a buffer that nobody binds here, since
/// Direct3D has no such builtin. One that the kernel does not use stands for it until the WGSL is written.
fn with_grid(hlsl: &str) -> (String, Builtin) {
    let read =
        "uint3(_NagaConstants.first_vertex, _NagaConstants.first_instance, _NagaConstants.other)";
    let builtins = [
        ["SV_DispatchThreadID", "@builtin(global_invocation_id)"],
        ["SV_GroupThreadID", "@builtin(local_invocation_id)"],
    ];
    let free = builtins.into_iter().find(|[name, _]| !hlsl.contains(name));
    let free = free.unwrap_or_else(|| panic!("both are used: {hlsl}"));
    let argument = format!("uint3 groups : {}", free[0]);
    let hlsl = hlsl.replace(read, "groups");
    (hlsl.replace("uint3 groups : SV_GroupID", &argument), free)
}

fn compiled(hlsl: &str) -> Vec<u32> {
    let mut server = SERVER.lock().unwrap();
    let (child, answers) = &mut *server;
    let requests = child.stdin.as_mut().unwrap();
    requests
        .write_all(format!("{}\n{hlsl}", hlsl.len()).as_bytes())
        .unwrap();
    requests.flush().unwrap();
    let mut line = String::new();
    answers.read_line(&mut line).unwrap();
    let (kind, size) = line.trim().split_once(' ').expect("an answer of DXC");
    let mut bytes = vec![0; size.parse().unwrap()];
    answers.read_exact(&mut bytes).unwrap();
    let text = || String::from_utf8_lossy(&bytes);
    assert_eq!(kind, "spirv", "{}\n{hlsl}", text());
    let words = bytes.chunks_exact(4);
    words
        .map(|w| u32::from_le_bytes(w.try_into().unwrap()))
        .collect()
}

/// What SPIR-V may do and WGSL may not, in another way: unsigned integers are negated as 0 - x, and 64-bit ones are
/// shifted by counts of 32 bits.
struct Rewritten {
    /// The words before the functions, and those of the functions.
    before: Vec<u32>,
    behind: Vec<u32>,
    /// The first number that no value has.
    next: u32,
    /// The type of each value.
    types: BTreeMap<u32, u32>,
    /// How many lanes each type of 64-bit integers has; 0 if it is no vector.
    narrow: BTreeMap<u32, u32>,
    /// The null of each type that is negated.
    zeros: BTreeMap<u32, u32>,
}

const TYPE_INT: u32 = 21;
const TYPE_VECTOR: u32 = 23;
const CONSTANT_NULL: u32 = 46;
const FUNCTION: u32 = 54;
const UNSIGNED_CONVERT: u32 = 113;
const NEGATE: u32 = 126;
const DIFFERENCE: u32 = 130;
const SHIFTS: std::ops::RangeInclusive<u32> = 194..=196;

impl Rewritten {
    fn of(words: &[u32]) -> Vec<u32> {
        let (head, mut rest) = words.split_at(5);
        let mut made = Self {
            before: head.to_vec(),
            behind: Vec::new(),
            next: head[3],
            types: BTreeMap::new(),
            narrow: BTreeMap::new(),
            zeros: BTreeMap::new(),
        };
        let mut word = None;
        while let [first, ..] = *rest {
            let (instruction, next) = rest.split_at((first >> 16) as usize);
            rest = next;
            match *instruction {
                [_, id, 32, 0] if first & 0xffff == TYPE_INT => word = Some(id),
                [_, id, 64, _] if first & 0xffff == TYPE_INT => {
                    made.narrow.insert(id, 0);
                }
                [_, id, of, _]
                    if first & 0xffff == TYPE_VECTOR && made.narrow.contains_key(&of) =>
                {
                    made.narrow.insert(id, instruction[3]);
                }
                _ => {}
            }
            made.instruction(first & 0xffff, instruction, word);
        }
        made.before[3] = made.next;
        [made.before, made.behind].concat()
    }

    fn fresh(&mut self) -> u32 {
        self.next += 1;
        self.next - 1
    }

    fn instruction(&mut self, op: u32, words: &[u32], word: Option<u32>) {
        if let [_, kind, id, ..] = *words {
            // Other instructions name values in this place, behind the one that makes them.
            self.types.entry(id).or_insert(kind);
        }
        match *words {
            [_, kind, result, x] if op == NEGATE => {
                let zero = self.zero(kind);
                self.behind
                    .extend([5 << 16 | DIFFERENCE, kind, result, zero, x]);
            }
            [first, kind, result, x, count] if SHIFTS.contains(&op) => {
                let count = self.narrowed(count, word);
                self.behind.extend([first, kind, result, x, count]);
            }
            _ if op == FUNCTION || !self.behind.is_empty() => self.behind.extend(words),
            _ => self.before.extend(words),
        }
    }

    /// The null of a type.
    fn zero(&mut self, kind: u32) -> u32 {
        if let Some(zero) = self.zeros.get(&kind) {
            return *zero;
        }
        let zero = self.fresh();
        self.zeros.insert(kind, zero);
        self.before.extend([3 << 16 | CONSTANT_NULL, kind, zero]);
        zero
    }

    /// A count of 64 bits as one of 32.
    fn narrowed(&mut self, count: u32, word: Option<u32>) -> u32 {
        let kind = self.types[&count];
        let Some(&lanes) = self.narrow.get(&kind) else {
            return count;
        };
        let word = word.expect("32-bit integers");
        let narrow = match lanes {
            0 => word,
            lanes => self.vector(word, lanes),
        };
        let made = self.fresh();
        self.behind
            .extend([4 << 16 | UNSIGNED_CONVERT, narrow, made, count]);
        made
    }

    /// The type of so many of another.
    fn vector(&mut self, of: u32, lanes: u32) -> u32 {
        let is = |four: &&[u32]| four[0] == 4 << 16 | TYPE_VECTOR && four[2..] == [of, lanes];
        let declared = self.before.windows(4).find(is).map(|four| four[1]);
        declared.unwrap_or_else(|| {
            let made = self.fresh();
            self.before.extend([4 << 16 | TYPE_VECTOR, made, of, lanes]);
            made
        })
    }
}

fn written(words: &[u32], hlsl: &str) -> String {
    let options = naga::front::spv::Options::default();
    let mut module = naga::front::spv::Frontend::new(words.iter().copied(), &options)
        .parse()
        .unwrap_or_else(|e| panic!("{e}\n{hlsl}"));
    // Chains of steps would be one expression, too deep to be parsed.
    let entries = module
        .entry_points
        .iter_mut()
        .map(|entry| &mut entry.function);
    for function in entries.chain(module.functions.iter_mut().map(|(_, function)| function)) {
        let steps = function.expressions.iter().filter(|(_, expression)| {
            matches!(
                expression,
                Expression::Binary { .. } | Expression::Select { .. }
            )
        });
        let names = steps.map(|(step, _)| (step, format!("step_{}", step.index())));
        function.named_expressions.extend(names);
    }
    let info = Validator::new(ValidationFlags::all(), Capabilities::all())
        .validate(&module)
        .unwrap_or_else(|e| panic!("{e:?}\n{hlsl}"));
    let flags = naga::back::wgsl::WriterFlags::empty();
    let text = naga::back::wgsl::write_string(&module, &info, flags).unwrap();
    zerostride_hostile::with_sizes(&module, &text)
        .replace("@size(4) member: array<", "member: array<")
}
