//! Many small calls: those that one dispatch computes together give what each gives alone.

use zerostride::{
    Context, DType, Expr, HostTensor, Index, Plan, Slot, Tensor, View, reference, wgpu,
};

use crate::common::{Random, all, compare, own_context, thinned};

/// Small calls of a kernel after which they are computed together, and more.
const WARM: usize = 300;

fn slot(host: &HostTensor) -> Slot {
    Slot::new(host.dtype, [1])
        .unwrap()
        .with_layout(host.layout.clone())
}

fn viewed(mut host: HostTensor, view: &View) -> HostTensor {
    host.layout = host.layout.view(view).unwrap();
    host
}

#[test]
fn every_mapping_and_width_is_computed_by_calls_together() {
    let context = own_context();
    let mut random = Random::new("calls together");
    let inner = |range: Index| View::Slice(vec![Index::Ellipsis, range]);
    let mut reports = Vec::new();
    for dtype in thinned(&mut random, [DType::U8, DType::F32, DType::I64]) {
        // Words of them are not worked on, so that narrow elements are reached too.
        let expr = Expr::slot(0).mul(Expr::slot(1)).add(Expr::slot(2));
        // As few as lie in bands, of quads of which an invocation owns two or four.
        let rows = if dtype.size() == 8 { 130 } else { 257 };
        let shapes: [[(&[usize], Option<View>); 3]; 9] = [
            [
                (&[67], None),
                (&[68], Some(inner(Index::Range(Some(1), None, 1)))),
                (&[], None),
            ],
            [(&[3, 4], None), (&[4], None), (&[3, 1], None)],
            [
                (&[70, 24], None),
                (&[24], None),
                (&[70, 24], Some(inner(Index::Range(None, None, -1)))),
            ],
            [
                (&[12, 8], Some(View::Transpose)),
                (&[8, 12], None),
                (&[12], None),
            ],
            [(&[5, 7, 3], None), (&[3], None), (&[7, 1], None)],
            [
                (&[63, 5], Some(inner(Index::Range(None, None, -1)))),
                (&[5], None),
                (&[63, 1], None),
            ],
            [
                (&[3, rows], Some(View::Transpose)),
                (&[rows, 3], None),
                (&[3], None),
            ],
            [(&[33, 3, 4], None), (&[33, 1, 4], None), (&[3, 1], None)],
            // A row a workgroup.
            [(&[3, 820], None), (&[820], None), (&[3, 1], None)],
        ];
        for (n, shapes) in thinned(&mut random, shapes.iter().enumerate()) {
            let mut inputs = || {
                shapes.each_ref().map(|(shape, view)| {
                    let host = random.host(dtype, shape, false);
                    view.as_ref()
                        .map_or(host.clone(), |view| viewed(host, view))
                })
            };
            let slots = inputs().map(|host| slot(&host));
            let plan = Plan::new(&expr, &slots, &context.options()).unwrap();
            let first = inputs().map(|host| context.tensor_from_host(&host).unwrap());
            let before = context.pipelines_compiled();
            for _ in 0..WARM {
                context.run(&plan, &first.each_ref()).unwrap();
            }
            let compiled = context.pipelines_compiled();
            // Two calls of three operands need eight bindings.
            let both = 1 + u64::from(context.limits().max_storage_buffers >= 8);
            assert_eq!(compiled - before, both, "{dtype}, case {n}");
            // Two groups and some that are left over, whatever the adapter's bindings.
            let calls: Vec<_> = (0..19).map(|_| inputs()).collect();
            let found: Vec<Tensor> = calls
                .iter()
                .map(|hosts| {
                    let tensors = hosts
                        .each_ref()
                        .map(|host| context.tensor_from_host(host).unwrap());
                    context.run(&plan, &tensors.each_ref()).unwrap().remove(0)
                })
                .collect();
            assert_eq!(
                context.pipelines_compiled(),
                compiled,
                "both kernels were there"
            );
            for (call, (found, hosts)) in found.iter().zip(&calls).enumerate() {
                let found =
                    HostTensor::new(dtype, found.shape(), found.read_bytes_blocking().unwrap())
                        .unwrap();
                let expected = reference::run(&expr, hosts).unwrap();
                reports.push(compare(
                    &format!("{dtype}, case {n}, call {call}"),
                    &found,
                    &expected,
                    0.5,
                ));
            }
        }
    }
    all(reports);
}

