//! A program that runs the kernels of plans.

use std::collections::{BTreeMap, HashMap};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use zerostride::HostTensor;
use zerostride::kernel::{Dispatch, Language, Place, PlanBuffer, Resource, Translation, Variable};

use crate::{Job, cpp};

/// Kernels of a file that is compiled at once.
const TOGETHER: usize = 40;
/// The headers as a comment, so that a file changes with them.
const HEADERS: &str = concat!(
    "#if 0\n",
    include_str!("metal_stdlib.h"),
    include_str!("kernel.h"),
    include_str!("runner.h"),
    "#endif\n"
);
/// What buffers hold before a kernel writes.
const POISON: u8 = 0xab;

/// The program, and its kernels by their WGSL.
pub struct Machine {
    program: PathBuf,
    kernels: HashMap<String, (usize, Translation)>,
}

impl Machine {
    /// That of the kernels of these plans.
    pub fn of(jobs: &[Job]) -> Self {
        let mut kernels = HashMap::new();
        for wgsl in jobs.iter().flat_map(|job| job.plan.kernels()) {
            let next = kernels.len();
            kernels.entry(wgsl).or_insert_with_key(|wgsl| {
                let translation = Language::Msl.translate(wgsl);
                (next, translation.unwrap_or_else(|e| panic!("{e}\n{wgsl}")))
            });
        }
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("metal");
        std::fs::create_dir_all(&folder).unwrap();
        let mut texts: Vec<(usize, &str)> = kernels
            .values()
            .map(|(n, kernel)| (*n, std::str::from_utf8(&kernel.code).unwrap()))
            .collect();
        texts.sort_unstable();
        let parts = texts.chunks(TOGETHER).map(|of| {
            let own = of.iter().map(|(n, msl)| cpp::of_msl(msl, *n));
            format!(
                "{HEADERS}#include \"kernel.h\"\n{}",
                own.collect::<String>()
            )
        });
        let declared: String = texts.iter().map(|(n, _)| cpp::declared(*n)).collect();
        let entries: String = texts.iter().map(|(n, msl)| cpp::entry(msl, *n)).collect();
        let table = format!(
            "{HEADERS}#include \"runner.h\"\n{declared}const Kernel kernels[] = {{\n{entries}}};\nint main() {{ return runner::run(); }}\n"
        );
        let files: Vec<PathBuf> = parts
            .chain([table])
            .enumerate()
            .map(|(i, text)| {
                let file = folder.join(format!("part{i}.cpp"));
                // Objects are kept from one run to the next.
                if std::fs::read_to_string(&file).ok() != Some(text.clone()) {
                    let _ = std::fs::remove_file(file.with_extension("o"));
                    std::fs::write(&file, text).unwrap();
                }
                file
            })
            .collect();
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        std::thread::scope(|scope| {
            for own in files.chunks(files.len().div_ceil(threads)) {
                scope.spawn(move || {
                    let made = |file: &&PathBuf| file.with_extension("o").exists();
                    for file in own.iter().filter(|file| !made(file)) {
                        compile(&["-c".as_ref(), file.as_ref()], &file.with_extension("o"));
                    }
                });
            }
        });
        let program = folder.join("kernels");
        let objects: Vec<PathBuf> = files.iter().map(|f| f.with_extension("o")).collect();
        compile(
            &objects.iter().map(AsRef::as_ref).collect::<Vec<_>>(),
            &program,
        );
        println!("{} kernels in MSL", kernels.len());
        Self { program, kernels }
    }

