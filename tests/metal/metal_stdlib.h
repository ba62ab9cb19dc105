// What naga's MSL needs of Metal's standard library, in C++17: vectors, their operators, functions on them, and a barrier.
// Integers wrap (-fwrapv), shifts take the low bits of their count, and floats are computed one operation after the other
// (-ffp-contract=off).
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#define kernel
#define device
#define constant const
#define threadgroup
#define thread

namespace metal {
using uint = unsigned int;
using ushort = unsigned short;
using uchar = unsigned char;
using ulong = unsigned long;
using half = _Float16;

template <class T> constexpr bool is_number = std::is_arithmetic_v<T> || std::is_same_v<T, half>;
template <class T> using if_number = std::enable_if_t<is_number<T>>;

template <class T, int N> struct elements;
template <class T> struct elements<T, 2> {
    T x, y;
};
template <class T> struct elements<T, 3> {
    T x, y, z;
};
template <class T> struct elements<T, 4> {
    T x, y, z, w;
};

template <class T, int N> struct alignas(sizeof(T) * (N == 3 ? 4 : N)) vec : elements<T, N> {
    vec() = default;
    template <class S, class = if_number<S>> vec(S s) {
        for (int i = 0; i < N; i++) (*this)[i] = T(s);
    }
    template <class A, class B, class... More> vec(A a, B b, More... more) {
        int next = 0;
        append(next, a);
        append(next, b);
        (append(next, more), ...);
    }
    template <class S> void append(int& next, const S& s) { (*this)[next++] = T(s); }
    template <class U, int M> void append(int& next, const vec<U, M>& s) {
        for (int i = 0; i < M; i++) (*this)[next++] = s[i];
    }
    template <class U> explicit vec(const vec<U, N>& other) {
        for (int i = 0; i < N; i++) (*this)[i] = T(other[i]);
    }
    T& operator[](unsigned i) { return (&this->x)[i]; }
    const T& operator[](unsigned i) const { return (&this->x)[i]; }
    template <int... I> vec<T, sizeof...(I)> swizzle() const { return {(*this)[I]...}; }
    vec fused(const vec& b, const vec& c) const {
        vec made;
        for (int i = 0; i < N; i++) made[i] = std::fma((*this)[i], b[i], c[i]);
        return made;
    }
};

using float2 = vec<float, 2>;
using float3 = vec<float, 3>;
using float4 = vec<float, 4>;
using half2 = vec<half, 2>;
using half4 = vec<half, 4>;
using int2 = vec<int, 2>;
using int3 = vec<int, 3>;
using int4 = vec<int, 4>;
using uint2 = vec<uint, 2>;
using uint3 = vec<uint, 3>;
using uint4 = vec<uint, 4>;
using long2 = vec<long, 2>;
using long4 = vec<long, 4>;
using ulong2 = vec<ulong, 2>;
using ulong4 = vec<ulong, 4>;
using bool2 = vec<bool, 2>;
using bool3 = vec<bool, 3>;
using bool4 = vec<bool, 4>;

template <class T, int COLUMNS, int N> struct columns {
    vec<T, N> of[COLUMNS];
    columns() = default;
    template <class... V> explicit columns(V... v) : of{v...} {}
    vec<T, N>& operator[](unsigned i) { return of[i]; }
    const vec<T, N>& operator[](unsigned i) const { return of[i]; }
};
using float2x4 = columns<float, 2, 4>;
using float3x4 = columns<float, 3, 4>;
using float4x4 = columns<float, 4, 4>;

// The result of an operator on two numbers: small integers are not widened.
template <class T, class F> auto each(const T& a, const T& b, F f) { return f(a, b); }
template <class T, int N, class F> auto each(const vec<T, N>& a, const vec<T, N>& b, F f) {
    vec<std::decay_t<decltype(f(a[0], b[0]))>, N> made;
    for (int i = 0; i < N; i++) made[i] = f(a[i], b[i]);
    return made;
}
template <class T, class F> auto each(const T& a, F f) { return f(a); }
template <class T, int N, class F> auto each(const vec<T, N>& a, F f) {
    vec<std::decay_t<decltype(f(a[0]))>, N> made;
    for (int i = 0; i < N; i++) made[i] = f(a[i]);
    return made;
}

#define METAL_BINARY(OP, MADE) \
    template <class T, int N> auto operator OP(const vec<T, N>& a, const vec<T, N>& b) { \
        return each(a, b, [](T p, T q) { return MADE; }); \
    } \
    template <class T, int N, class S, class = if_number<S>> auto operator OP(const vec<T, N>& a, S s) { \
        return a OP vec<T, N>(s); \
    } \
    template <class T, int N, class S, class = if_number<S>> auto operator OP(S s, const vec<T, N>& a) { \
        return vec<T, N>(s) OP a; \
    }
METAL_BINARY(+, T(p + q))
METAL_BINARY(-, T(p - q))
METAL_BINARY(*, T(p * q))
METAL_BINARY(/, T(p / q))
METAL_BINARY(%, T(p % q))
METAL_BINARY(&, T(p & q))
METAL_BINARY(|, T(p | q))
METAL_BINARY(^, T(p ^ q))
METAL_BINARY(<, bool(p < q))
METAL_BINARY(<=, bool(p <= q))
METAL_BINARY(>, bool(p > q))
METAL_BINARY(>=, bool(p >= q))
METAL_BINARY(==, bool(p == q))
METAL_BINARY(!=, bool(p != q))
METAL_BINARY(&&, bool(p && q))
METAL_BINARY(||, bool(p || q))
#undef METAL_BINARY

#define METAL_SHIFT(OP) \
    template <class T, class S, int N> vec<T, N> operator OP(const vec<T, N>& a, const vec<S, N>& b) { \
        vec<T, N> made; \
        for (int i = 0; i < N; i++) made[i] = T(a[i] OP(b[i] & S(8 * sizeof(T) - 1))); \
        return made; \
    } \
    template <class T, int N, class S, class = if_number<S>> vec<T, N> operator OP(const vec<T, N>& a, S s) { \
        return a OP vec<uint, N>(s); \
    }
METAL_SHIFT(<<)
METAL_SHIFT(>>)
#undef METAL_SHIFT

template <class T, int N> vec<T, N> operator-(const vec<T, N>& a) {
    return each(a, [](T p) { return T(-p); });
}
template <class T, int N> vec<T, N> operator~(const vec<T, N>& a) {
    return each(a, [](T p) { return T(~p); });
}
template <class T, int N> vec<bool, N> operator!(const vec<T, N>& a) {
    return each(a, [](T p) { return !p; });
}
template <class T, int N, class S> vec<T, N>& operator-=(vec<T, N>& a, const S& b) { return a = a - b; }

template <int N> bool all(const vec<bool, N>& a) {
    bool made = true;
    for (int i = 0; i < N; i++) made &= a[i];
    return made;
}
template <int N> bool any(const vec<bool, N>& a) {
    bool made = false;
    for (int i = 0; i < N; i++) made |= a[i];
    return made;
}

template <class T> T select(const T& a, const T& b, bool c) { return c ? b : a; }
template <class T, int N> vec<T, N> chosen(const vec<T, N>& a, const vec<T, N>& b, const vec<bool, N>& c) {
    vec<T, N> made;
    for (int i = 0; i < N; i++) made[i] = c[i] ? b[i] : a[i];
    return made;
}
template <class T, class S, int N> vec<T, N> select(const vec<T, N>& a, const S& b, const vec<bool, N>& c) {
    return chosen(a, vec<T, N>(b), c);
}
template <class T, int N, class S, class = if_number<S>>
vec<T, N> select(S a, const vec<T, N>& b, const vec<bool, N>& c) {
    return chosen(vec<T, N>(a), b, c);
}

#define METAL_PAIRS(NAME, MADE) \
    template <class V> V NAME(const V& a, const V& b) { \
        return each(a, b, [](auto p, auto q) { return decltype(p)(MADE); }); \
    } \
    template <class T, int N, class S, class = if_number<S>> vec<T, N> NAME(const vec<T, N>& a, S b) { \
        return NAME(a, vec<T, N>(b)); \
    } \
    template <class T, int N, class S, class = if_number<S>> vec<T, N> NAME(S a, const vec<T, N>& b) { \
        return NAME(vec<T, N>(a), b); \
    }
// As IEEE 754 has minNum and maxNum.
METAL_PAIRS(min, (p != p ? q : q < p ? q : p))
METAL_PAIRS(max, (p != p ? q : p < q ? q : p))
METAL_PAIRS(fmod, std::fmod(p, q))
METAL_PAIRS(mulhi, ((unsigned long)(p) * q) >> 32)
#undef METAL_PAIRS
template <class V, class L, class H> V clamp(const V& x, const L& low, const H& high) {
    return min(max(x, V(low)), V(high));
}

#define METAL_EACH(NAME, MADE) \
    template <class V> V NAME(const V& a) { \
        return each(a, [](auto p) { return decltype(p)(MADE); }); \
    }
METAL_EACH(abs, p < 0 ? -p : p)
METAL_EACH(floor, std::floor(p))
METAL_EACH(ceil, std::ceil(p))
METAL_EACH(trunc, std::trunc(p))
METAL_EACH(rint, std::nearbyint(p))
METAL_EACH(sqrt, std::sqrt(p))
METAL_EACH(clz, p == 0 ? 8 * sizeof(p) : sizeof(p) == 8 ? __builtin_clzl(p) : __builtin_clz(uint(p)))
METAL_EACH(ctz, p == 0 ? 8 * sizeof(p) : sizeof(p) == 8 ? __builtin_ctzl(p) : __builtin_ctz(uint(p)))
METAL_EACH(popcount, sizeof(p) == 8 ? __builtin_popcountl(p) : __builtin_popcount(uint(p)))
METAL_EACH(exp, std::exp(p))
METAL_EACH(exp2, std::exp2(p))
METAL_EACH(log, std::log(p))
METAL_EACH(log2, std::log2(p))
METAL_EACH(sin, std::sin(p))
METAL_EACH(cos, std::cos(p))
METAL_EACH(tan, std::tan(p))
METAL_EACH(tanh, std::tanh(p))
#undef METAL_EACH

template <class V> V fma(const V& a, const V& b, const V& c) {
    if constexpr (is_number<V>) {
        return std::fma(a, b, c);
    } else {
        return a.fused(b, c);
    }
}

// Invocations of a program run one after the other, each to its next barrier: what is atomic is an access as any other.
using atomic_uint = uint;
using atomic_int = int;
enum memory_order { memory_order_relaxed };
template <class T> void atomic_store_explicit(T* at, T x, memory_order) { *at = x; }
template <class T> T atomic_load_explicit(const T* at, memory_order) { return *at; }
#define METAL_ATOMIC(NAME, MADE) \
    template <class T> T atomic_fetch_##NAME##_explicit(T* at, T x, memory_order) { \
        T was = *at; \
        *at = MADE; \
        return was; \
    }
METAL_ATOMIC(add, was + x)
METAL_ATOMIC(or, was | x)
METAL_ATOMIC(and, was& x)
METAL_ATOMIC(xor, was ^ x)
METAL_ATOMIC(min, min(was, x))
METAL_ATOMIC(max, max(was, x))
#undef METAL_ATOMIC

enum class mem_flags { mem_none, mem_device, mem_threadgroup };
// Lets the other invocations of the workgroup come as far.
void threadgroup_barrier(mem_flags);
}  // namespace metal

template <class T, class S> T as_type(const S& from) {
    static_assert(sizeof(T) == sizeof(S));
    T made;
    std::memcpy(&made, &from, sizeof(T));
    return made;
}

using namespace metal;
