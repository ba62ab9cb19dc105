//! Advice on names that the language does not know.

use std::sync::OnceLock;

/// Advice on names that the language does not know, such as those of other libraries. Each sentence
/// follows the error's own: `; write x[::-1]`.
#[derive(Clone, Copy, Debug)]
pub struct Advice {
    /// For a function or an attribute.
    pub instead: fn(&str) -> Option<String>,
    /// For a module of NumPy, without the semicolon.
    pub module: fn(&str) -> Option<&'static str>,
    /// For a method of a function: `add` and `reduce` for `np.add.reduce`.
    pub method_of: fn(&str, &str) -> Option<String>,
}

static ADVICE: OnceLock<Advice> = OnceLock::new();

/// Adds advice on names that the language does not know to the errors of this process. Only the
/// first call counts.
pub fn advise(advice: Advice) {
    let _given = ADVICE.set(advice);
}

fn given() -> Option<&'static Advice> {
    // That of the command.
    #[cfg(test)]
    advise(Advice {
        instead: zerostride_advice::instead,
        module: zerostride_advice::module,
        method_of: zerostride_advice::method_of,
    });
    ADVICE.get()
}

pub(super) fn instead(name: &str) -> Option<String> {
    given().and_then(|advice| (advice.instead)(name))
}

pub(super) fn module(name: &str) -> Option<&'static str> {
    given().and_then(|advice| (advice.module)(name))
}

pub(super) fn method_of(function: &str, method: &str) -> Option<String> {
    given().and_then(|advice| (advice.method_of)(function, method))
}
