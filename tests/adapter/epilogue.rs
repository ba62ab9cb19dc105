//! Steps on the elements of a matrix product, which its kernel computes where it stores them: the reference's bits.

use zerostride::{
    DType, Expr, HostTensor, Index, Plan, Rule, Scalar, Slot, Tensor, View, reference, text,
};

use crate::common::{
    Random, all, check, check_with, compare, context, count, new_encoder, on_adapter, thinned,
};
use crate::mapping::{transposed, viewed};
use crate::moved::machine;

fn types() -> impl Iterator<Item = DType> {
    let all = [
        DType::F32,
        DType::F16,
        DType::Bf16,
        DType::I32,
        DType::U32,
        DType::I64,
        DType::F64,
    ];
    all.into_iter()
}

/// An expression of these inputs by its text.
fn parsed(expression: &str, names: &[&str], inputs: &[HostTensor]) -> Expr<usize> {
    let known = |i: usize| (inputs[i].dtype, inputs[i].layout.shape().clone());
    let parsed = text::parse(expression).unwrap();
    let bound = parsed.bind_to(names, known, &Rule::Numpy);
    bound.unwrap_or_else(|e| panic!("{expression}: {e}"))
}

fn plan(expr: &Expr<usize>, inputs: &[HostTensor]) -> Plan {
    let slot = |x: &HostTensor| Slot::new(x.dtype, x.layout.shape().clone()).unwrap();
    let slots: Vec<Slot> = inputs.iter().map(slot).collect();
    Plan::new(expr, &slots, &context().options()).unwrap()
}

/// So many passes, and the reference's bits.
fn check_in(
    passes: usize,
    what: &str,
    expr: &Expr<usize>,
    inputs: &[HostTensor],
) -> Result<(), String> {
    match plan(expr, inputs) {
        plan if plan.pass_count() == passes => check(what, expr, inputs, 0.0),
        plan => Err(format!("{what}: not {passes} passes\n{plan}")),
    }
}

#[test]
fn steps_on_a_product_are_in_its_pass() {
    let mut random = Random::new("epilogues");
    let mut reports = Vec::new();
    let names = ["x", "y", "row", "column", "full", "chosen"];
    let expressions = [
        "x @ y + row",
        "x @ y * 2 - row * 3",
        "maximum(x @ y, column) * full",
        "where(chosen, x @ y, row)",
        "where(x @ y > full, column, x @ y)",
        "(x @ y + row).astype(u8)",
        "(x @ y).astype(f16)",
        "x @ y > row",
        "(x @ y).astype(i64) * 3000000000",
        "(x @ y).astype(i32) + arange(row.shape[0])",
        "x @ y + roll(full, 1, axis=1)",
        "(x @ y)[:, None] + full[:, None]",
    ];
    for dtype in types() {
        for [m, k, n] in [[3, 5, 7], [64, 16, 64], [65, 17, 63], [130, 33, 66]] {
            let mut own = |shape: &[usize]| random.whole(dtype, shape);
            let inputs = [
                own(&[m, k]),
                own(&[k, n]),
                own(&[n]),
                own(&[m, 1]),
                own(&[m, n]),
                random.host(DType::Bool, &[m, n], false),
            ];
            for expression in thinned(&mut random, expressions) {
                let expr = parsed(expression, &names, &inputs);
                let what = format!("{expression} of {dtype} {m} x {k} x {n}");
                reports.push(check_in(1, &what, &expr, &inputs));
            }
        }
    }
    all(reports);
}

