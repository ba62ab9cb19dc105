// Made by scripts/make_soft_functions.py of the functions in double_*.wgsl, which say what they compute.

fn soft_reciprocal(x: vec2<u32>) -> vec2<u32> {
    return soft_div(vec2<u32>(0x0u, 0x3ff00000u), x);
}

fn soft_leaky(x: vec2<u32>, slope: vec2<u32>) -> vec2<u32> {
    return select(x, soft_mul(slope, x), soft_less(x, vec2<u32>(0x0u, 0x0u)));
}

fn soft_elu(x: vec2<u32>, alpha: vec2<u32>) -> vec2<u32> {
    return select(x, soft_mul(alpha, soft_expm1(x)), soft_less(x, vec2<u32>(0x0u, 0x0u)));
}

fn soft_selu(x: vec2<u32>, alpha: vec2<u32>, gamma: vec2<u32>) -> vec2<u32> {
    return soft_mul(gamma, soft_elu(x, alpha));
}

fn soft_celu(x: vec2<u32>, alpha: vec2<u32>) -> vec2<u32> {
    return select(x, soft_mul(alpha, soft_expm1(soft_div(x, alpha))), soft_less(x, vec2<u32>(0x0u, 0x0u)));
}

fn soft_silu(x: vec2<u32>, alpha: vec2<u32>) -> vec2<u32> {
    return soft_swish(x, soft_mul(alpha, x));
}

fn soft_hard_sigmoid(x: vec2<u32>, alpha: vec2<u32>, beta: vec2<u32>) -> vec2<u32> {
    let v = soft_add(soft_mul(alpha, x), beta);
    let low = select(v, vec2<u32>(0x0u, 0x0u), soft_less(v, vec2<u32>(0x0u, 0x0u)));
    return select(low, vec2<u32>(0x0u, 0x3ff00000u), soft_less(vec2<u32>(0x0u, 0x3ff00000u), low));
}

fn soft_threshold(x: vec2<u32>, alpha: vec2<u32>) -> vec2<u32> {
    return select(vec2<u32>(0x0u, 0x0u), x, (soft_less(alpha, x) | soft_is_nan(x)));
}

fn soft_trunc(x: vec2<u32>) -> vec2<u32> {
    return soft_copy_sign(soft_floor(soft_magnitude(x)), x);
}

fn soft_round(x: vec2<u32>) -> vec2<u32> {
    let ax = soft_magnitude(x);
    let f = soft_floor(ax);
    let d = soft_sub(ax, f);
    let half = vec2<u32>(0x0u, 0x3fe00000u);
    let odd = soft_less(soft_floor(soft_mul(f, vec2<u32>(0x0u, 0x3fe00000u))), soft_mul(f, vec2<u32>(0x0u, 0x3fe00000u)));
    let up = (soft_less(half, d) | (soft_equal(d, half) & odd));
    return soft_copy_sign(soft_add(f, select(vec2<u32>(0x0u, 0x0u), vec2<u32>(0x0u, 0x3ff00000u), up)), x);
}

fn soft_round_away(x: vec2<u32>) -> vec2<u32> {
    let ax = soft_magnitude(x);
    let f = soft_floor(ax);
    let up = soft_less_equal(vec2<u32>(0x0u, 0x3fe00000u), soft_sub(ax, f));
    return soft_copy_sign(soft_add(f, select(vec2<u32>(0x0u, 0x0u), vec2<u32>(0x0u, 0x3ff00000u), up)), x);
}

struct SoftTaken {
    m: vec2<u32>,
    e: vec2<u32>,
}

fn soft_take_apart(u: vec2<u32>) -> SoftTaken {
    let leading = vec2<u32>(0x0u, 0x100000u);
    let tiny = whole_less(u, leading);
    let v = select(u, soft_from_whole(u), tiny);
    let e = (bitcast<i32>((whole_shr(v, 52u)).x) - select(0, 1074, tiny));
    return SoftTaken(((v & vec2<u32>(0xffffffffu, 0xfffffu)) | leading), soft_from_i32(e));
}

fn soft_fmod(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let ua = soft_magnitude(a);
    let ub = soft_magnitude(b);
    let inf = vec2<u32>(0x0u, 0x7ff00000u);
    let none = vec2<u32>(0x0u, 0x0u);
    let bad = ((!whole_less(ua, inf) | whole_less(inf, ub)) | whole_equal(ub, none));
    let less = whole_less(ua, ub);
    let sa = soft_take_apart(ua);
    let sb = soft_take_apart(ub);
    let inverse = soft_div(vec2<u32>(0x0u, 0x3ff00000u), soft_from_whole(sb.m));
    var r = whole_sub(sa.m, select(none, sb.m, !whole_less(sa.m, sb.m)));
    var d = select(soft_max(soft_sub(sa.e, sb.e), vec2<u32>(0x0u, 0x0u)), vec2<u32>(0x0u, 0x0u), (bad | less));
    for (var i = 0u; i < 43u; i++) {
        if soft_less_equal(d, vec2<u32>(0x0u, 0x0u)) {
            break;
        }
        let k = soft_min(d, vec2<u32>(0x0u, 0x40488000u));
        let shifted = soft_mul(soft_from_whole(r), soft_power2(k));
        let q = whole_sub(soft_add(soft_mul(shifted, inverse), vec2<u32>(0x0u, 0x43300000u)), vec2<u32>(0x0u, 0x43300000u));
        let rest = whole_sub(whole_shl(r, soft_to_u32(k)), whole_mul(q, sb.m));
        r = whole_add(rest, select(none, sb.m, !whole_less(rest, vec2<u32>(0x0u, 0x80000000u))));
        d = soft_sub(d, k);
    }
    let found = soft_scale_down(soft_from_whole(r), soft_sub(sb.e, vec2<u32>(0x0u, 0x4090cc00u)));
    let bits = (select(found, ua, less) | (a ^ ua));
    return select(bits, vec2<u32>(0x0u, 0x7ff80000u), bad);
}

fn soft_signs_differ(r: vec2<u32>, b: vec2<u32>) -> bool {
    let other = !whole_less((r ^ b), vec2<u32>(0x0u, 0x80000000u));
    return (other & whole_less(whole_sub(soft_magnitude(r), vec2<u32>(0x1u, 0x0u)), vec2<u32>(0x0u, 0x7ff00000u)));
}

fn soft_floor_mod(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let r = soft_fmod(a, b);
    let zero = (b & vec2<u32>(0x0u, 0x80000000u));
    return select(select(r, soft_add(r, b), soft_signs_differ(r, b)), zero, whole_equal(soft_magnitude(r), vec2<u32>(0x0u, 0x0u)));
}

fn soft_floor_div(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let r = soft_fmod(a, b);
    let one = vec2<u32>(0x0u, 0x3ff00000u);
    let none = vec2<u32>(0x0u, 0x0u);
    let q = soft_sub(soft_div(soft_sub(a, r), b), select(none, one, soft_signs_differ(r, b)));
    let f = soft_floor(q);
    let whole = soft_add(f, select(none, one, soft_less(vec2<u32>(0x0u, 0x3fe00000u), soft_sub(q, f))));
    let sign = ((a ^ b) & vec2<u32>(0x0u, 0x80000000u));
    let v = select(whole, sign, whole_equal(soft_magnitude(whole), vec2<u32>(0x0u, 0x0u)));
    return select(select(v, r, soft_is_nan(r)), soft_div(a, b), whole_equal(soft_magnitude(b), vec2<u32>(0x0u, 0x0u)));
}

struct SoftPair {
    h: vec2<u32>,
    l: vec2<u32>,
}

fn soft_high(x: vec2<u32>) -> vec2<u32> {
    return (x & vec2<u32>(0xf8000000u, 0xffffffffu));
}

fn soft_power2(n: vec2<u32>) -> vec2<u32> {
    return whole_add(soft_exponent(n), vec2<u32>(0x0u, 0x3ff00000u));
}

fn soft_scale(y: vec2<u32>, n: vec2<u32>) -> vec2<u32> {
    let k = soft_floor(soft_mul(n, vec2<u32>(0x0u, 0x3fe00000u)));
    return soft_mul(whole_add(y, soft_exponent(soft_sub(n, k))), soft_power2(k));
}

fn soft_scale_down(v: vec2<u32>, n: vec2<u32>) -> vec2<u32> {
    let k = soft_floor(soft_mul(n, vec2<u32>(0x0u, 0x3fe00000u)));
    return soft_mul(soft_mul(v, soft_power2(k)), soft_power2(soft_sub(n, k)));
}

const SOFT_1 = array<vec2<u32>, 7>(vec2<u32>(0x3e29164fu, 0x3ec71defu), vec2<u32>(0x88d8ddd1u, 0x3efa0199u), vec2<u32>(0x13d5a939u, 0x3f2a01a0u), vec2<u32>(0x184b4fd7u, 0x3f56c16cu), vec2<u32>(0x11124d2eu, 0x3f811111u), vec2<u32>(0x55550608u, 0x3fa55555u), vec2<u32>(0x55555503u, 0x3fc55555u));
fn soft_exp_poly(r: vec2<u32>) -> vec2<u32> {
    var p = soft_add(soft_mul(r, vec2<u32>(0xf2956e1cu, 0x3e5add87u)), vec2<u32>(0xae5edff4u, 0x3e928aedu));
    var terms1 = SOFT_1;
    for (var i = 0u; i < 7u; i++) {
        p = soft_add(soft_mul(p, r), terms1[i]);
    }
    return soft_add(soft_mul(p, r), vec2<u32>(0xau, 0x3fe00000u));
}

fn soft_exp_parts(a: vec2<u32>, b: vec2<u32>) -> SoftPair {
    let n = soft_floor(soft_add(soft_mul(soft_add(a, b), vec2<u32>(0x652b82feu, 0x3ff71547u)), vec2<u32>(0x0u, 0x3fe00000u)));
    let r = soft_add(soft_sub(a, soft_mul(n, vec2<u32>(0xfefa0000u, 0x3fe62e42u))), soft_sub(b, soft_mul(n, vec2<u32>(0xbc9e3b3au, 0x3d7cf79au))));
    return SoftPair(soft_add(soft_add(r, soft_mul(soft_mul(r, r), soft_exp_poly(r))), vec2<u32>(0x0u, 0x3ff00000u)), n);
}

fn soft_exp_clamped(x: vec2<u32>) -> vec2<u32> {
    let e = soft_exp_parts(soft_min(soft_max(x, vec2<u32>(0x0u, 0xc0875000u)), vec2<u32>(0x0u, 0x40863000u)), vec2<u32>(0x0u, 0x0u));
    return soft_scale(e.h, e.l);
}

fn soft_exp(x: vec2<u32>) -> vec2<u32> {
    return select(soft_exp_clamped(x), x, soft_is_nan(x));
}

