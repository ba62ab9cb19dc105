//! What a person who knows NumPy types, on the reference.

use zerostride::reference;

use crate::numpy_habits;

#[test]
fn what_a_numpy_person_types_is_numpy_on_the_reference() {
    let without_f64 = numpy_habits::check("reference", &numpy_habits::habits(), reference::run);
    assert_eq!(without_f64, 0, "the reference has 64-bit floats");
}
