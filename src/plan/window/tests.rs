//! Windows, walked element by element without a device.

use proptest::prelude::*;

use super::super::binding::Range;
use super::super::store::Store;
use super::*;
use crate::dtype::DType;
use crate::expr::Expr;
use crate::plan::slot::{QUAD, Room};
use crate::plan::{Limits, Options, Plan, Schedule};
use crate::view::{Index, View};

impl Pass {
    /// Elements of what offsets, strides and extents count: words if it is mapped as a pass of those,
    /// not if words are made of elements that a schedule finds.
    fn counted(&self) -> u32 {
        match self.work.schedule().map_or(1, Schedule::per_word) {
            1 => self.output.per_word,
            _ => 1,
        }
    }
}

/// What an element of an intermediate result holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Holds {
    /// The element of a slot at this position.
    Slot(usize, usize),
    /// The result's element of this number.
    Result(usize),
}

/// Walks all passes of a plan with one output. Every element of the output is written once;
/// whatever is read lies in its binding and is what the expression means; no binding or dispatch is
/// larger than the limits allow.
fn walk(plan: &Plan) {
    let limits = &plan.limits;
    let mut temporaries: Vec<Vec<Option<Holds>>> =
        plan.temporaries.iter().map(|t| vec![None; t.len]).collect();
    let written = &plan.outputs[0];
    let mut writes = vec![0; written.layout.len()];
    for pass in &plan.passes {
        let len: usize = pass.shape.extents().iter().product();
        assert!(
            len as u64 <= limits.max_elements,
            "{len} elements in one dispatch"
        );
        let place = pass.window;
        let mut inputs = Vec::new();
        for input in &pass.inputs {
            let bytes = match input.source {
                Source::Slot(i) => plan.slots[i].bytes(),
                Source::Temporary(t) => allocated(temporaries[t].len() * input.dtype.size()),
                Source::Numbers => panic!("no window here is of numbers"),
            };
            check_range(input.range, bytes, limits);
            let size = input.dtype.size() as u64;
            let first = input.range.start / size
                + u64::from(input.offset * input.per_word.min(pass.counted()));
            assert_eq!(first as usize, input.layout.offset());
            let mut values = Vec::with_capacity(len);
            for at in input.layout.offsets() {
                let (from, to) = (at as u64 * size, (at as u64 + 1) * size);
                assert!(
                    from >= input.range.start && to <= input.range.start + input.range.size,
                    "{at} is not bound"
                );
                values.push(match input.source {
                    Source::Numbers => Holds::Result(at),
                    Source::Slot(i) => Holds::Slot(i, at),
                    Source::Temporary(t) => {
                        temporaries[t][at].expect("it is written before it is read")
                    }
                });
            }
            inputs.push(values);
        }
        let size = pass.output.dtype.size() as u64;
        let first = (pass.output.range.start / size) as usize
            + (pass.output.offset * pass.counted()) as usize;
        let value = |k: usize| match place {
            Some(Place {
                role: Role::Gather | Role::Move,
                ..
            }) => inputs[0][k],
            Some(Place {
                role: Role::Compute,
                group,
                first,
                ..
            }) => {
                // Every slot is seen in one way, through intermediate results of the same shape too.
                assert_eq!(plan.groups[group].shape, *written.layout.shape());
                for (i, values) in inputs.iter().enumerate() {
                    let Holds::Slot(slot, at) = values[k] else {
                        continue;
                    };
                    let layout = plan.layout_of(slot).unwrap();
                    let wanted = position(&layout, first + k);
                    assert_eq!(at, wanted, "input {i} of element {}", first + k);
                }
                Holds::Result(first + k)
            }
            None => inputs
                .first()
                .filter(|_| pass.steps.is_empty())
                .map_or(Holds::Result(k), |i| i[k]),
        };
        match pass.output.target {
            Target::Output(_) => {
                check_range(pass.output.range, written.bytes(), limits);
                for k in 0..len {
                    let number = first - written.layout.offset() + k;
                    writes[number] += 1;
                    if place.is_some() {
                        assert_eq!(value(k), Holds::Result(number));
                    }
                }
                let wide = pass.output.store == Store::Wide;
                let ends = place.is_none_or(|p| p.number + 1 == plan.groups[p.group].windows);
                let unit = pass.work.schedule().map_or(QUAD, Schedule::unit);
                let quad = unit * pass.counted() as usize;
                assert!(
                    !wide || len.is_multiple_of(quad) || (ends && written.room == Room::Padding)
                );
            }
            Target::Temporary(t) => {
                let bytes = allocated(temporaries[t].len() * size as usize);
                check_range(pass.output.range, bytes, limits);
                for k in 0..len {
                    temporaries[t][first + k] = Some(value(k));
                }
            }
        }
    }
    assert!(
        writes.iter().all(|&n| n == 1),
        "elements are written {writes:?} times"
    );
}

/// Bytes of a buffer of this crate.
fn allocated(bytes: usize) -> u64 {
    bytes.next_multiple_of(32) as u64
}