fn soft_exp2(x: vec2<u32>) -> vec2<u32> {
    let c = soft_min(soft_max(x, vec2<u32>(0x0u, 0xc090d000u)), vec2<u32>(0x0u, 0x40900400u));
    let n = soft_floor(soft_add(c, vec2<u32>(0x0u, 0x3fe00000u)));
    let f = soft_sub(c, n);
    let r = soft_mul(f, vec2<u32>(0xfefa39efu, 0x3fe62e42u));
    let t = soft_add(r, soft_add(soft_mul(soft_mul(r, r), soft_exp_poly(r)), soft_mul(f, vec2<u32>(0x3b39803fu, 0x3c7abc9eu))));
    return select(soft_scale(soft_add(t, vec2<u32>(0x0u, 0x3ff00000u)), n), x, soft_is_nan(x));
}

fn soft_expm1(x: vec2<u32>) -> vec2<u32> {
    let c = soft_min(soft_max(x, vec2<u32>(0x0u, 0xc0440000u)), vec2<u32>(0x0u, 0x40863000u));
    let n = soft_floor(soft_add(soft_mul(c, vec2<u32>(0x652b82feu, 0x3ff71547u)), vec2<u32>(0x0u, 0x3fe00000u)));
    let a = soft_sub(c, soft_mul(n, vec2<u32>(0xfefa0000u, 0x3fe62e42u)));
    let b = soft_mul(n, vec2<u32>(0xbc9e3b3au, 0x3d7cf79au));
    let r = soft_sub(a, b);
    let rl = soft_sub(soft_sub(a, r), b);
    let q = soft_add(soft_mul(soft_mul(r, r), soft_exp_poly(r)), rl);
    let u = soft_power2(soft_sub(n, vec2<u32>(0x0u, 0x3ff00000u)));
    let v = soft_add(soft_add(soft_sub(u, vec2<u32>(0x0u, 0x3fe00000u)), soft_mul(u, r)), soft_mul(u, q));
    let keep = (soft_is_nan(x) | whole_less(soft_magnitude(x), vec2<u32>(0x0u, 0x3c900000u)));
    return select(soft_add(v, v), x, keep);
}

fn soft_log_split(x: vec2<u32>) -> SoftPair {
    let u = x;
    let tiny = whole_less(u, vec2<u32>(0x0u, 0x100000u));
    let whole = soft_sub((u | vec2<u32>(0x0u, 0x43300000u)), vec2<u32>(0x0u, 0x43300000u));
    let w = whole_sub(select(u, whole, tiny), vec2<u32>(0x667f3bcdu, 0x3fe6a09eu));
    let k = (bitcast<i32>((whole_shr_signed(w, 52u)).x) - select(0, 1074, tiny));
    let m = whole_add((w & vec2<u32>(0xffffffffu, 0xfffffu)), vec2<u32>(0x667f3bcdu, 0x3fe6a09eu));
    return SoftPair(m, soft_from_i32(k));
}

fn soft_log_special(x: vec2<u32>, r: vec2<u32>) -> vec2<u32> {
    let u = x;
    var s = select(vec2<u32>(0x0u, 0x7ff80000u), u, whole_equal(u, vec2<u32>(0x0u, 0x7ff00000u)));
    s = select(s, vec2<u32>(0x0u, 0xfff00000u), whole_equal(soft_magnitude(x), vec2<u32>(0x0u, 0x0u)));
    let ordinary = whole_less(whole_sub(u, vec2<u32>(0x1u, 0x0u)), vec2<u32>(0xffffffffu, 0x7fefffffu));
    return select(s, r, ordinary);
}

const SOFT_2 = array<vec2<u32>, 4>(vec2<u32>(0xaa1159fdu, 0x3fb3b1eeu), vec2<u32>(0x9ece9767u, 0x3fb745ceu), vec2<u32>(0x22d456b4u, 0x3fbc71c7u), vec2<u32>(0x92457f10u, 0x3fc24924u));
fn soft_log_poly(z: vec2<u32>) -> vec2<u32> {
    var p = soft_add(soft_mul(z, vec2<u32>(0xfa39f684u, 0x3fb0e41fu)), vec2<u32>(0x36889514u, 0x3fb0f800u));
    var terms2 = SOFT_2;
    for (var i = 0u; i < 4u; i++) {
        p = soft_add(soft_mul(p, z), terms2[i]);
    }
    return soft_add(soft_mul(p, z), vec2<u32>(0x99999b2fu, 0x3fc99999u));
}

fn soft_log_rest(f: vec2<u32>) -> vec2<u32> {
    let s = soft_div(f, soft_add(f, vec2<u32>(0x0u, 0x40000000u)));
    let z = soft_mul(s, s);
    return soft_mul(s, soft_add(soft_mul(soft_mul(f, f), vec2<u32>(0x0u, 0x3fe00000u)), soft_mul(z, soft_add(soft_mul(soft_mul(z, soft_log_poly(z)), vec2<u32>(0x0u, 0x40000000u)), vec2<u32>(0x55555555u, 0x3fe55555u)))));
}

fn soft_log(x: vec2<u32>) -> vec2<u32> {
    let s = soft_log_split(x);
    let f = soft_sub(s.h, vec2<u32>(0x0u, 0x3ff00000u));
    let y = soft_sub(soft_add(soft_log_rest(f), soft_mul(s.l, vec2<u32>(0xbc9e3b3au, 0x3d7cf79au))), soft_mul(soft_mul(f, f), vec2<u32>(0x0u, 0x3fe00000u)));
    return soft_log_special(x, soft_add(soft_add(f, y), soft_mul(s.l, vec2<u32>(0xfefa0000u, 0x3fe62e42u))));
}

fn soft_log1p_finite(x: vec2<u32>) -> vec2<u32> {
    let u = soft_add(x, vec2<u32>(0x0u, 0x3ff00000u));
    let s = soft_log_split(u);
    let e = s.l;
    let uh = u;
    let one = vec2<u32>(0x0u, 0x3ff00000u);
    let big = soft_less(one, x);
    let c = soft_sub(select(x, one, big), soft_sub(uh, select(one, x, big)));
    let scale = whole_add(vec2<u32>(0x0u, 0x3ff00000u), whole_sub(s.h, u));
    let d = soft_mul(c, whole_max_signed(scale, vec2<u32>(0x0u, 0x0u)));
    let f = soft_sub(s.h, vec2<u32>(0x0u, 0x3ff00000u));
    let t = soft_add(soft_log_rest(f), soft_add(soft_mul(d, soft_add(soft_sub(vec2<u32>(0x0u, 0x3ff00000u), f), soft_mul(f, f))), soft_mul(e, vec2<u32>(0xbc9e3b3au, 0x3d7cf79au))));
    let y = soft_sub(t, soft_mul(soft_mul(f, f), vec2<u32>(0x0u, 0x3fe00000u)));
    return soft_add(soft_add(f, y), soft_mul(e, vec2<u32>(0xfefa0000u, 0x3fe62e42u)));
}

fn soft_log1p(x: vec2<u32>) -> vec2<u32> {
    let r = soft_log_special(soft_add(x, vec2<u32>(0x0u, 0x3ff00000u)), soft_log1p_finite(x));
    return select(r, x, whole_less(soft_magnitude(x), vec2<u32>(0x0u, 0x3c900000u)));
}

fn soft_log_based(x: vec2<u32>, kh: vec2<u32>, kl: vec2<u32>, eh: vec2<u32>, el: vec2<u32>) -> vec2<u32> {
    let s = soft_log_split(x);
    let f = soft_sub(s.h, vec2<u32>(0x0u, 0x3ff00000u));
    let g = soft_mul(soft_mul(f, f), vec2<u32>(0x0u, 0x3fe00000u));
    let h = soft_high(soft_sub(f, g));
    let l = soft_add(soft_sub(soft_sub(f, h), g), soft_log_rest(f));
    let a = soft_mul(s.l, eh);
    let b = soft_mul(h, kh);
    let w = soft_add(a, b);
    let y = soft_add(soft_add(soft_mul(l, kh), soft_mul(soft_add(h, l), kl)), soft_mul(s.l, el));
    return soft_log_special(x, soft_add(w, soft_add(y, soft_add(soft_sub(a, w), b))));
}

fn soft_log2(x: vec2<u32>) -> vec2<u32> {
    return soft_log_based(x, vec2<u32>(0x60000000u, 0x3ff71547u), vec2<u32>(0xf85ddf44u, 0x3e54ae0bu), vec2<u32>(0x0u, 0x3ff00000u), vec2<u32>(0x0u, 0x0u));
}

fn soft_log10(x: vec2<u32>) -> vec2<u32> {
    return soft_log_based(x, vec2<u32>(0x10000000u, 0x3fdbcb7bu), vec2<u32>(0x38ca9aaeu, 0x3e349b94u), vec2<u32>(0x509f7000u, 0x3fd34413u), vec2<u32>(0x23e2566bu, 0x3d43fde6u));
}

struct SoftAngle {
    h: vec2<u32>,
    l: vec2<u32>,
    q: vec2<u32>,
}

fn soft_mul_high(m: vec2<u32>, v: vec2<u32>) -> vec2<u32> {
    let low = vec2<u32>(0xffffffffu, 0x0u);
    let sh = 32u;
    let ml = (m & low);
    let mh = whole_shr(m, sh);
    let vl = (v & low);
    let vh = whole_shr(v, sh);
    let t = whole_add(whole_mul(ml, vh), whole_shr(whole_mul(ml, vl), sh));
    let w = whole_add(whole_mul(mh, vl), (t & low));
    return whole_add(whole_add(whole_mul(mh, vh), whole_shr(t, sh)), whole_shr(w, sh));
}

fn soft_bit_window(a: vec2<u32>, b: vec2<u32>, shift: u32) -> vec2<u32> {
    return (whole_shl(a, shift) | whole_shr(whole_shr(b, 1u), (63u - shift)));
}

struct SoftWords {
    a: vec2<u32>,
    b: vec2<u32>,
    c: vec2<u32>,
    d: vec2<u32>,
}

fn soft_next_word(w: SoftWords, open: bool, next: vec2<u32>) -> SoftWords {
    let d = select(w.d, next, open);
    return SoftWords(select(w.a, w.b, open), select(w.b, w.c, open), select(w.c, w.d, open), d);
}

