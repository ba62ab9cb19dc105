//! The values of a quad, by name: storage bits and values of the compute class. Each is computed
//! from the other when it is first needed.

use std::collections::HashSet;

use super::barrier;
use super::key::KernelKey;
use super::tail::{LANES, bits_type, splat};
use super::template::{emit, substitute};
use crate::dtype::{Class, DType};
use crate::op::{Op, Operands, Types, cast_wgsl, wgsl_type};
use crate::plan::{Accuracy, Arg, Arithmetic, Step};

/// The named values of a quad: `{name}_bits` are storage bits, `{name}_words` the same as they lie
/// in words, `{name}` values of the compute class.
pub(super) struct Values<'a> {
    key: &'a KernelKey,
    have: HashSet<String>,
    /// The form of each step that is written by `fma`.
    fused: Vec<Option<&'static str>>,
}

impl<'a> Values<'a> {
    pub fn new(key: &'a KernelKey) -> Self {
        Self {
            key,
            have: HashSet::new(),
            fused: barrier::fused_forms(key),
        }
    }

    /// The parameter that gives the storage bits of a value.
    pub fn given(&mut self, arg: Arg) -> String {
        let name = Self::name(arg);
        self.have.insert(format!("{name}_bits"));
        format!("{name}_bits: {}", bits_type(self.dtype(arg)))
    }

    /// The storage bits of a number.
    pub fn scalar_bits(&mut self, arg: Arg) -> String {
        let Arg::Scalar(k) = arg else {
            return Self::name(arg);
        };
        let word = |n: usize| format!("scalars.rows[{}].{}", n / 4, LANES[n % 4]);
        let first = self.key.scalar_word(k);
        let number = self.key.scalars[k];
        let element = match number.size() {
            8 => format!("vec2<u32>({}, {})", word(first), word(first + 1)),
            _ => word(first),
        };
        splat(number, &element)
    }

    fn dtype(&self, arg: Arg) -> DType {
        self.key.dtype(arg)
    }

    fn name(arg: Arg) -> String {
        match arg {
            Arg::Input(i) => format!("x{i}"),
            Arg::Scalar(k) => format!("k{k}"),
            Arg::Step(j) => format!("s{j}"),
            Arg::Fold(k) => format!("f{k}"),
            Arg::Position => "position".into(),
        }
    }

    /// The storage bits of a value.
    pub fn bits(&mut self, arg: Arg, out: &mut String) -> String {
        let name = Self::name(arg);
        let bits = format!("{name}_bits");
        if self.have.insert(bits.clone()) {
            let made = match arg {
                Arg::Scalar(_) => self.scalar_bits(arg),
                _ if self.have.contains(&format!("{name}_words")) => {
                    format!("unpack_halves({name}_words)")
                }
                _ => encode(self.dtype(arg), &name),
            };
            emit! { out, bits, made; "    let {bits} = {made};" }
        }
        bits
    }

    /// The storage bits of a value as they lie in words, each element less than a word.
    pub fn words(&mut self, arg: Arg, out: &mut String) -> String {
        let words = format!("{}_words", Self::name(arg));
        match (self.have.contains(&words), self.key.per_word) {
            (true, _) => words,
            (false, 2) => format!("pack_halves({})", self.bits(arg, out)),
            (false, _) => format!("pack_bytes({})", self.bits(arg, out)),
        }
    }

    /// The value in its compute class.
    fn value(&mut self, arg: Arg, out: &mut String) -> String {
        let name = Self::name(arg);
        if !self.have.contains(&name) {
            let bits = self.bits(arg, out);
            emit! { out, name, value = decode(self.dtype(arg), &bits);
                "    let {name} = {value};"
            }
            self.have.insert(name.clone());
        }
        name
    }

    /// Whether halves are converted by the adapter's own instructions, which may change the bits
    /// of a NaN, and this step makes no use of those bits: it computes what a NaN makes a NaN, or
    /// compares.
    fn is_free_of_nan_bits(&self, step: &Step) -> bool {
        self.key.floats.halves
            && (step.op.facts().algebra.is_arithmetic() || step.op == Op::DIV || step.op.is_test())
    }

    /// The value of a half in its compute class; a NaN may have other bits.
    fn number(&mut self, arg: Arg, out: &mut String) -> String {
        let name = Self::name(arg);
        let is_half = self.key.floats.halves && self.dtype(arg) == DType::F16;
        if !is_half || self.have.contains(&name) {
            return self.value(arg, out);
        }
        let number = format!("{name}_number");
        if !self.have.contains(&number) {
            let bits = self.bits(arg, out);
            let value = decode_number(self.key.floats, DType::F16, &bits);
            emit! { out, number, value; "    let {number} = {value};" }
            self.have.insert(number.clone());
        }
        number
    }

    /// Adds the lines of a step.
    pub fn step(&mut self, j: usize, step: &Step, out: &mut String) {
        let name = format!("s{j}");
        if self.key.per_word > 1 && !self.key.in_parts() {
            return self.swar_step(&name, step, out);
        }
        match step.op.types() {
            Types::Cast => self.cast_step(j, &name, step, out),
            Types::BitCast => self.bit_cast_step(&name, step, out),
            _ => self.row_step(j, name, step, out),
        }
    }