fn check_range(range: Range, bytes: u64, limits: &Limits) {
    assert!(
        range
            .start
            .is_multiple_of(u64::from(limits.offset_alignment))
            && range.size.is_multiple_of(4)
    );
    assert!(
        range.size <= limits.max_binding,
        "{} bytes are bound",
        range.size
    );
    assert!(
        range.start + range.size <= bytes.next_multiple_of(4),
        "{range:?} of {bytes} bytes"
    );
}

/// The position of an element, by the definition.
fn position(layout: &Layout, mut number: usize) -> usize {
    let mut at = layout.offset();
    for (&extent, &stride) in layout.shape().extents().iter().zip(layout.strides()).rev() {
        at = at.wrapping_add_signed((number % extent).cast_signed() * stride);
        number /= extent;
    }
    at
}

fn small(max_binding: u64, max_elements: u64) -> Options {
    let limits = Limits::WEBGPU
        .with_max_binding(max_binding)
        .with_max_elements(max_elements);
    Options::default().with_limits(limits)
}

fn within(max_binding: u64, expr: &Expr<usize>, slots: &[Slot]) -> Plan {
    Plan::new(expr, slots, &small(max_binding, 1 << 20)).unwrap()
}

fn slot(dtype: DType, shape: &[usize]) -> Slot {
    Slot::new(dtype, shape).unwrap()
}

fn dtype() -> impl Strategy<Value = DType> {
    prop_oneof![
        Just(DType::U8),
        Just(DType::I16),
        Just(DType::F32),
        Just(DType::I64)
    ]
}

/// A slot whose view has this shape: some axes broadcast, in another order, reversed or with steps.
fn viewed(dtype: DType, shape: &[usize], seed: u64) -> Slot {
    let rank = shape.len();
    let bit = |n: usize| seed >> (n % 60) & 1 == 1;
    let mut order: Vec<usize> = (0..rank).collect();
    if bit(40) {
        for i in (1..rank).rev() {
            order.swap(i, (seed >> (i * 3 + 7)) as usize % (i + 1));
        }
    }
    // The buffer's axes, each as long as the view's, longer by a step, or 1.
    let step = |a: usize| if bit(a + 20) && bit(a + 30) { 2 } else { 1 };
    let own = |a: usize| {
        if bit(a) && bit(a + 10) {
            1
        } else {
            shape[a] * step(a)
        }
    };
    let base = Layout::contiguous(order.iter().map(|&a| own(a)).collect::<Vec<_>>()).unwrap();
    let mut inverse = vec![0; rank];
    order
        .iter()
        .enumerate()
        .for_each(|(place, &a)| inverse[a] = place);
    let layout = base.view(&View::Permute(inverse)).unwrap();
    let items = (0..rank).map(|a| {
        let s = if own(a) == shape[a] * 2 { 2 } else { 1 };
        Index::Range(None, None, if bit(a + 50) { -s } else { s })
    });
    let layout = layout.view(&View::Slice(items.collect())).unwrap();
    Slot {
        layout,
        ..Slot::new(dtype, [base.len()]).unwrap()
    }
    .sized(base.len())
}