fn soft_trig_reduce_large(ax: vec2<u32>) -> SoftAngle {
    let u = ax;
    let m = ((u & vec2<u32>(0xffffffffu, 0xfffffu)) | vec2<u32>(0x0u, 0x100000u));
    let position = (min(max((whole_shr(u, 52u)).x, 1042u), 2046u) - 1013u);
    let k = (position >> 6u);
    let shift = (position & 63u);
    let first = vec2<u32>(0x4e441529u, 0xa2f9836eu);
    var w = SoftWords(vec2<u32>(0x0u, 0x0u), first, vec2<u32>(0xf534ddc0u, 0xfc2757d1u), vec2<u32>(0x3c439041u, 0xdb629599u));
    w = soft_next_word(w, (k > 0u), vec2<u32>(0xdebbc561u, 0xfe5163abu));
    w = soft_next_word(w, (k > 1u), vec2<u32>(0x424dd2e0u, 0xb7246e3au));
    w = soft_next_word(w, (k > 2u), vec2<u32>(0x9d1921cu, 0x6492eeau));
    w = soft_next_word(w, (k > 3u), vec2<u32>(0xb129a73eu, 0xfe1deb1cu));
    w = soft_next_word(w, (k > 4u), vec2<u32>(0x2ebb4484u, 0xe88235f5u));
    w = soft_next_word(w, (k > 5u), vec2<u32>(0xb45f7e41u, 0xe99c7026u));
    w = soft_next_word(w, (k > 6u), vec2<u32>(0x835339f4u, 0x3991d639u));
    w = soft_next_word(w, (k > 7u), vec2<u32>(0xbdf9283bu, 0x9c845f8bu));
    w = soft_next_word(w, (k > 8u), vec2<u32>(0xde05980fu, 0x1ff897ffu));
    w = soft_next_word(w, (k > 9u), vec2<u32>(0x5a0a6d1fu, 0xef2f118bu));
    w = soft_next_word(w, (k > 10u), vec2<u32>(0x27cb09b7u, 0x6d367ecfu));
    w = soft_next_word(w, (k > 11u), vec2<u32>(0x9e5fea2du, 0x4f463f66u));
    w = soft_next_word(w, (k > 12u), vec2<u32>(0xebe5f17bu, 0x7527bac7u));
    w = soft_next_word(w, (k > 13u), vec2<u32>(0x8a5292eau, 0x3d0739f7u));
    w = soft_next_word(w, (k > 14u), vec2<u32>(0x1f8d5d08u, 0x6bfb5fb1u));
    w = soft_next_word(w, (k > 15u), vec2<u32>(0xfc7b6babu, 0x56033046u));
    let v0 = soft_bit_window(w.a, w.b, shift);
    let v1 = soft_bit_window(w.b, w.c, shift);
    let v2 = soft_bit_window(w.c, w.d, shift);
    let p1 = whole_add(whole_mul(m, v1), soft_mul_high(m, v2));
    let carry = select(vec2<u32>(0x0u, 0x0u), vec2<u32>(0x1u, 0x0u), whole_less(p1, whole_mul(m, v1)));
    let p0 = whole_add(whole_add(whole_mul(m, v0), soft_mul_high(m, v1)), carry);
    let f0 = (whole_shl(p0, 2u) | whole_shr(p1, 62u));
    let f1 = whole_shl(p1, 2u);
    let negative = !whole_less(f0, vec2<u32>(0x0u, 0x80000000u));
    let g0 = select(f0, ~f0, negative);
    let g1 = select(f1, ~f1, negative);
    let t0 = soft_mul(soft_from_whole(whole_shr(g0, 22u)), vec2<u32>(0x0u, 0x3d500000u));
    let t1 = soft_mul(soft_from_whole((whole_shl((g0 & vec2<u32>(0x3fffffu, 0x0u)), 30u) | whole_shr(g1, 34u))), vec2<u32>(0x0u, 0x3a100000u));
    let t2 = soft_mul(soft_from_whole((g1 & vec2<u32>(0xffffffffu, 0x3u))), vec2<u32>(0x0u, 0x37f00000u));
    let q = soft_from_u32(((whole_shr(p0, 62u)).x + select(0u, 1u, negative)));
    let b = soft_add(t1, t2);
    let yh = soft_high(soft_add(t0, b));
    let yl = soft_add(soft_add(soft_sub(t0, yh), b), soft_sub(t2, soft_sub(b, t1)));
    let high = soft_mul(yh, vec2<u32>(0x50000000u, 0x3ff921fbu));
    let low = soft_add(soft_mul(yh, vec2<u32>(0x611a6263u, 0x3e5110b4u)), soft_mul(yl, vec2<u32>(0x54442d18u, 0x3ff921fbu)));
    let sum = soft_add(high, low);
    let rest = soft_sub(low, soft_sub(sum, high));
    let sign = select(vec2<u32>(0x0u, 0x3ff00000u), vec2<u32>(0x0u, 0xbff00000u), negative);
    return SoftAngle(soft_mul(sum, sign), soft_mul(rest, sign), q);
}

fn soft_trig_reduce(ax: vec2<u32>) -> SoftAngle {
    let q = soft_floor(soft_add(soft_mul(soft_min(ax, vec2<u32>(0x0u, 0x41200000u)), vec2<u32>(0x6dc9c883u, 0x3fe45f30u)), vec2<u32>(0x0u, 0x3fe00000u)));
    let t = soft_mul(q, vec2<u32>(0x1a600000u, 0x3dd0b461u));
    let v = soft_mul(q, vec2<u32>(0x2e000000u, 0x3ba3198au));
    let s = soft_sub(ax, soft_mul(q, vec2<u32>(0x54400000u, 0x3ff921fbu)));
    let a = soft_sub(s, t);
    let b = soft_sub(a, v);
    let w = soft_sub(soft_mul(q, vec2<u32>(0x252049c1u, 0x397b839au)), soft_sub(soft_sub(a, b), v));
    let c = soft_sub(w, soft_sub(soft_sub(s, a), t));
    let r = soft_sub(b, c);
    let rl = soft_sub(soft_sub(b, r), c);
    let large = soft_less(vec2<u32>(0x0u, 0x41200000u), ax);
    if large {
        let p = soft_trig_reduce_large(ax);
        return SoftAngle(select(r, p.h, large), select(rl, p.l, large), select(q, p.q, large));
    }
    return SoftAngle(r, rl, q);
}

const SOFT_3 = array<vec2<u32>, 4>(vec2<u32>(0x57ae832fu, 0x3ec71de3u), vec2<u32>(0x19c15e98u, 0xbf2a01a0u), vec2<u32>(0x1110f8a5u, 0x3f811111u), vec2<u32>(0x55555549u, 0xbfc55555u));
fn soft_sin_rest(r: vec2<u32>, rl: vec2<u32>, z: vec2<u32>) -> vec2<u32> {
    var p = soft_sub(soft_mul(z, vec2<u32>(0x5f33a065u, 0x3de5d939u)), vec2<u32>(0x870f1fd4u, 0x3e5ae5e6u));
    var terms3 = SOFT_3;
    for (var i = 0u; i < 4u; i++) {
        p = soft_add(soft_mul(p, z), terms3[i]);
    }
    return soft_add(soft_mul(soft_mul(r, z), p), soft_mul(rl, soft_sub(vec2<u32>(0x0u, 0x3ff00000u), soft_mul(z, vec2<u32>(0x0u, 0x3fe00000u)))));
}

const SOFT_4 = array<vec2<u32>, 4>(vec2<u32>(0x8128a952u, 0xbe927e4fu), vec2<u32>(0x19cbf363u, 0x3efa01a0u), vec2<u32>(0x16c1521eu, 0xbf56c16cu), vec2<u32>(0x5555554cu, 0x3fa55555u));
fn soft_cos_rest(r: vec2<u32>, rl: vec2<u32>, z: vec2<u32>) -> vec2<u32> {
    var p = soft_add(soft_mul(z, vec2<u32>(0xa97ac0bcu, 0xbda8fb11u)), vec2<u32>(0x12db63e2u, 0x3e21ee9fu));
    var terms4 = SOFT_4;
    for (var i = 0u; i < 4u; i++) {
        p = soft_add(soft_mul(p, z), terms4[i]);
    }
    return soft_sub(soft_mul(soft_mul(z, z), p), soft_mul(r, rl));
}

fn soft_sin_pair(t: SoftAngle) -> SoftPair {
    return SoftPair(t.h, soft_sin_rest(t.h, t.l, soft_mul(t.h, t.h)));
}

fn soft_cos_pair(t: SoftAngle) -> SoftPair {
    let z = soft_mul(t.h, t.h);
    let half = soft_mul(z, vec2<u32>(0x0u, 0x3fe00000u));
    let w = soft_sub(vec2<u32>(0x0u, 0x3ff00000u), half);
    return SoftPair(w, soft_add(soft_sub(soft_sub(vec2<u32>(0x0u, 0x3ff00000u), w), half), soft_cos_rest(t.h, t.l, z)));
}

fn soft_quadrant(q: vec2<u32>) -> vec2<u32> {
    return soft_add(q, vec2<u32>(0x0u, 0x43380000u));
}

fn soft_sin_shifted(x: vec2<u32>, k: vec2<u32>, flip: vec2<u32>) -> vec2<u32> {
    let t = soft_trig_reduce(soft_magnitude(x));
    let q = whole_add(soft_quadrant(t.q), k);
    let odd = whole_equal((q & vec2<u32>(0x1u, 0x0u)), vec2<u32>(0x1u, 0x0u));
    let s = soft_sin_pair(t);
    let c = soft_cos_pair(t);
    let v = soft_add(select(s.h, c.h, odd), select(s.l, c.l, odd));
    let r = ((v ^ whole_shl((q & vec2<u32>(0x2u, 0x0u)), 62u)) ^ flip);
    let bad = !whole_less(soft_magnitude(x), vec2<u32>(0x0u, 0x7ff00000u));
    return select(r, vec2<u32>(0x0u, 0x7ff80000u), bad);
}

fn soft_sin(x: vec2<u32>) -> vec2<u32> {
    return soft_sin_shifted(x, vec2<u32>(0x0u, 0x0u), (x & vec2<u32>(0x0u, 0x80000000u)));
}

fn soft_cos(x: vec2<u32>) -> vec2<u32> {
    return soft_sin_shifted(x, vec2<u32>(0x1u, 0x0u), vec2<u32>(0x0u, 0x0u));
}

fn soft_tan(x: vec2<u32>) -> vec2<u32> {
    let t = soft_trig_reduce(soft_magnitude(x));
    let q = soft_quadrant(t.q);
    let odd = whole_equal((q & vec2<u32>(0x1u, 0x0u)), vec2<u32>(0x1u, 0x0u));
    let s = soft_sin_pair(t);
    let c = soft_cos_pair(t);
    let sh = soft_add(s.h, s.l);
    let sl = soft_add(soft_sub(s.h, sh), s.l);
    let ch = soft_add(c.h, c.l);
    let cl = soft_add(soft_sub(c.h, ch), c.l);
    let d = select(ch, sh, odd);
    let v = soft_div(select(sh, ch, odd), d);
    let vh = soft_high(v);
    let dh = soft_high(d);
    let dl = soft_sub(d, dh);
    let left = soft_sub(soft_sub(select(sh, ch, odd), soft_mul(vh, dh)), soft_mul(vh, dl));
    let rest = soft_add(soft_sub(left, soft_mul(soft_sub(v, vh), d)), soft_sub(select(sl, cl, odd), soft_mul(v, select(cl, sl, odd))));
    let r = (soft_add(v, soft_div(rest, d)) ^ whole_shl((q & vec2<u32>(0x1u, 0x0u)), 63u));
    let u = x;
    let a = soft_magnitude(x);
    let near = select((r ^ (u & vec2<u32>(0x0u, 0x80000000u))), u, whole_less(a, vec2<u32>(0x0u, 0x3e400000u)));
    return select(near, vec2<u32>(0x0u, 0x7ff80000u), !whole_less(a, vec2<u32>(0x0u, 0x7ff00000u)));
}

