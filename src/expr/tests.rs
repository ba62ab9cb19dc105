use super::*;

#[test]
fn a_chain_of_a_million_steps_is_built_and_dropped() {
    let mut x = Expr::slot(0);
    for _ in 0..1_000_000 {
        x = Expr::step(Op::NEG, [x]);
    }
    assert_eq!(Expr::post_order(&[x]).len(), 1_000_001);
}

#[test]
fn shared_nodes_are_visited_once() {
    let mut r = Expr::slot(0);
    for _ in 0..64 {
        r = Expr::step(Op::MUL, [r.clone(), r]);
    }
    assert_eq!(Expr::post_order(&[r]).len(), 65);
}

#[test]
fn numbers_stand_first() {
    let x = || Expr::<usize>::slot(0);
    for (found, wanted) in [
        (2 * x(), Op::MUL),
        (1 - &x(), Op::SUB),
        (0.5 / x(), Op::DIV),
        (1 << x(), Op::SHL),
    ] {
        let number = found.args()[0].kind();
        let step = matches!(found.kind(), Kind::Step { op, .. } if *op == wanted);
        assert!(step && matches!(number, Kind::Literal(_)), "{wanted}");
    }
    // The type of a literal is known, so that methods may follow.
    let _ = (1.0 - x()).exp().add((2 - x()).abs());
}