impl Slot {
    fn sized(mut self, len: usize) -> Self {
        self.room = Room::Bytes((len.next_multiple_of(QUAD) * self.dtype.size()) as u64);
        self
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn every_element_is_written_once_and_read_where_it_is_bound(
        shape in prop_oneof![
            prop::collection::vec(1usize..12, 1..5),
            prop::collection::vec(1usize..60, 1..3),
            (1usize..5, 300usize..3000).prop_map(|(a, b)| vec![a, b]),
            (300usize..3000, 1usize..5).prop_map(|(a, b)| vec![a, b]),
            (1usize..4, 20usize..40, 30usize..60).prop_map(|(a, b, c)| vec![a, b, c]),
        ],
        dtype in dtype(),
        seeds in prop::collection::vec(any::<u64>(), 1..4),
        binding in prop_oneof![Just(1024u64), Just(2048), Just(4096)],
        elements in prop_oneof![Just(64u64), Just(1000), Just(1 << 20)],
        offset in 0usize..9,
        wrapped in any::<bool>(),
    ) {
        let slots: Vec<Slot> = seeds.iter().map(|&seed| viewed(dtype, &shape, seed)).collect();
        // Reads all, whatever is broadcast.
        let all = Expr::slot(0).broadcast(crate::rule::Rule::To { target: shape.clone().into() });
        let expr = (1..slots.len()).fold(all, |sum, i| sum.maximum(Expr::slot(i)));
        let row_major = Layout::contiguous(shape.clone()).unwrap();
        let out = if wrapped {
            let bytes = ((row_major.len() + offset).next_multiple_of(QUAD) * dtype.size()) as u64;
            let layout = Layout::new(shape.clone(), row_major.strides().to_vec(), offset).unwrap();
            Slot::wrapped(dtype, layout, bytes)
        } else {
            Slot::new(dtype, shape.clone()).unwrap()
        };
        let options = small(binding, elements);
        let plan = Plan::many(std::slice::from_ref(&expr), &slots, &[out], &options);
        walk(&plan.unwrap());
    }
}

#[test]
fn a_broadcast_row_keeps_its_window() {
    let slots = [slot(DType::F32, &[100, 64]), slot(DType::F32, &[64])];
    let plan = within(4096, &Expr::slot(0).add(Expr::slot(1)), &slots);
    assert!(plan.pass_count() > 6 && plan.pass_count() < 12, "{plan}");
    let row = Range {
        start: 0,
        size: 256,
    };
    assert!(plan.passes.iter().all(|pass| pass.inputs[1].range == row));
    let text = plan.to_string();
    assert!(
        text.contains("window 1 of 8 of [100, 64] (6400 elements): elements 0 to "),
        "{text}"
    );
    let listed =
        |l: &&str| l.contains(" quads ") || l.contains(" 1 quad ") || l.contains("schedules by");
    let others = text.lines().filter(|l| !listed(l) || l.contains("mapping"));
    assert!(others.count() < 10, "{text}");
    walk(&plan);
}

#[test]
fn windows_begin_on_whole_words_where_the_extents_allow_it() {
    let slots = [slot(DType::U8, &[3, 100_001]), slot(DType::U8, &[3, 1])];
    let plan = within(16 << 10, &Expr::slot(0).maximum(Expr::slot(1)), &slots);
    let starts: Vec<usize> = plan
        .passes
        .iter()
        .filter_map(|p| p.window)
        .map(|w| w.first)
        .collect();
    let odd = starts.iter().filter(|s| !s.is_multiple_of(QUAD)).count();
    assert_eq!(
        odd, 2,
        "only the second and third row begin inside a word: {starts:?}"
    );
    walk(&plan);
}

#[test]
fn a_transposed_input_is_gathered() {
    let slots = [slot(DType::F32, &[200, 300])];
    let plan = within(32 << 10, &Expr::slot(0).transpose().neg(), &slots);
    assert!(
        plan.pass_count() < 100,
        "{} passes instead of a few for each of 8 windows",
        plan.pass_count()
    );
    assert!(plan.to_string().contains("gathering an input"), "{plan}");
    walk(&plan);
    // Where an input merely has a step, nothing is.
    let stepped = Expr::slot(0).slice([Index::Range(None, None, 50)]);
    let plan = within(32 << 10, &stepped, &[slot(DType::F32, &[60_000])]);
    assert!(plan.temporaries.is_empty(), "{plan}");
    walk(&plan);
}

#[test]
fn intermediate_results_keep_their_buffers_where_windows_gather() {
    // Of 7 inputs 3 fit a pass, so two sums are intermediate; the windows of each gather transposed
    // inputs.
    let slots = vec![slot(DType::F32, &[200, 300]); 7];
    let sum = (1..7).fold(Expr::slot(0).transpose(), |sum, i| {
        sum.add(Expr::slot(i).transpose())
    });
    let mut options = small(32 << 10, 1 << 20);
    options.limits.max_storage_buffers = 4;
    let plan = Plan::new(&sum, &slots, &options).unwrap();
    let text = plan.to_string();
    assert!(
        text.contains("gathering") && text.contains("temporary 1"),
        "{text}"
    );
    plan.audit().unwrap();
    walk(&plan);
}

#[test]
fn more_than_32_bits_of_elements_are_planned() {
    let shape = [1usize << 20, 5001];
    let slots = [slot(DType::F32, &shape), slot(DType::F32, &[5001])];
    let expr = Expr::slot(0).add(Expr::slot(1));
    let plan = Plan::new(&expr, &slots, &Options::default()).unwrap();
    let len: usize = shape.iter().product();
    assert_eq!(
        plan.bytes_moved(),
        (8 * len + plan.pass_count() * 4 * 5001) as u64
    );
    assert!(plan.pass_count() < 200, "{}", plan.pass_count());
    assert_eq!(plan.steps().unwrap().len(), 1);
    assert_eq!(plan.kernels().len(), 1, "windows begin where bindings may");
}

#[test]
fn costly_steps_get_shorter_dispatches() {
    let slots = [slot(DType::F32, &[1 << 16])];
    let passes = |expr: &Expr<usize>| {
        Plan::new(expr, &slots, &small(1 << 27, 1 << 15))
            .unwrap()
            .pass_count()
    };
    assert_eq!(
        (passes(&Expr::slot(0).neg()), passes(&Expr::slot(0).exp())),
        (2, 32)
    );
}

#[test]
fn limits_that_no_element_fits_and_too_many_windows_are_errors() {
    let slots = [slot(DType::F32, &[1000])];
    let refused = Plan::new(&Expr::slot(0).neg(), &slots, &small(128, 1 << 20));
    assert!(matches!(refused, Err(Error::TooLarge { limit: 128, .. })));
    let slots = [slot(DType::F32, &[1 << 20])];
    let refused = Plan::new(&Expr::slot(0).neg(), &slots, &small(4096, 4))
        .unwrap_err()
        .to_string();
    assert!(
        refused.contains("262144 windows") && refused.contains("in parts"),
        "{refused}"
    );
}