const SOFT_5 = array<vec2<u32>, 11>(vec2<u32>(0xb20c64b7u, 0x3f965b16u), vec2<u32>(0x96491611u, 0x3f6df639u), vec2<u32>(0x29cfa68du, 0x3f861a6eu), vec2<u32>(0x6d4f53du, 0x3f875738u), vec2<u32>(0x3a2ad7b2u, 0x3f8ca21au), vec2<u32>(0xb532be22u, 0x3f91c49du), vec2<u32>(0xffbb96e1u, 0x3f96e8bdu), vec2<u32>(0xa8b5a930u, 0x3f9f1c71u), vec2<u32>(0xb722b4a5u, 0x3fa6db6du), vec2<u32>(0x3332df1cu, 0x3fb33333u), vec2<u32>(0x55555578u, 0x3fc55555u));
fn soft_asin_poly(z: vec2<u32>) -> vec2<u32> {
    var p = soft_sub(soft_mul(z, vec2<u32>(0xab8b310u, 0x3fa0c437u)), vec2<u32>(0x2a635bc9u, 0x3f95b0bdu));
    var terms5 = SOFT_5;
    for (var i = 0u; i < 11u; i++) {
        p = soft_add(soft_mul(p, z), terms5[i]);
    }
    return soft_mul(p, z);
}

fn soft_asin_root(z: vec2<u32>) -> SoftPair {
    let s = soft_sqrt(z);
    let h = soft_high(s);
    let d = soft_add(s, h);
    let rest = soft_div(soft_sub(z, soft_mul(h, h)), select(d, vec2<u32>(0x0u, 0x3ff00000u), soft_equal(d, vec2<u32>(0x0u, 0x0u))));
    return SoftPair(h, soft_add(rest, soft_mul(s, soft_asin_poly(z))));
}

fn soft_asin(x: vec2<u32>) -> vec2<u32> {
    let ax = soft_magnitude(x);
    let a = soft_asin_root(soft_max(soft_sub(vec2<u32>(0x0u, 0x3fe00000u), soft_mul(ax, vec2<u32>(0x0u, 0x3fe00000u))), vec2<u32>(0x0u, 0x0u)));
    let far = soft_sub(soft_sub(vec2<u32>(0x54442d18u, 0x3ff921fbu), soft_add(a.h, a.h)), soft_sub(soft_add(a.l, a.l), vec2<u32>(0x33145c07u, 0x3c91a626u)));
    let small = soft_add(x, soft_mul(x, soft_asin_poly(soft_min(soft_mul(x, x), vec2<u32>(0x0u, 0x3fd00000u)))));
    let r = select(small, soft_copy_sign(far, x), soft_less(vec2<u32>(0x0u, 0x3fe00000u), ax));
    let bad = whole_less(vec2<u32>(0x0u, 0x3ff00000u), soft_magnitude(x));
    return select(r, vec2<u32>(0x0u, 0x7ff80000u), bad);
}

fn soft_acos(x: vec2<u32>) -> vec2<u32> {
    let ax = soft_magnitude(x);
    let a = soft_asin_root(soft_max(soft_sub(vec2<u32>(0x0u, 0x3fe00000u), soft_mul(ax, vec2<u32>(0x0u, 0x3fe00000u))), vec2<u32>(0x0u, 0x0u)));
    let above = soft_add(soft_add(a.h, a.h), soft_add(a.l, a.l));
    let below = soft_sub(soft_sub(vec2<u32>(0x54442d18u, 0x400921fbu), soft_add(a.h, a.h)), soft_sub(soft_add(a.l, a.l), vec2<u32>(0x33145c07u, 0x3ca1a626u)));
    let rest = soft_sub(soft_mul(x, soft_asin_poly(soft_min(soft_mul(x, x), vec2<u32>(0x0u, 0x3fd00000u)))), vec2<u32>(0x33145c07u, 0x3c91a626u));
    let near = soft_sub(vec2<u32>(0x54442d18u, 0x3ff921fbu), soft_add(x, rest));
    let far = select(above, below, soft_less(x, vec2<u32>(0x0u, 0x0u)));
    let r = select(near, far, soft_less(vec2<u32>(0x0u, 0x3fe00000u), ax));
    let bad = whole_less(vec2<u32>(0x0u, 0x3ff00000u), soft_magnitude(x));
    return select(r, vec2<u32>(0x0u, 0x7ff80000u), bad);
}

fn soft_copy_sign(r: vec2<u32>, x: vec2<u32>) -> vec2<u32> {
    return (r | (x & vec2<u32>(0x0u, 0x80000000u)));
}

const SOFT_6 = array<vec2<u32>, 9>(vec2<u32>(0xe7a0f0afu, 0xbfa979e9u), vec2<u32>(0x8d65fbc7u, 0x3faddddeu), vec2<u32>(0x39ad019cu, 0xbfb10d61u), vec2<u32>(0x36005d05u, 0x3fb3b0f2u), vec2<u32>(0xbe63d4e3u, 0xbfb745cdu), vec2<u32>(0xfde2c63fu, 0x3fbc71c6u), vec2<u32>(0x91ffcfd7u, 0xbfc24924u), vec2<u32>(0x9998e9c9u, 0x3fc99999u), vec2<u32>(0x5555550cu, 0xbfd55555u));
fn soft_atan(x: vec2<u32>) -> vec2<u32> {
    let ax = soft_magnitude(x);
    let a = soft_less(vec2<u32>(0x0u, 0x3fdc0000u), ax);
    let b = soft_less(vec2<u32>(0x0u, 0x3fe60000u), ax);
    let d = soft_less(vec2<u32>(0x0u, 0x3ff30000u), ax);
    let far = soft_less(vec2<u32>(0x0u, 0x40038000u), ax);
    let c = select(vec2<u32>(0x0u, 0x0u), select(vec2<u32>(0x0u, 0x3fe00000u), select(vec2<u32>(0x0u, 0x3ff00000u), vec2<u32>(0x0u, 0x3ff80000u), d), b), a);
    let t = soft_div(select(soft_sub(ax, c), vec2<u32>(0x0u, 0xbff00000u), far), select(soft_add(soft_mul(ax, c), vec2<u32>(0x0u, 0x3ff00000u)), ax, far));
    let h1 = select(vec2<u32>(0x54442d18u, 0x3fe921fbu), vec2<u32>(0xd281f69bu, 0x3fef730bu), d);
    let l1 = select(vec2<u32>(0x33145c07u, 0x3c81a626u), vec2<u32>(0x7af0cbbdu, 0x3c700788u), d);
    let h2 = select(vec2<u32>(0x561bb4fu, 0x3fddac67u), select(h1, vec2<u32>(0x54442d18u, 0x3ff921fbu), far), b);
    let l2 = select(vec2<u32>(0x222f65e2u, 0x3c7a2b7fu), select(l1, vec2<u32>(0x33145c07u, 0x3c91a626u), far), b);
    let z = soft_mul(t, t);
    var p = soft_add(soft_mul(z, vec2<u32>(0x4c8797u, 0xbf90a5d5u)), vec2<u32>(0x119f4591u, 0x3fa2b0cfu));
    var terms6 = SOFT_6;
    for (var i = 0u; i < 9u; i++) {
        p = soft_add(soft_mul(p, z), terms6[i]);
    }
    let v = soft_mul(soft_mul(t, z), p);
    let r = select(soft_add(t, v), soft_add(h2, soft_add(t, soft_add(v, l2))), a);
    return select(soft_copy_sign(r, x), x, soft_is_nan(x));
}

fn soft_atan2(y: vec2<u32>, x: vec2<u32>) -> vec2<u32> {
    let inf = vec2<u32>(0x0u, 0x7ff00000u);
    let ux = x;
    let uy = y;
    let mx = soft_magnitude(x);
    let my = soft_magnitude(y);
    let steep = whole_less(mx, my);
    let hi = select(mx, my, steep);
    let lo = select(my, mx, steep);
    let scale = select(select(vec2<u32>(0x0u, 0x3ff00000u), vec2<u32>(0x0u, 0x43500000u), whole_less(hi, vec2<u32>(0x0u, 0x6000000u))), vec2<u32>(0x0u, 0x3fd00000u), !whole_less(hi, vec2<u32>(0x0u, 0x7fd00000u)));
    let q = soft_div(soft_mul(lo, scale), soft_mul(hi, scale));
    let even = select(q, select(vec2<u32>(0x0u, 0x3ff00000u), vec2<u32>(0x0u, 0x0u), whole_equal(hi, vec2<u32>(0x0u, 0x0u))), whole_equal(lo, hi));
    let r = soft_atan(select(even, vec2<u32>(0x0u, 0x0u), (whole_equal(hi, inf) & !whole_equal(lo, inf))));
    let left = !whole_less(ux, vec2<u32>(0x0u, 0x80000000u));
    let half = vec2<u32>(0x54442d18u, 0x3ff921fbu);
    let base = select(select(vec2<u32>(0x0u, 0x0u), half, steep), select(vec2<u32>(0x54442d18u, 0x400921fbu), half, steep), left);
    let rest = select(vec2<u32>(0x33145c07u, 0x3c91a626u), select(vec2<u32>(0x0u, 0x0u), vec2<u32>(0x33145c07u, 0x3ca1a626u), left), !steep);
    let v = soft_add(base, soft_add(select(r, soft_neg(r), (steep != left)), rest));
    let angle = (v | (uy & vec2<u32>(0x0u, 0x80000000u)));
    return select(angle, vec2<u32>(0x0u, 0x7ff80000u), whole_less(inf, hi));
}

fn soft_tanh(x: vec2<u32>) -> vec2<u32> {
    let ax = soft_magnitude(x);
    let t = soft_expm1(soft_min(soft_add(ax, ax), vec2<u32>(0x0u, 0x40460000u)));
    let far = soft_less(vec2<u32>(0x9999999au, 0x3fe19999u), ax);
    let v = soft_div(select(t, vec2<u32>(0x0u, 0x40000000u), far), soft_add(t, vec2<u32>(0x0u, 0x40000000u)));
    return select(soft_copy_sign(select(v, soft_sub(vec2<u32>(0x0u, 0x3ff00000u), v), far), x), x, soft_is_nan(x));
}

fn soft_sigmoid(x: vec2<u32>) -> vec2<u32> {
    let e = soft_exp_clamped(soft_neg(soft_magnitude(x)));
    let r = soft_div(select(vec2<u32>(0x0u, 0x3ff00000u), e, soft_less(x, vec2<u32>(0x0u, 0x0u))), soft_add(e, vec2<u32>(0x0u, 0x3ff00000u)));
    return select(r, x, soft_is_nan(x));
}

