//! Few things in their order. Each type that the standard library sorts is 4 KB of a browser's module.

/// Things in an order; those of which neither is before the other as they came.
pub(super) fn ordered<T>(
    things: impl IntoIterator<Item = T>,
    before: impl Fn(&T, &T) -> bool,
) -> Vec<T> {
    let mut found = Vec::new();
    for thing in things {
        let at = found.partition_point(|other| !before(&thing, other));
        found.insert(at, thing);
    }
    found
}