#[test]
fn steps_on_products_of_batches_read_their_own_batch() {
    let mut random = Random::new("epilogues of batches");
    let mut reports = Vec::new();
    // Batches that share a factor are rows of one product, which an operand must see as one axis too.
    let shapes: [([&[usize]; 4], usize); 6] = [
        ([&[3, 4, 5], &[3, 5, 6], &[3, 4, 6], &[3, 1, 1]], 1),
        ([&[3, 1, 4, 5], &[2, 5, 6], &[2, 1, 6], &[3, 1, 4, 1]], 1),
        ([&[7, 65, 17], &[17, 66], &[7, 65, 66], &[66]], 1),
        ([&[7, 65, 17], &[17, 66], &[65, 66], &[7, 1, 66]], 2),
        (
            [
                &[2, 1, 3, 4, 5],
                &[1, 4, 1, 5, 6],
                &[2, 1, 1, 1, 1],
                &[4, 3, 4, 1],
            ],
            1,
        ),
        ([&[1, 1, 9, 5], &[5, 6], &[6], &[9, 1]], 1),
    ];
    for dtype in [DType::F32, DType::F16, DType::I64, DType::U32] {
        for (shapes, passes) in shapes {
            let inputs = shapes.map(|shape| random.whole(dtype, shape));
            for expression in ["x @ y + a - b", "(maximum(x @ y, a) * b).astype(i8)"] {
                let expr = parsed(expression, &["x", "y", "a", "b"], &inputs);
                let what = format!("{expression} of {dtype} {shapes:?}");
                reports.push(check_in(passes, &what, &expr, &inputs));
            }
        }
    }
    all(reports);
}

/// Passes that read a product in another order, or one that others need too, stay passes.
#[test]
fn what_is_not_read_element_by_element_stays_apart() {
    let mut random = Random::new("no epilogues");
    let square = |random: &mut Random| random.whole(DType::F32, &[20, 20]);
    let inputs = [0; 3].map(|_| square(&mut random));
    let cases = [
        ("(x @ y).T + z", 2),
        ("(x @ y)[:, ::-1] + z", 2),
        ("(x @ y)[1:] + z[1:]", 2),
        ("x @ y + (x @ y).T", 2),
        ("(x @ y).sum(0) + z", 2),
        ("(x @ y + 1) @ z", 2),
        ("(x @ y + 1) @ (x @ y + 2)", 4),
        ("exp(x @ y - z) @ (z @ x)", 3),
        ("(x @ y)[None] + stack((z, z))", 2),
        ("(x @ y + z[0]).reshape(4, 5, 20) * z.reshape(4, 5, 20)", 2),
    ];
    let mut reports: Vec<_> = cases
        .iter()
        .map(|(expression, passes)| {
            let expr = parsed(expression, &["x", "y", "z"], &inputs);
            match *passes {
                // Not in bits: sums of these are.
                3 if expression.starts_with("exp") => match plan(&expr, &inputs).pass_count() {
                    3 => check(expression, &expr, &inputs, 64.0),
                    passes => Err(format!("{expression}: {passes} passes")),
                },
                _ => check_in(*passes, expression, &expr, &inputs),
            }
        })
        .collect();
    // Several results of one product.
    let product = Expr::slot(0).matmul(Expr::slot(1));
    let both = [product.add(Expr::slot(2)), product.mul(Expr::slot(2))];
    let tensors = inputs
        .each_ref()
        .map(|x| context().tensor_from_host(x).unwrap());
    let slots = tensors.each_ref().map(Tensor::slot);
    let plan = Plan::many(&both, &slots, &[], &context().options()).unwrap();
    assert_eq!(plan.pass_count(), 3, "{plan}");
    let found = context().run(&plan, &tensors.each_ref()).unwrap();
    for (expr, found) in both.iter().zip(found) {
        let same =
            found.read_bytes_blocking().unwrap() == reference::run(expr, &inputs).unwrap().bytes;
        reports.push(same.then_some(()).ok_or(format!("{expr:?}")));
    }
    all(reports);
}

/// More steps and operands than one pass has.
#[test]
fn no_step_behind_a_product_is_lost_where_there_are_many() {
    let mut random = Random::new("many steps");
    let mut own = |shape: &[usize]| random.whole(DType::I32, shape);
    let mut inputs = vec![own(&[9, 5]), own(&[5, 7])];
    inputs.extend((0..40).map(|_| own(&[7])));
    let product = Expr::slot(0).matmul(Expr::slot(1));
    let sum = (2..42).fold(product.clone(), |sum, k| sum.add(Expr::slot(k)));
    let long = (0..700).fold(product, |sum, j| match j % 2 {
        0 => sum.add(Expr::slot(2)),
        _ => sum.mul(Expr::slot(3)),
    });
    let checked = [("operands", sum), ("steps", long)];
    all(checked.map(|(what, expr)| check(what, &expr, &inputs, 0.0)));
}