fn soft_half_exp(x: vec2<u32>) -> vec2<u32> {
    let e = soft_exp_parts(soft_min(x, vec2<u32>(0x0u, 0x40864000u)), vec2<u32>(0x0u, 0x0u));
    return soft_scale(e.h, soft_sub(e.l, vec2<u32>(0x0u, 0x3ff00000u)));
}

const SOFT_7 = array<vec2<u32>, 5>(vec2<u32>(0xf975a965u, 0x3e5ae646u), vec2<u32>(0xa3b6a8ebu, 0x3ec71de3u), vec2<u32>(0x1a036c6au, 0x3f2a01a0u), vec2<u32>(0x11111020u, 0x3f811111u), vec2<u32>(0x55555556u, 0x3fc55555u));
fn soft_sinh(x: vec2<u32>) -> vec2<u32> {
    let ax = soft_magnitude(x);
    let z = soft_min(soft_mul(ax, ax), vec2<u32>(0x0u, 0x3ff00000u));
    var p = soft_add(soft_mul(z, vec2<u32>(0x9c8e9352u, 0x3d6b5bb4u)), vec2<u32>(0xd500c267u, 0x3de61171u));
    var terms7 = SOFT_7;
    for (var i = 0u; i < 5u; i++) {
        p = soft_add(soft_mul(p, z), terms7[i]);
    }
    let h = soft_half_exp(ax);
    let r = select(soft_sub(h, soft_div(vec2<u32>(0x0u, 0x3fd00000u), h)), soft_add(ax, soft_mul(soft_mul(ax, z), p)), soft_less(ax, vec2<u32>(0x0u, 0x3ff00000u)));
    return select(soft_copy_sign(r, x), x, soft_is_nan(x));
}

fn soft_cosh(x: vec2<u32>) -> vec2<u32> {
    let h = soft_half_exp(soft_magnitude(x));
    return select(soft_add(h, soft_div(vec2<u32>(0x0u, 0x3fd00000u), h)), x, soft_is_nan(x));
}

fn soft_asinh(x: vec2<u32>) -> vec2<u32> {
    let ax = soft_magnitude(x);
    let big = soft_less(vec2<u32>(0x0u, 0x43500000u), ax);
    let s = soft_mul(select(ax, vec2<u32>(0x0u, 0x0u), big), ax);
    let v = soft_add(ax, soft_div(s, soft_add(soft_sqrt(soft_add(s, vec2<u32>(0x0u, 0x3ff00000u))), vec2<u32>(0x0u, 0x3ff00000u))));
    let r = soft_add(soft_log1p_finite(v), select(vec2<u32>(0x0u, 0x0u), vec2<u32>(0xfefa39efu, 0x3fe62e42u), big));
    let a = whole_sub(soft_magnitude(x), vec2<u32>(0x0u, 0x3e300000u));
    return select(x, soft_copy_sign(r, x), whole_less(a, vec2<u32>(0x0u, 0x41c00000u)));
}

fn soft_acosh(x: vec2<u32>) -> vec2<u32> {
    let u = x;
    let big = soft_less(vec2<u32>(0x0u, 0x43500000u), x);
    let t = soft_max(soft_sub(x, vec2<u32>(0x0u, 0x3ff00000u)), vec2<u32>(0x0u, 0x0u));
    let s = soft_sqrt(soft_mul(select(t, vec2<u32>(0x0u, 0x0u), big), soft_add(t, vec2<u32>(0x0u, 0x40000000u))));
    let r = soft_add(soft_log1p_finite(soft_add(t, s)), select(vec2<u32>(0x0u, 0x0u), vec2<u32>(0xfefa39efu, 0x3fe62e42u), big));
    let special = select(vec2<u32>(0x0u, 0x7ff80000u), u, whole_equal(u, vec2<u32>(0x0u, 0x7ff00000u)));
    let ordinary = whole_less(whole_sub(u, vec2<u32>(0x0u, 0x3ff00000u)), vec2<u32>(0x0u, 0x40000000u));
    return select(special, r, ordinary);
}

fn soft_atanh(x: vec2<u32>) -> vec2<u32> {
    let u = x;
    let au = soft_magnitude(x);
    let one = vec2<u32>(0x0u, 0x3ff00000u);
    let ax = soft_min(soft_magnitude(x), vec2<u32>(0xffffffffu, 0x3fefffffu));
    let v = soft_add(soft_add(ax, ax), soft_mul(soft_add(ax, ax), soft_div(ax, soft_sub(vec2<u32>(0x0u, 0x3ff00000u), ax))));
    let r = soft_copy_sign(soft_mul(soft_log1p_finite(v), vec2<u32>(0x0u, 0x3fe00000u)), x);
    let infinite = ((u ^ au) | vec2<u32>(0x0u, 0x7ff00000u));
    let special = select(vec2<u32>(0x0u, 0x7ff80000u), infinite, whole_equal(au, one));
    let near = select(r, u, whole_less(au, vec2<u32>(0x0u, 0x3e300000u)));
    return select(near, special, !whole_less(au, one));
}

fn soft_high24(x: vec2<u32>) -> vec2<u32> {
    return (x & vec2<u32>(0xe0000000u, 0xffffffffu));
}

fn soft_log2_pair(x: vec2<u32>) -> SoftPair {
    let split = soft_log_split(x);
    let m = split.h;
    let e = split.l;
    let f = soft_sub(m, vec2<u32>(0x0u, 0x3ff00000u));
    let mh = soft_high24(m);
    let recip = soft_div(vec2<u32>(0x0u, 0x3ff00000u), soft_add(m, vec2<u32>(0x0u, 0x3ff00000u)));
    let s = soft_mul(f, recip);
    let sh = soft_high(s);
    let sl = soft_mul(soft_sub(soft_sub(f, soft_mul(sh, soft_add(mh, vec2<u32>(0x0u, 0x3ff00000u)))), soft_mul(sh, soft_sub(m, mh))), recip);
    let z = soft_mul(s, s);
    let sh2 = soft_mul(sh, sh);
    let r = soft_add(soft_mul(soft_mul(soft_mul(z, z), soft_log_poly(z)), vec2<u32>(0x0u, 0x40080000u)), soft_mul(sl, soft_add(sh, s)));
    let th = soft_high(soft_add(soft_add(sh2, vec2<u32>(0x0u, 0x40080000u)), r));
    let tl = soft_sub(r, soft_sub(soft_sub(th, vec2<u32>(0x0u, 0x40080000u)), sh2));
    let u = soft_mul(sh, th);
    let v = soft_add(soft_mul(sl, th), soft_mul(tl, s));
    let ph = soft_high(soft_add(u, v));
    let pl = soft_sub(v, soft_sub(ph, u));
    let zh = soft_mul(ph, vec2<u32>(0xd8000000u, 0x3feec709u));
    let zl = soft_add(soft_mul(ph, vec2<u32>(0xf5d27f05u, 0x3e40e80fu)), soft_mul(pl, vec2<u32>(0xdc3a03fdu, 0x3feec709u)));
    let h = soft_high(soft_add(soft_add(e, zh), zl));
    return SoftPair(h, soft_sub(zl, soft_sub(soft_sub(h, e), zh)));
}

fn soft_pow_magnitude(ax: vec2<u32>, y: vec2<u32>) -> vec2<u32> {
    let g = soft_log2_pair(ax);
    let limit = vec2<u32>(0x0u, 0x43f00000u);
    let yc = soft_min(soft_max(y, soft_neg(limit)), limit);
    let yh = soft_high(yc);
    let ph = soft_mul(yh, g.h);
    let pl = soft_add(soft_mul(soft_sub(yc, yh), g.h), soft_mul(yc, g.l));
    let n = soft_floor(soft_add(soft_min(soft_max(soft_add(ph, pl), vec2<u32>(0x0u, 0xc090e000u)), vec2<u32>(0x0u, 0x40901000u)), vec2<u32>(0x0u, 0x3fe00000u)));
    let r = soft_mul(soft_min(soft_max(soft_add(soft_sub(ph, n), pl), vec2<u32>(0x0u, 0xbff00000u)), vec2<u32>(0x0u, 0x3ff00000u)), vec2<u32>(0xfefa39efu, 0x3fe62e42u));
    return soft_scale(soft_add(soft_add(r, soft_mul(soft_mul(r, r), soft_exp_poly(r))), vec2<u32>(0x0u, 0x3ff00000u)), n);
}

fn soft_pow(x: vec2<u32>, y: vec2<u32>) -> vec2<u32> {
    let ux = x;
    let uy = y;
    let ax = soft_magnitude(x);
    let ay = soft_magnitude(y);
    let inf = vec2<u32>(0x0u, 0x7ff00000u);
    let one = vec2<u32>(0x0u, 0x3ff00000u);
    let fy = soft_magnitude(y);
    let integral = (soft_equal(soft_floor(fy), fy) & !whole_less(ay, one));
    let half = soft_mul(fy, vec2<u32>(0x0u, 0x3fe00000u));
    let odd = (integral & soft_less(soft_floor(half), half));
    let saturated = select(vec2<u32>(0x0u, 0x0u), inf, (whole_less(one, ax) == whole_less(uy, vec2<u32>(0x0u, 0x80000000u))));
    let special = ((whole_equal(ax, vec2<u32>(0x0u, 0x0u)) | !whole_less(ax, inf)) | whole_equal(ay, inf));
    var r = select(soft_pow_magnitude(ax, y), saturated, special);
    let negative = !whole_less(ux, vec2<u32>(0x0u, 0x80000000u));
    r = (r | select(vec2<u32>(0x0u, 0x0u), vec2<u32>(0x0u, 0x80000000u), (negative & odd)));
    let bad = (((negative & !integral) & whole_less(vec2<u32>(0x0u, 0x0u), ax)) & whole_less(ax, inf));
    r = select(r, vec2<u32>(0x0u, 0x7ff80000u), ((bad | whole_less(inf, ax)) | whole_less(inf, ay)));
    let unit = ((whole_equal(ux, one) | whole_equal(ay, vec2<u32>(0x0u, 0x0u))) | (whole_equal(ax, one) & whole_equal(ay, inf)));
    return select(r, one, unit);
}

fn soft_cbrt(x: vec2<u32>) -> vec2<u32> {
    let u = x;
    let mx = soft_magnitude(x);
    let tiny = whole_less(mx, vec2<u32>(0x0u, 0x100000u));
    let a = soft_mul(mx, select(vec2<u32>(0x0u, 0x3ff00000u), vec2<u32>(0x0u, 0x43500000u), tiny));
    let third = (((whole_shr(a, 32u)).x / 3u) + 715094163u);
    var r = whole_shl(vec2<u32>(third, 0u), 32u);
    for (var k = 0u; k < 4u; k++) {
        r = soft_sub(r, soft_mul(soft_sub(r, soft_div(a, soft_mul(r, r))), vec2<u32>(0x55555555u, 0x3fd55555u)));
    }
    r = soft_mul(r, select(vec2<u32>(0x0u, 0x3ff00000u), vec2<u32>(0x0u, 0x3ed00000u), tiny));
    let root = (r | (u & vec2<u32>(0x0u, 0x80000000u)));
    return select(root, u, (whole_equal(mx, vec2<u32>(0x0u, 0x0u)) | !whole_less(mx, vec2<u32>(0x0u, 0x7ff00000u))));
}

