// Doubles by integers beside the CPU's own: scripts/check_soft_doubles.py puts soft_double.h, a translation of
// shaders/soft_double.wgsl, beside this file and compiles both.
//
//   main PAIRS SEED

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

typedef uint32_t u32;
typedef int32_t i32;

// What the shader takes from WGSL.
struct vec2u {
    u32 x, y;
};
static vec2u operator&(vec2u a, vec2u b) { return {a.x & b.x, a.y & b.y}; }
static vec2u operator|(vec2u a, vec2u b) { return {a.x | b.x, a.y | b.y}; }
static vec2u operator^(vec2u a, vec2u b) { return {a.x ^ b.x, a.y ^ b.y}; }
static vec2u operator~(vec2u a) { return {~a.x, ~a.y}; }
template <class T> static T select(T no, T yes, bool which) { return which ? yes : no; }
template <class T> static T min(T a, T b) { return a < b ? a : b; }
template <class T> static T max(T a, T b) { return a > b ? a : b; }
template <class T> static T clamp(T x, T low, T high) { return min(max(x, low), high); }
template <class To, class From> static To bitcast(From from) {
    static_assert(sizeof(To) == sizeof(From));
    To to;
    memcpy(&to, &from, sizeof to);
    return to;
}
static u32 countLeadingZeros(u32 x) { return x ? __builtin_clz(x) : 32; }
static u32 magnitude(i32 x) { return x < 0 ? 0u - (u32)x : (u32)x; }

#include "soft_double.h"

static double number(uint64_t bits) { return bitcast<double>(bits); }
static uint64_t bits(double x) { return bitcast<uint64_t>(x); }
static uint64_t bits(vec2u words) { return words.x | (uint64_t)words.y << 32; }

static uint64_t state;
static uint64_t next() {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * 0x2545f4914f6cdd1dull;
}

static const uint64_t SIGN = 1ull << 63, QUIET = 1ull << 51, INFINITY_BITS = 0x7ffull << 52, ONES = (1ull << 52) - 1;

// Bits of all exponents, of some that are near one another, of very small and large ones, of few digits, and of integers.
static uint64_t drawn() {
    const uint64_t r = next(), kept = r & (SIGN | ONES);
    switch (next() % 8) {
    case 0:
    case 1: return r;
    case 2: return kept | (1000 + next() % 50) << 52;
    case 3: return kept | (next() % 60) << 52;
    case 4: return kept | (1990 + next() % 58) << 52;
    case 5: return (r & SIGN) | (next() % 2048) << 52 | (next() % 4 ? 0 : ONES) | next() % 8;
    case 6: return (r & SIGN) | 1ull << (next() % 63) | next() % 4;
    default: return bits((double)(int64_t)(r >> (next() % 64)));
    }
}

static long differing = 0;
static void same(const char *what, uint64_t a, uint64_t b, uint64_t wanted, uint64_t found) {
    if (wanted != found && differing++ < 20)
        printf("%s of %016lx, %016lx is %016lx, not %016lx\n", what, a, b, wanted, found);
}

static void compare(uint64_t a, uint64_t b) {
    const volatile double x = number(a), y = number(b);
    const vec2u p = {(u32)a, (u32)(a >> 32)}, q = {(u32)b, (u32)(b >> 32)};
    const bool nan = std::isnan(x);
    same("sum", a, b, bits(x + y), bits(soft_add(p, q)));
    same("difference", a, b, bits(x - y), bits(soft_sub(p, q)));
    same("product", a, b, bits(x * y), bits(soft_mul(p, q)));
    same("quotient", a, b, bits(x / y), bits(soft_div(p, q)));
    same("root", a, b, bits(sqrt(x)), bits(soft_sqrt(p)));
    same("floor", a, b, nan ? a | QUIET : bits(floor(x)), bits(soft_floor(p)));
    same("ceil", a, b, nan ? a | QUIET : bits(ceil(x)), bits(soft_ceil(p)));
    same("<", a, b, x < y, soft_less(p, q));
    same("<=", a, b, x <= y, soft_less_equal(p, q));
    same("==", a, b, x == y, soft_equal(p, q));
    same("f64 of u32", a, b, bits((double)(u32)a), bits(soft_from_u32((u32)a)));
    same("f64 of i32", a, b, bits((double)(i32)a), bits(soft_from_i32((i32)a)));
    if (x >= 0 && x < 4294967296.0)
        same("u32 of f64", a, b, (u32)x, soft_to_u32(p));
}

int main(int, char **arguments) {
    const long pairs = atol(arguments[1]);
    state = strtoull(arguments[2], nullptr, 10) * 2 + 1;
    const uint64_t half = 0x3feull << 52, one = 0x3ffull << 52, two_52 = 0x433ull << 52, two_32 = 0x41full << 52;
    const uint64_t positive[] = {0, 1, 2, 3, ONES, ONES + 1, ONES + 2, 2 * (ONES + 1), 2 * (ONES + 1) - 1, half, one - 1, one,
        one + 1, one + QUIET, one + ONES + 1, one + ONES + 1 + QUIET, two_52, two_52 + 1, two_52 + ONES, two_52 + ONES + 1,
        two_32 - (1ull << 22), two_32 - (1ull << 21), two_32, 0x7fdfull << 48, 0x7feull << 52, INFINITY_BITS - 1, INFINITY_BITS,
        INFINITY_BITS + QUIET, INFINITY_BITS + 1, INFINITY_BITS + ONES, 0x3caull << 52, 0x3cbull << 52};
    for (uint64_t a : positive)
        for (uint64_t b : positive)
            for (int signs = 0; signs < 4; signs++)
                compare(a | (signs & 1 ? SIGN : 0), b | (signs & 2 ? SIGN : 0));
    for (long i = 0; i < pairs; i++) {
        const uint64_t a = drawn();
        uint64_t b = drawn();
        if (i % 5 == 0) // the same but for the last digits, and maybe the sign
            b = (a ^ (next() % 2 << 63)) + next() % 9 - 4;
        if (i % 7 == 0) // so near in exponent that digits meet
            b = (b & (SIGN | ONES)) | ((a + (next() % 130 << 52) - (65ull << 52)) & INFINITY_BITS);
        compare(a, b);
    }
    printf("%ld pairs and all of 64 special numbers: %ld results differ from the CPU's\n", pairs, differing);
    return differing != 0;
}