/// A tensor and what it should hold.
type Known = (Tensor, Vec<u32>);

/// One step of a random program on 4 x 4 elements and a row of 4.
fn step(op: usize, [a, b]: [&Known; 2], row: &Known) -> Known {
    let at = |x: &[u32], r: usize, c: usize| x[4 * r + c];
    let of =
        |f: &dyn Fn(usize, usize) -> u32| (0..16).map(|i| f(i / 4, i % 4)).collect::<Vec<u32>>();
    let [x, y] = [&a.1, &b.1];
    match op {
        0 => (
            a.0.add(&b.0).unwrap(),
            of(&|r, c| at(x, r, c).wrapping_add(at(y, r, c))),
        ),
        1 => (
            a.0.mul(&row.0).unwrap(),
            of(&|r, c| at(x, r, c).wrapping_mul(row.1[c])),
        ),
        2 => (
            a.0.sub(b.0.transpose()).unwrap(),
            of(&|r, c| at(x, r, c).wrapping_sub(at(y, c, r))),
        ),
        _ => {
            let number = op as u32;
            let made = (a.0.expr() * i64::from(number) + b.0.expr())
                .eval()
                .unwrap();
            (
                made,
                of(&|r, c| at(x, r, c).wrapping_mul(number).wrapping_add(at(y, r, c))),
            )
        }
    }
}

/// A program of random steps, each on what earlier ones left.
fn program(context: &Context, random: &mut Random, steps: usize) {
    let known =
        |values: Vec<u32>, shape: &[usize]| (context.tensor(&values, shape).unwrap(), values);
    let mut values = |n: usize| (0..n).map(|_| random.next() as u32).collect::<Vec<u32>>();
    let row = known(values(4), &[4]);
    let mut live: Vec<Known> = (0..24).map(|_| known(values(16), &[4, 4])).collect();
    let mut op = 0;
    for n in 0..steps {
        // Runs of one operator, so that its calls meet.
        if random.below(6) == 0 {
            op = random.below(5);
        }
        let [a, b, to] = [(); 3].map(|()| random.below(live.len()));
        let made = step(op, [&live[a], &live[b]], &row);
        live[to] = made;
        if random.below(97) == 0 {
            let some = random.below(live.len());
            assert_eq!(
                live[some].0.read_blocking::<u32>().unwrap(),
                live[some].1,
                "step {n}"
            );
        }
        if random.below(61) == 0 {
            // In the place of its own elements, after what waits for them.
            let (tensor, values) = live.swap_remove(random.below(live.len()));
            let doubled = (Expr::from(tensor) * 2).eval_donating().unwrap();
            live.push((doubled, values.iter().map(|v| v.wrapping_mul(2)).collect()));
        }
    }
    for (tensor, values) in &live {
        assert_eq!(tensor.read_blocking::<u32>().unwrap(), *values);
    }
}

#[test]
fn a_program_of_thousands_of_small_steps_keeps_their_order() {
    let mut random = Random::new("a program of small steps");
    program(&own_context(), &mut random, 4000);
}

#[test]
fn a_program_with_webgpus_default_limits_keeps_its_order() {
    // Two calls a dispatch, and numbers in uniforms.
    let builder = Context::builder()
        .from_env()
        .poisons_buffers(true)
        .features(wgpu::Features::empty())
        .limits(wgpu::Limits::default());
    let context = builder.request_blocking().unwrap();
    assert_eq!(context.limits().max_storage_buffers, 8);
    program(
        &context,
        &mut Random::new("small steps with default limits"),
        3000,
    );
}

#[test]
fn programs_of_several_threads_keep_their_order() {
    let context = own_context();
    let seeds: Vec<Random> = (0..3)
        .map(|n| Random::new(&format!("small steps of thread {n}")))
        .collect();
    std::thread::scope(|scope| {
        for mut random in seeds {
            let context = &context;
            scope.spawn(move || program(context, &mut random, 1500));
        }
    });
}