fn soft_hypot(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let inf = vec2<u32>(0x0u, 0x7ff00000u);
    let ma = soft_magnitude(a);
    let mb = soft_magnitude(b);
    let hi = select(ma, mb, whole_less(ma, mb));
    let large = !whole_less(hi, vec2<u32>(0x0u, 0x5fe00000u));
    let small = whole_less(hi, vec2<u32>(0x0u, 0x21f00000u));
    let scale = select(select(vec2<u32>(0x0u, 0x3ff00000u), vec2<u32>(0x0u, 0x65700000u), small), vec2<u32>(0x0u, 0x1fd00000u), large);
    let back = select(select(vec2<u32>(0x0u, 0x3ff00000u), vec2<u32>(0x0u, 0x1a700000u), small), vec2<u32>(0x0u, 0x60100000u), large);
    let sa = soft_mul(ma, scale);
    let sb = soft_mul(mb, scale);
    let r = soft_mul(soft_sqrt(soft_add(soft_mul(sa, sa), soft_mul(sb, sb))), back);
    let known = select(select(r, vec2<u32>(0x0u, 0x7ff80000u), whole_less(inf, hi)), inf, (whole_equal(ma, inf) | whole_equal(mb, inf)));
    return known;
}

const SOFT_8 = array<vec2<u32>, 9>(vec2<u32>(0x3ef167d8u, 0xbe867e90u), vec2<u32>(0x897ebc09u, 0x3ebbb03fu), vec2<u32>(0xcf9dee56u, 0xbeef4e92u), vec2<u32>(0x43707a4u, 0x3f1f9a45u), vec2<u32>(0xdaca5ffeu, 0xbf4c02dbu), vec2<u32>(0xd408cc7cu, 0x3f7565bcu), vec2<u32>(0x313b7bf3u, 0xbf9b82ceu), vec2<u32>(0x1a0466a5u, 0x3fbce2f2u), vec2<u32>(0x6b037a2eu, 0xbfd81274u));
fn soft_erf_rest(x: vec2<u32>) -> vec2<u32> {
    let z = soft_mul(x, x);
    var p = soft_add(soft_mul(z, vec2<u32>(0xb1d31a56u, 0xbe1a11f8u)), vec2<u32>(0x9bada26eu, 0x3e5205b9u));
    var terms8 = SOFT_8;
    for (var i = 0u; i < 9u; i++) {
        p = soft_add(soft_mul(p, z), terms8[i]);
    }
    return soft_mul(x, soft_add(soft_mul(p, z), vec2<u32>(0x8214db69u, 0x3fc06ebau)));
}

const SOFT_9 = array<vec2<u32>, 20>(vec2<u32>(0xd7710db7u, 0x3e673b48u), vec2<u32>(0xc9a8dbcu, 0x3e4b8517u), vec2<u32>(0x42c53e15u, 0xbe900520u), vec2<u32>(0x796c71d9u, 0xbe867aafu), vec2<u32>(0xece7c008u, 0x3eb57eb3u), vec2<u32>(0x595fadfau, 0x3eb42ab8u), vec2<u32>(0x47aa2efeu, 0xbee024bbu), vec2<u32>(0xbc95462fu, 0xbed87309u), vec2<u32>(0xdb792125u, 0x3f0c2858u), vec2<u32>(0x145f7518u, 0xbecaaf80u), vec2<u32>(0x637fce37u, 0xbf39e881u), vec2<u32>(0x6e0dcfd7u, 0x3f47099au), vec2<u32>(0xf2df596u, 0x3f5d047du), vec2<u32>(0x6313ef48u, 0xbf89728bu), vec2<u32>(0xf9c13e4au, 0x3fa26880u), vec2<u32>(0x59cb4d4du, 0xbfb1c448u), vec2<u32>(0x97314a74u, 0x3fb90b97u), vec2<u32>(0xea58aa62u, 0xbfb9a1eau), vec2<u32>(0xdb398edbu, 0x3fb07372u), vec2<u32>(0x5e81f095u, 0x3fd85de0u));
fn soft_normal_tail(a: vec2<u32>) -> SoftPair {
    let h = soft_high(a);
    let l = soft_sub(a, h);
    let e = soft_exp_parts(soft_mul(soft_mul(h, h), vec2<u32>(0x0u, 0xbfe00000u)), soft_mul(soft_mul(l, soft_add(a, h)), vec2<u32>(0x0u, 0xbfe00000u)));
    let q = soft_div(vec2<u32>(0x0u, 0x3ff00000u), soft_add(a, vec2<u32>(0x0u, 0x40118000u)));
    let qh = soft_high24(q);
    let ql = soft_mul(q, soft_sub(soft_sub(vec2<u32>(0x0u, 0x3ff00000u), soft_mul(qh, soft_add(h, vec2<u32>(0x0u, 0x40118000u)))), soft_mul(qh, l)));
    let t = soft_sub(soft_sub(vec2<u32>(0x0u, 0x3ff00000u), soft_mul(qh, vec2<u32>(0x0u, 0x40218000u))), soft_mul(ql, vec2<u32>(0x0u, 0x40218000u)));
    var p = soft_add(soft_mul(t, vec2<u32>(0x61fd81du, 0xbe371680u)), vec2<u32>(0x1de21e2bu, 0x3e00aaaau));
    var terms9 = SOFT_9;
    for (var i = 0u; i < 20u; i++) {
        p = soft_add(soft_mul(p, t), terms9[i]);
    }
    return SoftPair(soft_mul(e.h, p), e.l);
}

fn soft_erf(x: vec2<u32>) -> vec2<u32> {
    let ax = soft_magnitude(x);
    let a = soft_mul(soft_min(soft_max(ax, vec2<u32>(0xae147ae1u, 0x3feae147u)), vec2<u32>(0x0u, 0x40180000u)), vec2<u32>(0x667f3bcdu, 0x3ff6a09eu));
    let g = soft_normal_tail(a);
    let far = soft_sub(vec2<u32>(0x0u, 0x3ff00000u), soft_div(soft_scale_down(g.h, soft_add(g.l, vec2<u32>(0x0u, 0x3ff00000u))), a));
    let near = soft_add(x, soft_erf_rest(x));
    let r = select(soft_copy_sign(far, x), near, soft_less(ax, vec2<u32>(0x33333333u, 0x3feb3333u)));
    return select(r, x, soft_is_nan(x));
}

fn soft_softplus(x: vec2<u32>) -> vec2<u32> {
    let e = soft_exp_clamped(soft_neg(soft_magnitude(x)));
    let v = select(soft_log1p_finite(e), e, soft_less(e, vec2<u32>(0x0u, 0x3c900000u)));
    return select(soft_add(soft_max(x, vec2<u32>(0x0u, 0x0u)), v), x, soft_is_nan(x));
}

fn soft_gelu(x: vec2<u32>) -> vec2<u32> {
    let ax = soft_magnitude(x);
    let g = soft_normal_tail(soft_min(soft_max(ax, vec2<u32>(0xe147ae14u, 0x3fe6147au)), vec2<u32>(0x0u, 0x40440000u)));
    let far = soft_sub(soft_max(x, vec2<u32>(0x0u, 0x0u)), soft_scale_down(g.h, g.l));
    let v = soft_mul(soft_min(soft_max(x, vec2<u32>(0x66666666u, 0xbfe66666u)), vec2<u32>(0x66666666u, 0x3fe66666u)), vec2<u32>(0x667f3bcdu, 0x3fe6a09eu));
    let near = soft_mul(x, soft_add(vec2<u32>(0x0u, 0x3fe00000u), soft_mul(soft_add(v, soft_erf_rest(v)), vec2<u32>(0x0u, 0x3fe00000u))));
    let r = select(far, near, soft_less(ax, vec2<u32>(0x66666666u, 0x3fe66666u)));
    let keep = (soft_is_nan(x) | soft_less(vec2<u32>(0x0u, 0x40440000u), x));
    return select(soft_copy_sign(r, x), x, keep);
}

fn soft_gelu_tanh(x: vec2<u32>) -> vec2<u32> {
    let ax = soft_min(soft_magnitude(x), vec2<u32>(0x0u, 0x40368000u));
    let h = soft_high(ax);
    let l = soft_sub(ax, h);
    let z = soft_mul(h, h);
    let zh = soft_high(z);
    let zl = soft_add(soft_sub(z, zh), soft_mul(l, soft_add(ax, h)));
    let c = soft_mul(zh, vec2<u32>(0x28000000u, 0x3fb2444fu));
    let g = soft_high(soft_add(c, vec2<u32>(0x33d43651u, 0x3ff98845u)));
    let small = soft_add(soft_mul(zl, vec2<u32>(0x28000000u, 0x3fb2444fu)), soft_add(soft_mul(soft_add(zh, zl), vec2<u32>(0x57a4def1u, 0x3e026c5au)), vec2<u32>(0x84687e5au, 0x3e4ea1b2u)));
    let gl = soft_add(soft_add(soft_sub(vec2<u32>(0x30000000u, 0x3ff98845u), g), c), small);
    let e = soft_exp_parts(soft_neg(soft_mul(h, g)), soft_neg(soft_add(soft_mul(l, g), soft_mul(ax, gl))));
    let negative = !whole_less(x, vec2<u32>(0x0u, 0x80000000u));
    let q = soft_div(select(ax, soft_mul(ax, e.h), negative), soft_add(soft_scale_down(e.h, e.l), vec2<u32>(0x0u, 0x3ff00000u)));
    let r = select(q, soft_neg(soft_scale_down(q, e.l)), negative);
    return select(r, x, (soft_is_nan(x) | soft_less(vec2<u32>(0x0u, 0x40368000u), x)));
}

fn soft_mish(x: vec2<u32>) -> vec2<u32> {
    let c = soft_min(soft_max(x, vec2<u32>(0x0u, 0xc0881000u)), vec2<u32>(0x0u, 0x40440000u));
    let e = soft_exp_parts(c, vec2<u32>(0x0u, 0x0u));
    let negative = soft_less(x, vec2<u32>(0x0u, 0x0u));
    let none = vec2<u32>(0x0u, 0x0u);
    let t = soft_scale_down(e.h, e.l);
    let m = soft_mul(t, soft_add(t, vec2<u32>(0x0u, 0x3ff00000u)));
    let v = select(c, soft_mul(c, e.h), negative);
    let w = soft_mul(v, soft_sub(vec2<u32>(0x0u, 0x3ff00000u), soft_div(select(vec2<u32>(0x0u, 0x40000000u), m, negative), soft_add(m, soft_add(t, vec2<u32>(0x0u, 0x40000000u))))));
    let r = soft_scale_down(w, select(none, e.l, negative));
    return select(r, x, (soft_is_nan(x) | soft_less(vec2<u32>(0x0u, 0x40440000u), x)));
}