/// A cast of a factor that rounds is no widening.
#[test]
fn a_factor_is_rounded_by_its_cast() {
    let mut random = Random::new("rounded factors");
    let mut reports = Vec::new();
    let product = Expr::slot(0).matmul(Expr::slot(1));
    for (from, to) in [
        (DType::F16, DType::Bf16),
        (DType::Bf16, DType::F16),
        (DType::F32, DType::F16),
        (DType::F32, DType::Bf16),
    ] {
        // Only the first term of a sum is not 0, so that it is exact.
        let mut factor = |shape: [usize; 2], is_zero: &dyn Fn(usize) -> bool| {
            let mut host = random.host(from, &shape, false);
            let elements = host.bytes.chunks_mut(from.size()).enumerate();
            elements
                .filter(|(at, _)| is_zero(*at))
                .for_each(|(_, x)| x.fill(0));
            host
        };
        let inputs = [
            factor([6, 2], &|at| at % 2 == 1),
            factor([2, 9], &|at| at >= 9),
        ];
        let cast = Expr::slot(0).cast(to);
        let rounded = inputs
            .each_ref()
            .map(|x| reference::run(&cast, std::slice::from_ref(x)).unwrap());
        let expected = reference::run(&product, &rounded).unwrap();
        let [x, y] = [0, 1].map(|k| Expr::slot(k).cast(to));
        let found = on_adapter(&x.matmul(y), &inputs).unwrap();
        reports.push(compare(&format!("{from} to {to}"), &found, &expected, 0.0));
    }
    all(reports);
}

/// A caller's output may be a factor's own buffer, and so may one that is written before.
#[test]
fn a_named_output_may_be_a_factor() {
    let mut random = Random::new("named outputs");
    let inputs = [0; 2].map(|_| random.whole(DType::F32, &[70, 70]));
    let expr = Expr::slot(0).matmul(Expr::slot(1)).add(Expr::slot(0));
    let [x, y] = inputs
        .each_ref()
        .map(|x| context().tensor_from_host(x).unwrap());
    let exprs = std::slice::from_ref(&expr);
    let slots = [x.slot(), y.slot()];
    let plan = Plan::many(exprs, &slots, &[x.slot()], &context().options()).unwrap();
    let mut encoder = new_encoder(&context());
    context()
        .encode(&mut encoder, &plan, &[&x, &y], &[&x])
        .unwrap();
    context().queue().submit([encoder.finish()]);
    let expected = reference::run(&expr, &inputs).unwrap();
    assert_eq!(x.read_bytes_blocking().unwrap(), expected.bytes);

    // Another output is written into a factor's buffer in the meantime.
    let product = Expr::slot(0).matmul(Expr::slot(1));
    let exprs = [Expr::slot(0) + 1.0f32, product.add(Expr::slot(1))];
    let plan = Plan::many(&exprs, &slots, &[x.slot()], &context().options()).unwrap();
    let whole = context()
        .tensor_from_bytes(DType::F32, [70, 70], &expected.bytes)
        .unwrap();
    let out = context().empty(DType::F32, [70, 70]).unwrap();
    let mut encoder = new_encoder(&context());
    context()
        .encode(&mut encoder, &plan, &[&whole, &y], &[&whole, &out])
        .unwrap();
    context().queue().submit([encoder.finish()]);
    let inputs = [expected, inputs[1].clone()];
    for (expr, found) in exprs.iter().zip([&whole, &out]) {
        let expected = reference::run(expr, &inputs).unwrap();
        assert_eq!(
            found.read_bytes_blocking().unwrap(),
            expected.bytes,
            "{expr:?}"
        );
    }
}

/// A random expression of inputs of these shapes' kinds, on the elements of a product.
struct Steps<'a> {
    random: &'a mut Random,
    dtype: DType,
    shape: Vec<usize>,
    inputs: Vec<HostTensor>,
}