    fn cast_step(&mut self, j: usize, name: &str, step: &Step, out: &mut String) {
        // Of a NaN integers and bools know no bits.
        let x = if step.dtype.is_float() {
            self.value(step.args[0], out)
        } else {
            self.number(step.args[0], out)
        };
        let mut made = substitute(cast_wgsl(step.operand, step.dtype), &["x"], &[x]);
        if barrier::is_float_of_integers(self.key, step) {
            made = barrier::opaque("opaque", step.dtype, &made);
        }
        // Integers make no NaN.
        let floats = Arithmetic {
            half_nans: self.key.floats.halves && !step.operand.is_float(),
            ..self.key.floats
        };
        self.keep(j, name, Some(floats), &made, out);
    }

    fn bit_cast_step(&mut self, name: &str, step: &Step, out: &mut String) {
        let mut bits = self.bits(step.args[0], out);
        if barrier::is_float_of_integers(self.key, step) {
            bits = barrier::opaque_bits(step.dtype, &bits);
        }
        emit! { out, name, bits; "    let {name}_bits = {bits};" }
        self.have.insert(format!("{name}_bits"));
    }

    /// A step of a row that has a form for each type.
    fn row_step(&mut self, j: usize, name: String, step: &Step, out: &mut String) {
        // A row has a form for every type it takes; the typed graph has checked the type.
        let Some(form) = step.op.form(step.operand) else {
            return;
        };
        let mut operands = self.operands(step, form.read, out);
        let fused = self.fused[j];
        let wgsl = match (fused, self.key.accuracy, form.fast) {
            (Some(fused), ..) => fused,
            (None, Accuracy::Fast, Some(fast)) => fast,
            _ => form.wgsl,
        };
        if fused.is_none()
            && barrier::operand_may_cancel(self.key, step)
            && let Some(last) = operands.last_mut()
        {
            *last = barrier::opaque("opaque_operand", step.operand, last);
        }
        let mut made = match form.read {
            Operands::Native => of_doubles(self.key.soft, wgsl, step.op, &operands),
            _ => substitute(wgsl, step.op.operands(), &operands),
        };
        if barrier::is_opaque(self.key, j, fused.is_some()) {
            made = barrier::opaque("opaque", step.dtype, &made);
        }
        let test = step.op.is_test();
        match form.read {
            Operands::Storage => {
                if step.dtype.size() == 8 {
                    made = by_words(step, wgsl, &operands);
                }
                emit! { out, name, made; "    let {name}_bits = {made};" }
                self.have.insert(format!("{name}_bits"));
            }
            Operands::FloatBits if !test => {
                emit! { out, name, made; "    let {name} = bitcast<vec4<f32>>({made});" }
                self.have.insert(name);
            }
            _ => {
                let floats = Arithmetic {
                    half_nans: self.key.floats.half_nans && self.is_free_of_nan_bits(step),
                    ..self.key.floats
                };
                let leaves_its_type = step.op.facts().renormalize;
                self.keep(j, &name, leaves_its_type.then_some(floats), &made, out);
            }
        }
    }

    /// The operands of a step, as its form reads them.
    fn operands(&mut self, step: &Step, read: Operands, out: &mut String) -> Vec<String> {
        let select = step.op.is_select();
        let mut operands = Vec::with_capacity(step.args.len());
        for (n, &arg) in step.args.iter().enumerate() {
            operands.push(match read {
                Operands::Storage if !(select && n == 0) => self.bits(arg, out),
                Operands::FloatBits => {
                    let x = if step.op.is_test() {
                        self.number(arg, out)
                    } else {
                        self.value(arg, out)
                    };
                    format!("bitcast<vec4<u32>>({x})")
                }
                Operands::Values if self.is_free_of_nan_bits(step) => self.number(arg, out),
                Operands::Storage | Operands::Values | Operands::Native => self.value(arg, out),
            });
        }
        operands
    }

    /// Adds the line of a step on whole words.
    fn swar_step(&mut self, name: &str, step: &Step, out: &mut String) {
        // The plan packs if every step has this form.
        let Some(wgsl) = step.op.form(step.operand).and_then(|form| form.packed) else {
            return;
        };
        let high = if self.key.per_word == 4 {
            "vec4<u32>(0x80808080u)"
        } else {
            "vec4<u32>(0x80008000u)"
        };
        let names: Vec<&str> = step.op.operands().iter().copied().chain(["HIGH"]).collect();
        let operands = step.args.iter().map(|&arg| self.bits(arg, out));
        let mut with: Vec<String> = operands.collect();
        with.push(high.to_owned());
        emit! { out, name, made = substitute(wgsl, &names, &with);
            "    let {name}_bits = {made};"
        }
        self.have.insert(format!("{name}_bits"));
    }