fn soft_softsign(x: vec2<u32>) -> vec2<u32> {
    let one = soft_copy_sign(vec2<u32>(0x0u, 0x3ff00000u), x);
    return select(soft_div(x, soft_add(soft_magnitude(x), vec2<u32>(0x0u, 0x3ff00000u))), one, whole_equal(soft_magnitude(x), vec2<u32>(0x0u, 0x7ff00000u)));
}

fn soft_hard_swish(x: vec2<u32>) -> vec2<u32> {
    let low = select(soft_div(soft_mul(x, soft_add(x, vec2<u32>(0x0u, 0x40080000u))), vec2<u32>(0x0u, 0x40180000u)), soft_neg(vec2<u32>(0x0u, 0x0u)), soft_less_equal(x, vec2<u32>(0x0u, 0xc0080000u)));
    return select(low, x, soft_less_equal(vec2<u32>(0x0u, 0x40080000u), x));
}

fn soft_swish(x: vec2<u32>, z: vec2<u32>) -> vec2<u32> {
    let e = soft_exp_parts(soft_max(soft_neg(soft_magnitude(z)), vec2<u32>(0x0u, 0xc096e400u)), vec2<u32>(0x0u, 0x0u));
    let t = soft_scale_down(e.h, soft_max(e.l, vec2<u32>(0x0u, 0xc0913000u)));
    let v = soft_div(x, soft_add(t, vec2<u32>(0x0u, 0x3ff00000u)));
    let n = soft_floor(soft_mul(e.l, vec2<u32>(0x0u, 0x3fe00000u)));
    let low = soft_scale_down(soft_mul(soft_scale_down(v, n), e.h), soft_sub(e.l, n));
    let zero = (x & vec2<u32>(0x0u, 0x80000000u));
    let nowhere = (whole_equal(z, vec2<u32>(0x0u, 0xfff00000u)) & !soft_is_nan(x));
    let r = select(select(v, low, soft_less(z, vec2<u32>(0x0u, 0x0u))), zero, nowhere);
    return select(r, z, soft_is_nan(z));
}

fn double_acos(x: Pair) -> Pair {
    var made = x;
    for (var lane = 0u; lane < 4u; lane++) {
        let one = soft_acos(vec2<u32>(x.lo[lane], x.hi[lane]));
        made.lo[lane] = one.x;
        made.hi[lane] = one.y;
    }
    return made;
}

fn double_acosh(x: Pair) -> Pair {
    var made = x;
    for (var lane = 0u; lane < 4u; lane++) {
        let one = soft_acosh(vec2<u32>(x.lo[lane], x.hi[lane]));
        made.lo[lane] = one.x;
        made.hi[lane] = one.y;
    }
    return made;
}

fn double_add(a: Pair, b: Pair) -> Pair {
    var made = a;
    for (var lane = 0u; lane < 4u; lane++) {
        let one = soft_add(vec2<u32>(a.lo[lane], a.hi[lane]), vec2<u32>(b.lo[lane], b.hi[lane]));
        made.lo[lane] = one.x;
        made.hi[lane] = one.y;
    }
    return made;
}

fn double_asin(x: Pair) -> Pair {
    var made = x;
    for (var lane = 0u; lane < 4u; lane++) {
        let one = soft_asin(vec2<u32>(x.lo[lane], x.hi[lane]));
        made.lo[lane] = one.x;
        made.hi[lane] = one.y;
    }
    return made;
}

fn double_asinh(x: Pair) -> Pair {
    var made = x;
    for (var lane = 0u; lane < 4u; lane++) {
        let one = soft_asinh(vec2<u32>(x.lo[lane], x.hi[lane]));
        made.lo[lane] = one.x;
        made.hi[lane] = one.y;
    }
    return made;
}

fn double_atan(x: Pair) -> Pair {
    var made = x;
    for (var lane = 0u; lane < 4u; lane++) {
        let one = soft_atan(vec2<u32>(x.lo[lane], x.hi[lane]));
        made.lo[lane] = one.x;
        made.hi[lane] = one.y;
    }
    return made;
}

fn double_atan2(y: Pair, x: Pair) -> Pair {
    var made = y;
    for (var lane = 0u; lane < 4u; lane++) {
        let one = soft_atan2(vec2<u32>(y.lo[lane], y.hi[lane]), vec2<u32>(x.lo[lane], x.hi[lane]));
        made.lo[lane] = one.x;
        made.hi[lane] = one.y;
    }
    return made;
}

fn double_atanh(x: Pair) -> Pair {
    var made = x;
    for (var lane = 0u; lane < 4u; lane++) {
        let one = soft_atanh(vec2<u32>(x.lo[lane], x.hi[lane]));
        made.lo[lane] = one.x;
        made.hi[lane] = one.y;
    }
    return made;
}

fn double_cbrt(x: Pair) -> Pair {
    var made = x;
    for (var lane = 0u; lane < 4u; lane++) {
        let one = soft_cbrt(vec2<u32>(x.lo[lane], x.hi[lane]));
        made.lo[lane] = one.x;
        made.hi[lane] = one.y;
    }
    return made;
}

fn double_ceil(x: Pair) -> Pair {
    let one_x = soft_ceil(vec2<u32>(x.lo.x, x.hi.x));
    let one_y = soft_ceil(vec2<u32>(x.lo.y, x.hi.y));
    let one_z = soft_ceil(vec2<u32>(x.lo.z, x.hi.z));
    let one_w = soft_ceil(vec2<u32>(x.lo.w, x.hi.w));
    return Pair(vec4<u32>(one_x.x, one_y.x, one_z.x, one_w.x), vec4<u32>(one_x.y, one_y.y, one_z.y, one_w.y));
}

fn double_celu(x: Pair, alpha: Pair) -> Pair {
    var made = x;
    for (var lane = 0u; lane < 4u; lane++) {
        let one = soft_celu(vec2<u32>(x.lo[lane], x.hi[lane]), vec2<u32>(alpha.lo[lane], alpha.hi[lane]));
        made.lo[lane] = one.x;
        made.hi[lane] = one.y;
    }
    return made;
}

fn double_cos(x: Pair) -> Pair {
    var made = x;
    for (var lane = 0u; lane < 4u; lane++) {
        let one = soft_cos(vec2<u32>(x.lo[lane], x.hi[lane]));
        made.lo[lane] = one.x;
        made.hi[lane] = one.y;
    }
    return made;
}

fn double_cosh(x: Pair) -> Pair {
    var made = x;
    for (var lane = 0u; lane < 4u; lane++) {
        let one = soft_cosh(vec2<u32>(x.lo[lane], x.hi[lane]));
        made.lo[lane] = one.x;
        made.hi[lane] = one.y;
    }
    return made;
}

fn double_div(a: Pair, b: Pair) -> Pair {
    var made = a;
    for (var lane = 0u; lane < 4u; lane++) {
        let one = soft_div(vec2<u32>(a.lo[lane], a.hi[lane]), vec2<u32>(b.lo[lane], b.hi[lane]));
        made.lo[lane] = one.x;
        made.hi[lane] = one.y;
    }
    return made;
}

fn double_elu(x: Pair, alpha: Pair) -> Pair {
    var made = x;
    for (var lane = 0u; lane < 4u; lane++) {
        let one = soft_elu(vec2<u32>(x.lo[lane], x.hi[lane]), vec2<u32>(alpha.lo[lane], alpha.hi[lane]));
        made.lo[lane] = one.x;
        made.hi[lane] = one.y;
    }
    return made;
}

fn double_erf(x: Pair) -> Pair {
    var made = x;
    for (var lane = 0u; lane < 4u; lane++) {
        let one = soft_erf(vec2<u32>(x.lo[lane], x.hi[lane]));
        made.lo[lane] = one.x;
        made.hi[lane] = one.y;
    }
    return made;
}

fn double_exp(x: Pair) -> Pair {
    var made = x;
    for (var lane = 0u; lane < 4u; lane++) {
        let one = soft_exp(vec2<u32>(x.lo[lane], x.hi[lane]));
        made.lo[lane] = one.x;
        made.hi[lane] = one.y;
    }
    return made;
}

fn double_exp2(x: Pair) -> Pair {
    var made = x;
    for (var lane = 0u; lane < 4u; lane++) {
        let one = soft_exp2(vec2<u32>(x.lo[lane], x.hi[lane]));
        made.lo[lane] = one.x;
        made.hi[lane] = one.y;
    }
    return made;
}

fn double_expm1(x: Pair) -> Pair {
    var made = x;
    for (var lane = 0u; lane < 4u; lane++) {
        let one = soft_expm1(vec2<u32>(x.lo[lane], x.hi[lane]));
        made.lo[lane] = one.x;
        made.hi[lane] = one.y;
    }
    return made;
}

fn double_floor(x: Pair) -> Pair {
    let one_x = soft_floor(vec2<u32>(x.lo.x, x.hi.x));
    let one_y = soft_floor(vec2<u32>(x.lo.y, x.hi.y));
    let one_z = soft_floor(vec2<u32>(x.lo.z, x.hi.z));
    let one_w = soft_floor(vec2<u32>(x.lo.w, x.hi.w));
    return Pair(vec4<u32>(one_x.x, one_y.x, one_z.x, one_w.x), vec4<u32>(one_x.y, one_y.y, one_z.y, one_w.y));
}

fn double_floor_div(a: Pair, b: Pair) -> Pair {
    var made = a;
    for (var lane = 0u; lane < 4u; lane++) {
        let one = soft_floor_div(vec2<u32>(a.lo[lane], a.hi[lane]), vec2<u32>(b.lo[lane], b.hi[lane]));
        made.lo[lane] = one.x;
        made.hi[lane] = one.y;
    }
    return made;
}

fn double_floor_mod(a: Pair, b: Pair) -> Pair {
    var made = a;
    for (var lane = 0u; lane < 4u; lane++) {
        let one = soft_floor_mod(vec2<u32>(a.lo[lane], a.hi[lane]), vec2<u32>(b.lo[lane], b.hi[lane]));
        made.lo[lane] = one.x;
        made.hi[lane] = one.y;
    }
    return made;
}

fn double_fmod(a: Pair, b: Pair) -> Pair {
    var made = a;
    for (var lane = 0u; lane < 4u; lane++) {
        let one = soft_fmod(vec2<u32>(a.lo[lane], a.hi[lane]), vec2<u32>(b.lo[lane], b.hi[lane]));
        made.lo[lane] = one.x;
        made.hi[lane] = one.y;
    }
    return made;
}