impl Steps<'_> {
    fn expression(&mut self, product: &Expr<usize>, depth: usize) -> Expr<usize> {
        if depth == 0 {
            return match self.random.below(2) {
                0 => product.clone(),
                _ => self.input(),
            };
        }
        let a = self.expression(product, depth - 1);
        let b = match self.random.below(3) {
            0 => Expr::scalar(Scalar::of(self.dtype, self.random.below(4) as f64)),
            _ => self.expression(product, depth - 1),
        };
        match self.random.below(8) {
            0 => a.add(&b),
            1 => a.sub(&b),
            2 => a.mul(&b),
            3 => a.maximum(&b),
            4 => a.minimum(&b),
            5 => a.less(&b).select(&a, &b),
            6 => a.less(&b).cast(self.dtype),
            _ => a.add(&a).sub(&b),
        }
    }

    /// An input that is broadcast to the product and lies in any way.
    fn input(&mut self) -> Expr<usize> {
        if self.inputs.len() > 6 {
            return Expr::slot(self.inputs.len() - 1);
        }
        let axes = self.shape.len() - self.random.below(self.shape.len());
        let own = &self.shape[self.shape.len() - axes..];
        let extents: Vec<usize> = own
            .iter()
            .map(|&e| if self.random.below(3) == 0 { 1 } else { e })
            .collect();
        let (stored, way) = match self.random.below(4) {
            0 => (extents.iter().rev().copied().collect(), 0),
            1 => (extents.iter().map(|e| e + 1).collect(), 1),
            _ => (extents.clone(), 2),
        };
        let host = self.random.host(self.dtype, &stored, true);
        let behind_first = vec![Index::Range(Some(1), None, 1); extents.len()];
        self.inputs.push(match way {
            0 => transposed(host),
            1 => viewed(host, &View::Slice(behind_first)),
            _ => host,
        });
        Expr::slot(self.inputs.len() - 1)
    }
}

#[test]
fn random_steps_on_products_have_the_reference_s_bits() {
    let mut random = Random::new("random epilogues");
    let mut reports = Vec::new();
    let dtypes: Vec<DType> = types().collect();
    let shapes: [(&[usize], &[usize]); 6] = [
        (&[9, 5], &[5, 11]),
        (&[64, 33], &[33, 65]),
        (&[3, 20, 17], &[17, 30]),
        (&[2, 1, 6, 3], &[4, 3, 10]),
        (&[130, 4], &[4, 67]),
        (&[2, 50], &[50, 90]),
    ];
    let mut alone = 0;
    let cases = count(60, 400);
    for case in 0..cases {
        let dtype = *random.pick(&dtypes);
        let &(a, b) = random.pick(&shapes);
        let options = machine(&mut random);
        let inputs = [a, b].map(|shape| random.whole(dtype, shape));
        let product = Expr::slot(0).matmul(Expr::slot(1));
        let (rows, columns) = (a[a.len() - 2], b[b.len() - 1]);
        let mut shape = if a.len() >= b.len() {
            a.to_vec()
        } else {
            b.to_vec()
        };
        if a.len() == 4 {
            shape[1] = b[0];
        }
        let rank = shape.len();
        (shape[rank - 2], shape[rank - 1]) = (rows, columns);
        let mut steps = Steps {
            random: &mut random,
            dtype,
            shape,
            inputs: inputs.to_vec(),
        };
        let depth = 1 + steps.random.below(3);
        let expr = product.maximum(steps.expression(&product, depth));
        let inputs = steps.inputs;
        let expr = match random.below(3) {
            0 => expr.cast(*random.pick(&[
                DType::U8,
                DType::F16,
                DType::I16,
                DType::Bool,
                DType::I64,
            ])),
            _ => expr,
        };
        alone += usize::from(plan(&expr, &inputs).pass_count() == 1);
        let what = format!("{case}: {expr:?} of {dtype} {a:?} {b:?}");
        reports.push(check_with(&what, &expr, &inputs, 0.0, &options));
    }
    assert!(alone > cases * 3 / 4, "{alone} of {cases} are one pass");
    all(reports);
}
