//! What promotion makes of literals, types and operators.

use super::*;

fn result(expr: &Expr<DType>, promotion: Promotion) -> DType {
    let promoted = expr.promoted(promotion, |d| Ok(*d)).unwrap();
    match promoted.kind() {
        Kind::Step { to: Some(to), .. } => *to,
        Kind::Step { op, .. } if op.is_test() => DType::Bool,
        Kind::Step { .. } => result(promoted.args().last().unwrap(), promotion),
        Kind::Leaf => *promoted.as_leaf().unwrap(),
        Kind::Scalar(x) => x.dtype,
        other => panic!("{}", matches!(other, Kind::View(_))),
    }
}

#[test]
fn literals_are_weak() {
    let x = Expr::leaf(DType::U8);
    assert_eq!(result(&(&x + 1), Promotion::F32), DType::U8);
    assert_eq!(result(&(&x + 1.5), Promotion::F32), DType::F32);
    let h = Expr::leaf(DType::F16);
    assert_eq!(result(&(&h * 2.5), Promotion::F32), DType::F16);
    assert!((&x + 300).promoted(Promotion::F32, |d| Ok(*d)).is_err());
}

#[test]
fn a_number_beyond_the_type_compares_as_numpy_has_it() {
    let run = |op: Op, args: [Expr<usize>; 2]| {
        let x = crate::host::HostTensor::new(DType::U8, [2], vec![0, 255]).unwrap();
        crate::reference::run(&Expr::promoting(op, args), &[x])
            .unwrap()
            .bytes
    };
    let x = || Expr::slot(0);
    assert_eq!(run(Op::LESS, [x(), Expr::literal(300)]), [1, 1]);
    assert_eq!(run(Op::LESS, [Expr::literal(300), x()]), [0, 0]);
    assert_eq!(run(Op::GREATER, [x(), Expr::literal(-1)]), [1, 1]);
    assert_eq!(run(Op::EQUAL, [x(), Expr::literal(-1)]), [0, 0]);
    assert_eq!(run(Op::NOT_EQUAL, [Expr::literal(256), x()]), [1, 1]);
}

#[test]
fn whole_numbers_alone_are_i64() {
    let b = Expr::leaf(DType::Bool);
    let chosen = Expr::promoting(Op::WHERE, [b.clone(), Expr::literal(1), Expr::literal(0)]);
    assert_eq!(result(&chosen, Promotion::F32), DType::I64);
    assert_eq!(result(&(&b + 1), Promotion::F32), DType::I64);
}

#[test]
fn true_division_and_functions_of_integers_are_f32() {
    let x = Expr::leaf(DType::I32);
    assert_eq!(result(&(&x / 2), Promotion::F32), DType::F32);
    assert_eq!(
        result(&Expr::promoting(Op::EXP, [x.clone()]), Promotion::F32),
        DType::F32
    );
    assert_eq!(
        result(&Expr::promoting(Op::FLOOR, [x.clone()]), Promotion::F32),
        DType::I32
    );
    assert_eq!(
        result(
            &Expr::promoting(Op::FLOOR_DIV, [x.clone(), Expr::from(2)]),
            Promotion::F32
        ),
        DType::I32
    );
}

#[test]
fn numbers_alone_are_folded_as_python_does() {
    let two = || Expr::<DType>::literal(2);
    let x = Expr::promoting(Op::POW, [two(), Expr::literal(10)]) * Expr::leaf(DType::I32);
    assert_eq!(result(&x, Promotion::F32), DType::I32);
    // Alone they have the types that Python's have.
    assert_eq!(result(&(two() + 1), Promotion::F32), DType::I64);
    assert_eq!(result(&(two() + 1.5), Promotion::F32), DType::F64);
    let equal = Expr::promoting(Op::EQUAL, [two(), two()]);
    assert_eq!(result(&equal, Promotion::F32), DType::Bool);
}

#[test]
fn steps_take_types_as_they_are_and_methods_promote() {
    let (a, b) = (Expr::leaf(DType::I32), Expr::leaf(DType::F32));
    assert!(matches!(
        Expr::step(Op::ADD, [a.clone(), b.clone()]).promoted(Promotion::F32, |d| Ok(*d)),
        Err(Error::MixedDTypes { .. })
    ));
    assert_eq!(result(&a.add(&b), Promotion::F32), DType::F32);
    assert_eq!(result(&a.div(&a), Promotion::F32), DType::F32);
    assert!(
        a.add(Expr::literal(3))
            .promoted(Promotion::F32, |d| Ok(*d))
            .is_ok()
    );
}