fn double_gelu(x: Pair) -> Pair {
    var made = x;
    for (var lane = 0u; lane < 4u; lane++) {
        let one = soft_gelu(vec2<u32>(x.lo[lane], x.hi[lane]));
        made.lo[lane] = one.x;
        made.hi[lane] = one.y;
    }
    return made;
}

fn double_gelu_tanh(x: Pair) -> Pair {
    var made = x;
    for (var lane = 0u; lane < 4u; lane++) {
        let one = soft_gelu_tanh(vec2<u32>(x.lo[lane], x.hi[lane]));
        made.lo[lane] = one.x;
        made.hi[lane] = one.y;
    }
    return made;
}

fn double_hard_sigmoid(x: Pair, alpha: Pair, beta: Pair) -> Pair {
    var made = x;
    for (var lane = 0u; lane < 4u; lane++) {
        let one = soft_hard_sigmoid(vec2<u32>(x.lo[lane], x.hi[lane]), vec2<u32>(alpha.lo[lane], alpha.hi[lane]), vec2<u32>(beta.lo[lane], beta.hi[lane]));
        made.lo[lane] = one.x;
        made.hi[lane] = one.y;
    }
    return made;
}

fn double_hard_swish(x: Pair) -> Pair {
    var made = x;
    for (var lane = 0u; lane < 4u; lane++) {
        let one = soft_hard_swish(vec2<u32>(x.lo[lane], x.hi[lane]));
        made.lo[lane] = one.x;
        made.hi[lane] = one.y;
    }
    return made;
}

fn double_hypot(a: Pair, b: Pair) -> Pair {
    var made = a;
    for (var lane = 0u; lane < 4u; lane++) {
        let one = soft_hypot(vec2<u32>(a.lo[lane], a.hi[lane]), vec2<u32>(b.lo[lane], b.hi[lane]));
        made.lo[lane] = one.x;
        made.hi[lane] = one.y;
    }
    return made;
}

fn double_leaky(x: Pair, slope: Pair) -> Pair {
    var made = x;
    for (var lane = 0u; lane < 4u; lane++) {
        let one = soft_leaky(vec2<u32>(x.lo[lane], x.hi[lane]), vec2<u32>(slope.lo[lane], slope.hi[lane]));
        made.lo[lane] = one.x;
        made.hi[lane] = one.y;
    }
    return made;
}

fn double_log(x: Pair) -> Pair {
    var made = x;
    for (var lane = 0u; lane < 4u; lane++) {
        let one = soft_log(vec2<u32>(x.lo[lane], x.hi[lane]));
        made.lo[lane] = one.x;
        made.hi[lane] = one.y;
    }
    return made;
}

fn double_log10(x: Pair) -> Pair {
    var made = x;
    for (var lane = 0u; lane < 4u; lane++) {
        let one = soft_log10(vec2<u32>(x.lo[lane], x.hi[lane]));
        made.lo[lane] = one.x;
        made.hi[lane] = one.y;
    }
    return made;
}

fn double_log1p(x: Pair) -> Pair {
    var made = x;
    for (var lane = 0u; lane < 4u; lane++) {
        let one = soft_log1p(vec2<u32>(x.lo[lane], x.hi[lane]));
        made.lo[lane] = one.x;
        made.hi[lane] = one.y;
    }
    return made;
}

fn double_log2(x: Pair) -> Pair {
    var made = x;
    for (var lane = 0u; lane < 4u; lane++) {
        let one = soft_log2(vec2<u32>(x.lo[lane], x.hi[lane]));
        made.lo[lane] = one.x;
        made.hi[lane] = one.y;
    }
    return made;
}

fn double_mish(x: Pair) -> Pair {
    var made = x;
    for (var lane = 0u; lane < 4u; lane++) {
        let one = soft_mish(vec2<u32>(x.lo[lane], x.hi[lane]));
        made.lo[lane] = one.x;
        made.hi[lane] = one.y;
    }
    return made;
}

fn double_mul(a: Pair, b: Pair) -> Pair {
    var made = a;
    for (var lane = 0u; lane < 4u; lane++) {
        let one = soft_mul(vec2<u32>(a.lo[lane], a.hi[lane]), vec2<u32>(b.lo[lane], b.hi[lane]));
        made.lo[lane] = one.x;
        made.hi[lane] = one.y;
    }
    return made;
}

fn double_pow(x: Pair, y: Pair) -> Pair {
    var made = x;
    for (var lane = 0u; lane < 4u; lane++) {
        let one = soft_pow(vec2<u32>(x.lo[lane], x.hi[lane]), vec2<u32>(y.lo[lane], y.hi[lane]));
        made.lo[lane] = one.x;
        made.hi[lane] = one.y;
    }
    return made;
}

fn double_reciprocal(x: Pair) -> Pair {
    var made = x;
    for (var lane = 0u; lane < 4u; lane++) {
        let one = soft_reciprocal(vec2<u32>(x.lo[lane], x.hi[lane]));
        made.lo[lane] = one.x;
        made.hi[lane] = one.y;
    }
    return made;
}

fn double_round(x: Pair) -> Pair {
    var made = x;
    for (var lane = 0u; lane < 4u; lane++) {
        let one = soft_round(vec2<u32>(x.lo[lane], x.hi[lane]));
        made.lo[lane] = one.x;
        made.hi[lane] = one.y;
    }
    return made;
}

fn double_round_away(x: Pair) -> Pair {
    var made = x;
    for (var lane = 0u; lane < 4u; lane++) {
        let one = soft_round_away(vec2<u32>(x.lo[lane], x.hi[lane]));
        made.lo[lane] = one.x;
        made.hi[lane] = one.y;
    }
    return made;
}

fn double_selu(x: Pair, alpha: Pair, gamma: Pair) -> Pair {
    var made = x;
    for (var lane = 0u; lane < 4u; lane++) {
        let one = soft_selu(vec2<u32>(x.lo[lane], x.hi[lane]), vec2<u32>(alpha.lo[lane], alpha.hi[lane]), vec2<u32>(gamma.lo[lane], gamma.hi[lane]));
        made.lo[lane] = one.x;
        made.hi[lane] = one.y;
    }
    return made;
}

fn double_sigmoid(x: Pair) -> Pair {
    var made = x;
    for (var lane = 0u; lane < 4u; lane++) {
        let one = soft_sigmoid(vec2<u32>(x.lo[lane], x.hi[lane]));
        made.lo[lane] = one.x;
        made.hi[lane] = one.y;
    }
    return made;
}

fn double_silu(x: Pair, alpha: Pair) -> Pair {
    var made = x;
    for (var lane = 0u; lane < 4u; lane++) {
        let one = soft_silu(vec2<u32>(x.lo[lane], x.hi[lane]), vec2<u32>(alpha.lo[lane], alpha.hi[lane]));
        made.lo[lane] = one.x;
        made.hi[lane] = one.y;
    }
    return made;
}

fn double_sin(x: Pair) -> Pair {
    var made = x;
    for (var lane = 0u; lane < 4u; lane++) {
        let one = soft_sin(vec2<u32>(x.lo[lane], x.hi[lane]));
        made.lo[lane] = one.x;
        made.hi[lane] = one.y;
    }
    return made;
}

fn double_sinh(x: Pair) -> Pair {
    var made = x;
    for (var lane = 0u; lane < 4u; lane++) {
        let one = soft_sinh(vec2<u32>(x.lo[lane], x.hi[lane]));
        made.lo[lane] = one.x;
        made.hi[lane] = one.y;
    }
    return made;
}

fn double_softplus(x: Pair) -> Pair {
    var made = x;
    for (var lane = 0u; lane < 4u; lane++) {
        let one = soft_softplus(vec2<u32>(x.lo[lane], x.hi[lane]));
        made.lo[lane] = one.x;
        made.hi[lane] = one.y;
    }
    return made;
}

fn double_softsign(x: Pair) -> Pair {
    var made = x;
    for (var lane = 0u; lane < 4u; lane++) {
        let one = soft_softsign(vec2<u32>(x.lo[lane], x.hi[lane]));
        made.lo[lane] = one.x;
        made.hi[lane] = one.y;
    }
    return made;
}

fn double_sqrt(x: Pair) -> Pair {
    var made = x;
    for (var lane = 0u; lane < 4u; lane++) {
        let one = soft_sqrt(vec2<u32>(x.lo[lane], x.hi[lane]));
        made.lo[lane] = one.x;
        made.hi[lane] = one.y;
    }
    return made;
}

fn double_sub(a: Pair, b: Pair) -> Pair {
    var made = a;
    for (var lane = 0u; lane < 4u; lane++) {
        let one = soft_sub(vec2<u32>(a.lo[lane], a.hi[lane]), vec2<u32>(b.lo[lane], b.hi[lane]));
        made.lo[lane] = one.x;
        made.hi[lane] = one.y;
    }
    return made;
}

fn double_tan(x: Pair) -> Pair {
    var made = x;
    for (var lane = 0u; lane < 4u; lane++) {
        let one = soft_tan(vec2<u32>(x.lo[lane], x.hi[lane]));
        made.lo[lane] = one.x;
        made.hi[lane] = one.y;
    }
    return made;
}

fn double_tanh(x: Pair) -> Pair {
    var made = x;
    for (var lane = 0u; lane < 4u; lane++) {
        let one = soft_tanh(vec2<u32>(x.lo[lane], x.hi[lane]));
        made.lo[lane] = one.x;
        made.hi[lane] = one.y;
    }
    return made;
}

fn double_threshold(x: Pair, alpha: Pair) -> Pair {
    let one_x = soft_threshold(vec2<u32>(x.lo.x, x.hi.x), vec2<u32>(alpha.lo.x, alpha.hi.x));
    let one_y = soft_threshold(vec2<u32>(x.lo.y, x.hi.y), vec2<u32>(alpha.lo.y, alpha.hi.y));
    let one_z = soft_threshold(vec2<u32>(x.lo.z, x.hi.z), vec2<u32>(alpha.lo.z, alpha.hi.z));
    let one_w = soft_threshold(vec2<u32>(x.lo.w, x.hi.w), vec2<u32>(alpha.lo.w, alpha.hi.w));
    return Pair(vec4<u32>(one_x.x, one_y.x, one_z.x, one_w.x), vec4<u32>(one_x.y, one_y.y, one_z.y, one_w.y));
}

fn double_trunc(x: Pair) -> Pair {
    let one_x = soft_trunc(vec2<u32>(x.lo.x, x.hi.x));
    let one_y = soft_trunc(vec2<u32>(x.lo.y, x.hi.y));
    let one_z = soft_trunc(vec2<u32>(x.lo.z, x.hi.z));
    let one_w = soft_trunc(vec2<u32>(x.lo.w, x.hi.w));
    return Pair(vec4<u32>(one_x.x, one_y.x, one_z.x, one_w.x), vec4<u32>(one_x.y, one_y.y, one_z.y, one_w.y));
}
