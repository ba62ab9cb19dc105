//! Scans.

use super::*;
use crate::expr::{Along, Scan};

/// Every way along an axis.
fn ways(axis: isize) -> [Along; 4] {
    let along = Along::axis(axis);
    let reversed = along.reverse();
    [along, along.exclusive(), reversed, reversed.exclusive()]
}

#[test]
fn scans_have_the_slopes_of_their_finite_differences() {
    let mut all = Vec::new();
    let inputs = [some_of([2, 5, 3])];
    for scan in [Scan::Sum, Scan::Prod] {
        for along in (-1..2).flat_map(ways).chain([Along::ALL]) {
            let expr = Expr::slot(0).scan(scan, along);
            all.extend(faults(&format!("{} {along}", scan.name()), &expr, &inputs));
        }
    }
    none(all);
}

#[test]
fn the_gradient_of_a_cumulative_sum_is_the_reversed_sum_of_gradients() {
    let [x, g] = [0, 1].map(Expr::slot);
    let inputs = [some_of([4, 70]), some_of([4, 70])];
    for along in ways(1) {
        let gradient = &x.cumsum(along).pullback(&g, std::slice::from_ref(&x))[0];
        let wanted = g.cumsum(along.turned());
        let [found, wanted] = [gradient, &wanted].map(|e| run(e, &inputs).unwrap());
        assert_eq!(found, wanted, "{along}");
    }
}

/// The gradient of the sum of all products.
fn slopes(along: Along, x: &[f64]) -> Vec<f64> {
    let gradient = &Expr::slot(0).cumprod(along).gradient(&[Expr::slot(0)])[0];
    values(&run(gradient, &[f64s([x.len()], x)]).unwrap())
}

#[test]
fn cumulative_products_with_zeros_have_the_products_of_the_others() {
    let along = Along::axis(0);
    // What each element is a factor of, without it, added.
    let by_definition = |x: &[f64], along: Along| -> Vec<f64> {
        let n = x.len();
        let counts = |k: usize, i: usize| match along {
            _ if along == Along::axis(0) => i <= k,
            _ if along == Along::axis(0).exclusive() => i < k,
            _ => i >= k,
        };
        let product = |k: usize, without: usize| -> f64 {
            let factors = (0..n).filter(|&i| counts(k, i) && i != without);
            factors.map(|i| x[i]).product()
        };
        let slope = |i: usize| {
            (0..n)
                .filter(|&k| counts(k, i))
                .map(|k| product(k, i))
                .sum()
        };
        (0..n).map(slope).collect()
    };
    for x in [
        &[2.0, 0.0, 4.0, 0.5][..],
        &[0.0, 3.0, 4.0],
        &[2.0, 3.0, 0.0],
        &[2.0, 0.0, 3.0, -0.0, 5.0],
        &[0.0],
        &[1.0, 2.0, 4.0],
    ] {
        for along in [along, along.exclusive(), along.reverse()] {
            assert_eq!(slopes(along, x), by_definition(x, along), "{x:?} {along}");
        }
    }
}

#[test]
fn gradients_of_scans_may_be_differentiated_again() {
    let x = Expr::slot(0);
    let [sums, products] = [Scan::Sum, Scan::Prod].map(|scan| x.mul(&x).scan(scan, 0));
    let mut all = Vec::new();
    for (name, expr) in [("sums", sums), ("products", products)] {
        let gradient = &expr.gradient(std::slice::from_ref(&x))[0];
        all.extend(faults(
            name,
            gradient,
            &[f64s([4], &[0.5, -1.5, 2.0, 0.75])],
        ));
    }
    none(all);
}

#[test]
fn scans_of_halves_and_nothing_give_gradients_of_their_operands() {
    let x = HostTensor::new(DType::F16, [2], vec![0, 0x3c, 0, 0x40]).unwrap();
    for scan in [Scan::Sum, Scan::Prod] {
        let gradient = |x: &HostTensor| {
            let expr = Expr::slot(0).scan(scan, 0);
            run(&expr.gradient(&[Expr::slot(0)])[0], std::slice::from_ref(x)).unwrap()
        };
        assert_eq!(gradient(&x).dtype, DType::F16);
        assert_eq!(shape(&gradient(&some_of([0, 2]))), [0, 2]);
    }
}
