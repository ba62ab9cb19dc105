//! The spellings of rules in the expression language and on command lines.

use super::Rule;

/// The spellings of the rules that need no shape, in any case of letters.
const SPELLINGS: [(&str, Rule); 5] = [
    ("none", Rule::None),
    ("numpy", Rule::Numpy),
    ("uni", Rule::Unidirectional),
    ("pdpd", Rule::Pdpd { axis: -1 }),
    ("unidirectional", Rule::Unidirectional),
];

impl Rule {
    /// The rule of this spelling: `none`, `numpy`, `unidirectional` or `uni`, `pdpd` (with axis
    /// -1), in any case of letters. The other rules need shapes and have no spelling.
    ///
    /// ```
    /// use zerostride::Rule;
    ///
    /// assert_eq!(Rule::spelled("PDPD"), Some(Rule::Pdpd { axis: -1 }));
    /// assert_eq!(Rule::spelled("right"), None);
    /// ```
    pub fn spelled(text: &str) -> Option<Self> {
        let is = |(spelling, _): &&(&str, Self)| spelling.eq_ignore_ascii_case(text);
        SPELLINGS.iter().find(is).map(|(_, rule)| rule.clone())
    }

    /// The spellings that [`spelled`](Self::spelled) accepts.
    pub fn spellings() -> Vec<&'static str> {
        SPELLINGS.iter().map(|(text, _)| *text).collect()
    }
}