    /// The value of step `j`; one that may have left its type is taken through its storage bits, made
    /// with these ways of the adapter's.
    fn keep(
        &mut self,
        j: usize,
        name: &str,
        rounded: Option<Arithmetic>,
        made: &str,
        out: &mut String,
    ) {
        let dtype = self.key.steps[j].dtype;
        let class = wgsl_type(dtype.class());
        let narrow = dtype.size() < 4 && dtype.class() != Class::Bool;
        if let Some(floats) = rounded.filter(|_| narrow) {
            // What arithmetic made, if the adapter's own conversion gives a NaN the same bits.
            let (form, zero, mut made_of) = match dtype {
                DType::F16 if floats.half_nans => {
                    ("words", "vec2", format!("pack_f16_number({name}_wide)"))
                }
                _ => ("bits", "vec4", encode(dtype, &format!("{name}_wide"))),
            };
            if barrier::is_opaque_half(self.key, j) {
                made_of += &format!(" | {zero}<u32>(table.zero)");
            }
            emit! { out, name, class, made, form, made_of;
                "    let {name}_wide: {class} = {made};"
                "    let {name}_{form} = {made_of};"
            }
            self.have.insert(format!("{name}_{form}"));
        } else {
            emit! { out, name, class, made; "    let {name}: {class} = {made};" }
            self.have.insert(name.into());
        }
    }
}

/// A form on storage bits applied to the lower and to the upper words of 64-bit elements.
fn by_words(step: &Step, wgsl: &str, operands: &[String]) -> String {
    let select = step.op.is_select();
    let half = |part: &str| {
        let word = |(n, x): (usize, &String)| {
            if select && n == 0 {
                x.clone()
            } else {
                format!("{x}.{part}")
            }
        };
        let words: Vec<String> = operands.iter().enumerate().map(word).collect();
        substitute(wgsl, step.op.operands(), &words)
    };
    format!("Pair({}, {})", half("lo"), half("hi"))
}

/// A value of a type from storage bits.
pub(super) fn decode(dtype: DType, bits: &str) -> String {
    match dtype {
        DType::Bool => format!("{bits} != vec4<u32>(0u)"),
        DType::I8 => format!("bitcast<vec4<i32>>({bits} << vec4<u32>(24u)) >> vec4<u32>(24u)"),
        DType::I16 => format!("bitcast<vec4<i32>>({bits} << vec4<u32>(16u)) >> vec4<u32>(16u)"),
        DType::I32 => format!("bitcast<vec4<i32>>({bits})"),
        DType::F16 => format!("decode_f16({bits})"),
        DType::Bf16 => format!("bitcast<vec4<f32>>({bits} << vec4<u32>(16u))"),
        DType::F32 => format!("bitcast<vec4<f32>>({bits})"),
        DType::U8 | DType::U16 | DType::U32 | DType::U64 | DType::I64 | DType::F64 => bits.into(),
    }
}

/// Storage bits of a value: integers wrapped, halves rounded to nearest even.
pub(super) fn encode(dtype: DType, value: &str) -> String {
    match dtype {
        DType::Bool => format!("select(vec4<u32>(0u), vec4<u32>(1u), {value})"),
        DType::U8 => format!("{value} & vec4<u32>(0xffu)"),
        DType::U16 => format!("{value} & vec4<u32>(0xffffu)"),
        DType::I8 => format!("bitcast<vec4<u32>>({value}) & vec4<u32>(0xffu)"),
        DType::I16 => format!("bitcast<vec4<u32>>({value}) & vec4<u32>(0xffffu)"),
        DType::F16 => format!("encode_f16({value})"),
        DType::Bf16 => format!("encode_bf16({value})"),
        DType::I32 | DType::F32 => format!("bitcast<vec4<u32>>({value})"),
        DType::U32 | DType::U64 | DType::I64 | DType::F64 => value.into(),
    }
}

/// [`decode`] if the bits of a NaN do not matter: halves by the adapter's own conversion.
pub(super) fn decode_number(floats: Arithmetic, dtype: DType, bits: &str) -> String {
    match dtype {
        DType::F16 if floats.halves => format!("decode_f16_number({bits})"),
        _ => decode(dtype, bits),
    }
}

/// [`encode`] of what arithmetic made: halves by the adapter's own conversion if that gives a NaN
/// the same bits.
pub(super) fn encode_number(floats: Arithmetic, dtype: DType, value: &str) -> String {
    match dtype {
        DType::F16 if floats.half_nans => format!("encode_f16_number({value})"),
        _ => encode(dtype, value),
    }
}

/// What an operator's form of doubles makes of pairs of words. By integers a function takes pairs as they are.
pub(super) fn of_doubles(soft: bool, wgsl: &str, op: Op, operands: &[String]) -> String {
    if soft {
        return substitute(wgsl, op.operands(), operands);
    }
    let native = operands.iter().map(|x| format!("native_f64({x})"));
    let made = substitute(wgsl, op.operands(), &native.collect::<Vec<_>>());
    match op.is_test() {
        true => made,
        false => format!("pair_f64({made})"),
    }
}