    /// The results of plans of one output.
    pub fn run(&self, jobs: &[Job]) -> Vec<HostTensor> {
        let mut child = Command::new(&self.program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program of the kernels");
        let (mut to, mut from) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let results = jobs.iter().map(|job| self.result(job, &mut to, &mut from));
        let results = results.collect();
        drop(to);
        assert!(child.wait().unwrap().success());
        results
    }

    fn result(&self, job: &Job, to: &mut impl Write, from: &mut impl Read) -> HostTensor {
        let texts = job.plan.kernels();
        let dispatches = job.plan.dispatches();
        let mut buffers = buffers(job, &dispatches);
        for dispatch in &dispatches {
            let (number, kernel) = &self.kernels[&texts[dispatch.kernel]];
            let bound = bound(dispatch, kernel, &buffers);
            let mut request = vec![*number as u32];
            request.extend(dispatch.grid);
            request.extend(dispatch.workgroup);
            request.push(bound.len() as u32);
            to.write_all(&bytes_of(&request)).unwrap();
            for bytes in &bound {
                to.write_all(&bytes.len().to_ne_bytes()).unwrap();
                to.write_all(bytes).unwrap();
            }
            to.flush().unwrap();
            for (place, mut bytes) in bound.into_iter().enumerate() {
                from.read_exact(&mut bytes).unwrap_or_else(|e| {
                    panic!(
                        "{e}: kernel {number}\n{}\n{}",
                        job.plan, texts[dispatch.kernel]
                    )
                });
                let written = places(kernel).find(|(_, n)| *n == place);
                if let Some((Variable::Binding(n), _)) = written
                    && let Some(Resource::Buffer {
                        buffer,
                        start,
                        writes: true,
                        ..
                    }) = dispatch.bindings.get(n as usize)
                {
                    let whole = buffers.get_mut(&format!("{buffer:?}")).unwrap();
                    whole[*start as usize..][..bytes.len()].copy_from_slice(&bytes);
                }
            }
        }
        let (dtype, shape) = job.plan.outputs().next().expect("a plan has an output");
        let size = shape.extents().iter().product::<usize>() * dtype.size();
        let mut bytes = buffers
            .remove(&format!("{:?}", PlanBuffer::Output(0)))
            .unwrap_or_default();
        bytes.truncate(size);
        HostTensor::new(dtype, shape.clone(), bytes).expect("the bytes are those of the result")
    }
}

/// Compiles or links.
fn compile(what: &[&std::ffi::OsStr], to: &Path) {
    let header = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/metal");
    // Floats as they are written; integers wrap.
    let options = [
        "-std=c++17",
        "-O1",
        "-w",
        "-fwrapv",
        "-fno-strict-aliasing",
        "-ffp-contract=off",
        "-I",
        header,
        "-o",
    ];
    let mut compiler = Command::new("g++");
    let run = compiler
        .args(options)
        .arg(to)
        .args(what)
        .output()
        .expect("g++");
    let text = String::from_utf8_lossy(&run.stderr);
    assert!(
        run.status.success(),
        "{}",
        text.chars().take(4000).collect::<String>()
    );
}

fn bytes_of(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_ne_bytes()).collect()
}

/// Every buffer of a plan, to the end of what is bound of it.
fn buffers(job: &Job, dispatches: &[Dispatch]) -> BTreeMap<String, Vec<u8>> {
    let mut buffers = BTreeMap::new();
    for resource in dispatches.iter().flat_map(|d| &d.bindings) {
        if let Resource::Buffer {
            buffer,
            start,
            size,
            ..
        } = resource
        {
            let bytes = buffers
                .entry(format!("{buffer:?}"))
                .or_insert_with(|| match buffer {
                    PlanBuffer::Input(i) => job.inputs[*i].bytes.clone(),
                    _ => Vec::new(),
                });
            let end = bytes.len().max((start + size) as usize);
            bytes.resize(end.next_multiple_of(4), POISON);
        }
    }
    buffers
}

/// The variables of a kernel with their places in Metal's table of buffers.
fn places(kernel: &Translation) -> impl Iterator<Item = (Variable, usize)> + '_ {
    kernel.places.iter().map(|(variable, place)| match place {
        Place::Buffer(n) => (*variable, *n as usize),
        place => panic!("{place} is no buffer"),
    })
}

/// What a dispatch binds, in the order of Metal's table.
fn bound(
    dispatch: &Dispatch,
    kernel: &Translation,
    buffers: &BTreeMap<String, Vec<u8>>,
) -> Vec<Vec<u8>> {
    let mut bound = BTreeMap::new();
    for (variable, place) in places(kernel) {
        let resource = match variable {
            Variable::Binding(n) => dispatch.bindings.get(n as usize),
            _ => None,
        };
        let bytes = match resource {
            Some(Resource::Buffer {
                buffer,
                start,
                size,
                ..
            }) => {
                let whole = &buffers[&format!("{buffer:?}")];
                whole[*start as usize..][..*size as usize].to_vec()
            }
            _ => bytes_of(&dispatch.words(variable).expect("a uniform has words")),
        };
        bound.insert(place, bytes);
    }
    let last = bound.keys().next_back().map_or(0, |last| last + 1);
    (0..last)
        .map(|place| bound.remove(&place).unwrap_or_default())
        .collect()
}
