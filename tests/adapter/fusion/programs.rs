//! Expressions of two and three steps, as data.

use zerostride::{DType, Expr, Op};

/// What a step computes. A cast to another type and back is one step here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    Minimum,
    Maximum,
    Neg,
    Abs,
    Sqrt,
    Exp,
    Half,
    Integer,
    Bits,
    Clip,
    Where,
}

pub const FORMS: [Form; 16] = [
    Form::Add,
    Form::Sub,
    Form::Mul,
    Form::Div,
    Form::Mod,
    Form::Minimum,
    Form::Maximum,
    Form::Neg,
    Form::Abs,
    Form::Sqrt,
    Form::Exp,
    Form::Half,
    Form::Integer,
    Form::Bits,
    Form::Clip,
    Form::Where,
];

impl Form {
    /// Whether the step is a sum, a difference, a product or a quotient.
    pub fn is_arithmetic(self) -> bool {
        matches!(self, Self::Add | Self::Sub | Self::Mul | Self::Div)
    }

    /// Operands that are data; a selection has its condition beside them.
    pub fn operands(self) -> usize {
        match self {
            Self::Neg
            | Self::Abs
            | Self::Sqrt
            | Self::Exp
            | Self::Half
            | Self::Integer
            | Self::Bits => 1,
            Self::Clip => 3,
            _ => 2,
        }
    }

    /// The value of the step, made by `apply`: an operator, its operands, and the type that a cast
    /// is to.
    pub fn value<V: Clone>(
        self,
        dtype: DType,
        condition: &V,
        args: &[V],
        apply: &impl Fn(Op, &[V], Option<DType>) -> V,
    ) -> V {
        let op = |op: Op| apply(op, args, None);
        let cast = |x: &V, to: DType| apply(Op::CAST, std::slice::from_ref(x), Some(to));
        match self {
            Self::Add => op(Op::ADD),
            Self::Sub => op(Op::SUB),
            Self::Mul => op(Op::MUL),
            Self::Div => op(Op::DIV),
            Self::Mod => op(Op::MOD),
            Self::Minimum => op(Op::MINIMUM),
            Self::Maximum => op(Op::MAXIMUM),
            Self::Neg => op(Op::NEG),
            Self::Abs => op(Op::ABS),
            Self::Sqrt => op(Op::SQRT),
            Self::Exp => op(Op::EXP),
            Self::Half => cast(
                &cast(
                    &args[0],
                    if dtype == DType::F16 {
                        DType::Bf16
                    } else {
                        DType::F16
                    },
                ),
                dtype,
            ),
            Self::Integer => cast(&cast(&args[0], DType::I32), dtype),
            // Times a zero that a compiler knows for one: integers' exclusive or with themselves,
            // its bits taken for a float's.
            Self::Bits => {
                let words = cast(&args[0], words_of(dtype));
                let zero = apply(Op::BIT_XOR, &[words.clone(), words], None);
                let zero = apply(Op::BIT_CAST, &[zero], Some(dtype));
                apply(Op::MUL, &[args[0].clone(), zero], None)
            }
            Self::Clip => op(Op::CLIP),
            Self::Where => apply(
                Op::WHERE,
                &[condition.clone(), args[0].clone(), args[1].clone()],
                None,
            ),
        }
    }
}

/// The integers of a float's size.
fn words_of(dtype: DType) -> DType {
    match dtype.size() {
        2 => DType::I16,
        4 => DType::I32,
        _ => DType::I64,
    }
}

/// An operand of a step: 0 and 1 are the inputs, then the values of the steps before.
pub type Arg = usize;

/// Steps, each with its operands.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Program(pub Vec<(Form, Vec<Arg>)>);

impl Program {
    pub fn last(&self) -> Form {
        self.0[self.0.len() - 1].0
    }

    /// Whether a step is of this form.
    pub fn has(&self, form: Form) -> bool {
        self.0.iter().any(|(f, _)| *f == form)
    }

    /// Whether the last step's operands are either all computed, or one of them is an input that
    /// the other is computed of.
    pub fn is_even(&self) -> bool {
        let (_, args) = &self.0[self.0.len() - 1];
        let inputs = |arg: Arg| self.inputs(arg);
        args.iter().all(|&a| a >= 2) || args.windows(2).all(|w| inputs(w[0]) == inputs(w[1]))
    }

    /// The inputs that a value is computed of, a bit each.
    fn inputs(&self, arg: Arg) -> u8 {
        match arg.checked_sub(2) {
            None => 1 << arg,
            Some(step) => self.0[step]
                .1
                .iter()
                .fold(0, |all, &a| all | self.inputs(a)),
        }
    }

    /// The expression.
    pub fn expr(
        &self,
        dtype: DType,
        condition: &Expr<usize>,
        inputs: [Expr<usize>; 2],
    ) -> Expr<usize> {
        let mut values: Vec<Expr<usize>> = inputs.to_vec();
        for (form, args) in &self.0 {
            let args: Vec<_> = args.iter().map(|&a| values[a].clone()).collect();
            values.push(form.value(dtype, condition, &args, &fused));
        }
        values.swap_remove(values.len() - 1)
    }
}

/// An operator as a step of an expression.
pub fn fused(op: Op, args: &[Expr<usize>], to: Option<DType>) -> Expr<usize> {
    match to {
        Some(to) if op == Op::CAST => args[0].cast(to),
        Some(to) => args[0].bit_cast(to),
        None => Expr::step(op, args.to_vec()),
    }
}

impl std::fmt::Display for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut names = vec!["x".to_owned(), "y".to_owned()];
        for (form, args) in &self.0 {
            let args: Vec<_> = args.iter().map(|&a| names[a].clone()).collect();
            names.push(format!("{form:?}({})", args.join(", ")));
        }
        f.write_str(&names[names.len() - 1])
    }
}

/// All lists of operands below `values` for a step.
fn arguments(form: Form, values: usize) -> Vec<Vec<Arg>> {
    (0..form.operands()).fold(vec![Vec::new()], |lists, _| {
        lists
            .iter()
            .flat_map(|list| (0..values).map(|a| [list.as_slice(), &[a]].concat()))
            .collect()
    })
}

/// All programs of some steps in which every step's value is used by a later one. Of two that
/// differ by the names of the inputs one is there; a clip's upper bound is an input.
fn all(steps: usize) -> Vec<Program> {
    let mut programs = vec![Program(Vec::new())];
    for step in 0..steps {
        let longer = |p: &Program| -> Vec<Program> {
            let values = 2 + step;
            let with = |form: Form| {
                let lists = arguments(form, values);
                lists
                    .into_iter()
                    .filter(move |list| form != Form::Clip || list[2] == 1)
                    .map(move |list| (form, list))
            };
            let append = |step| Program([p.0.as_slice(), &[step]].concat());
            FORMS.into_iter().flat_map(with).map(append).collect()
        };
        programs = programs.iter().flat_map(longer).collect();
    }
    programs.retain(|p| {
        let used = |step: usize| {
            p.0[step + 1..]
                .iter()
                .any(|(_, args)| args.contains(&(step + 2)))
        };
        let first = p.0.iter().flat_map(|(_, args)| args).find(|&&a| a < 2);
        let has_clip = p.has(Form::Clip);
        (0..steps - 1).all(used) && (has_clip || first == Some(&0))
    });
    programs
}

pub fn all_of_two() -> Vec<Program> {
    all(2)
}

pub fn all_of_three() -> Vec<Program> {
    all(3)
}
