"""Fused functions that call each other, and arguments that are equal without being the same."""

import dataclasses
import datetime
import decimal

import numpy as np
import pytest

import zerostride as zs

X = np.float32([[1, 2, 3], [4, 6, 8]])


def test_a_fused_function_that_another_calls_is_a_part_of_it():
    traced = []

    def inner(x, k):
        assert isinstance(x, zs.Array)
        traced.append("inner")
        return {"scaled": x * k, "both": (x + k, [x])}

    def middle(x):
        traced.append("middle")
        found = inner(x, 2)
        # An argument by its name, and one of NumPy's.
        return found["scaled"] + inner(k=3, x=X)["both"][0] - found["both"][1][0]

    def outer(x):
        traced.append("outer")
        return middle(x).sum(axis=0) + middle(x[0])

    inner, middle, outer = map(zs.fuse, (inner, middle, outer))

    def wanted(x):
        return (x + X + 3).sum(axis=0) + (x[0] + X + 3)

    for x in (X, X + 1, zs.asarray(X) * 2):
        np.testing.assert_array_equal(outer(x).numpy(), wanted(np.asarray(x)))
    assert traced == ["outer", "middle", "inner", "inner", "middle", "inner", "inner"]
    assert len(outer.explain()) == 1 and middle.explain() == inner.explain() == []
    # By themselves they have traces of their own.
    np.testing.assert_array_equal(middle(X).numpy(), X + X + 3)
    np.testing.assert_array_equal(inner(X, 2)["both"][0].numpy(), X + 2)
    assert len(middle.explain()) == len(inner.explain()) == 1
    np.testing.assert_array_equal(outer(X[:, ::-1]).numpy(), wanted(X[:, ::-1]))
    assert len(outer.explain()) == 1


def test_a_call_without_arrays_does_not_end_the_trace_around_it():
    weights = zs.fuse(lambda k=2: zs.asarray(np.float32([1, 2, 3])) * k)

    @zs.fuse
    def weighted(x):
        y = x * weights()
        return y + weights(k=3)

    for x in (X, X + 1):
        np.testing.assert_array_equal(weighted(x).numpy(), x * [2, 4, 6] + [3, 6, 9])
    assert len(weighted.explain()) == 1 and weights.explain() == []
    np.testing.assert_array_equal(weights().numpy(), [2, 4, 6])

    @zs.fuse
    def by_value(x):
        weights()
        return x if x.sum() > 0 else -x

    with pytest.raises(TypeError, match=r"zerostride\.where"):
        by_value(X)
    # And no trace is left behind.
    assert float(zs.asarray(1.0) + 1) == 2


def test_a_fused_function_may_call_itself():
    @zs.fuse
    def summed(x):
        half = x.shape[0] // 2
        return summed(x[:half] + x[half:]) if half else x[0]

    for length in (1, 2, 8):
        x = np.arange(3 * length, dtype=np.float32).reshape(length, 3)
        np.testing.assert_array_equal(summed(x).numpy(), x.sum(axis=0))
    assert len(summed.explain()) == 3


def test_what_a_call_within_a_call_does_to_its_arguments_stays_there():
    @zs.fuse
    def more(x):
        x += 1
        return x

    same = zs.fuse(lambda x: x)

    @zs.fuse
    def both(x):
        found = more(x) * 10 + x
        other = same(x)
        other += 100
        return found, x, other

    for found, wanted in zip(both(X), ((X + 1) * 10 + X, X, X + 100), strict=True):
        np.testing.assert_array_equal(found.numpy(), wanted)


def test_what_a_call_within_a_call_raises():
    number = zs.fuse(lambda x: 3)
    with pytest.raises(TypeError, match="arrays, not int"):
        zs.fuse(lambda x: number(x))(X)

    @zs.fuse
    def failing(x):
        raise ValueError(x.shape)

    @zs.fuse
    def mended(x):
        try:
            return failing(x)
        except ValueError:
            return x + 1

    np.testing.assert_array_equal(mended(X).numpy(), X + 1)


def test_gradients_go_through_calls_within_calls():
    square = zs.fuse(lambda a: a * a)
    cubes = zs.fuse(lambda a: (square(a) * a).sum())
    slope = zs.fuse(lambda a: zs.gradient(square(a).sum(), a))
    x = zs.asarray(X)
    np.testing.assert_array_equal(zs.gradient(cubes(x), x).numpy(), 3 * X * X)
    np.testing.assert_array_equal(slope(x).numpy(), 2 * X)


@dataclasses.dataclass(frozen=True)
class Settings:
    factor: object
    table: object = dataclasses.field(default=None, compare=False)


class Plain:
    """Equal by what it holds, which it does not show."""

    def __init__(self, held):
        self.held = held

    def __eq__(self, other):
        return type(other) is Plain and self.held == other.held

    def __hash__(self):
        return hash(self.held)


NOON = datetime.datetime(2026, 1, 1, 12, tzinfo=datetime.UTC)
EQUAL = [
    (frozenset({1}), frozenset({True})),
    (frozenset({0.0}), frozenset({-0.0})),
    (frozenset({(2,)}), frozenset({(2.0,)})),
    (Settings(0.0), Settings(-0.0)),
    (Settings(1), Settings(True)),
    (Settings((0.0,)), Settings((-0.0,))),
    (Settings(Settings(1)), Settings(Settings(1.0))),
    (Settings(1, table=2), Settings(1, table=3)),
    ((Settings(0.0),), (Settings(-0.0),)),
    ({1: "a"}, {True: "a"}),
    (complex(0.0, 0.0), complex(0.0, -0.0)),
    (slice(0, 1), slice(False, True)),
    (range(0), range(1, 1)),
    (decimal.Decimal("1.0"), decimal.Decimal("1.00")),
    (NOON, NOON.astimezone(datetime.timezone(datetime.timedelta(hours=1)))),
]


@pytest.mark.parametrize(("first", "second"), EQUAL)
def test_values_that_are_only_equal_have_a_trace_each(first, second):
    assert first == second
    seen = []
    f = zs.fuse(lambda x, value: seen.append(value) or x + 1)
    for value in (first, second, first, second):
        f(X, value)
    assert len(seen) == 2 and seen[0] is first and seen[1] is second


@pytest.mark.parametrize(
    "make",
    [
        lambda: frozenset({1, (2.0, float("nan")), frozenset({"a"})}),
        lambda: Settings(0.5, table=[1, {"a": -0.0}]),
        lambda: Settings((Settings("a"), None)),
        lambda: decimal.Decimal("1.0"),
        lambda: range(int("3")),
        lambda: slice(1, None, int("2")),
        lambda: complex("1+2j"),
        lambda: NOON.replace(year=2025),
        lambda: Plain(int("1000")),
        lambda: np.dtype("f4"),
        lambda: X.sum,
    ],
)
def test_values_that_are_the_same_share_a_trace(make):
    seen = []
    f = zs.fuse(lambda x, value: seen.append(value) or x + 1)
    for _ in range(3):
        f(X, make())
    assert len(seen) == 1


def test_what_is_computed_of_values_that_are_only_equal():
    inverse = zs.fuse(lambda x, settings: 1 / (x * settings.factor))
    for factor in (0.0, -0.0, 0.0, -0.0):
        np.testing.assert_array_equal(inverse(X, Settings(factor)).numpy(), np.full_like(X, np.copysign(np.inf, factor)))
    times = zs.fuse(lambda x, factors: x * min(factors))
    whole = np.int16([1, 2])
    found = [times(whole, frozenset({factor})).dtype for factor in (1, 1.0, True, 1)]
    assert found == [np.int16, np.float32, np.int16, np.int16]


def test_arrays_within_values_are_no_keys():
    f = zs.fuse(lambda x, settings: x + settings.table)
    first, second = zs.asarray(X), X * 2
    for table in (first, second, first):
        np.testing.assert_array_equal(f(X, Settings(1, table)).numpy(), X + np.asarray(table))
    assert len(f.explain()) == 2
    for value in ((first,), [second], {"a": first}, {1}, Settings(first)):
        with pytest.raises(TypeError, match="unhashable"):
            f(X, value)


def test_an_array_that_was_set_before_a_trace_has_its_elements_after_it():
    w = zs.zeros(3, dtype="f4")
    w[0] = 1
    x = zs.asarray(np.arange(3, dtype="f4"))
    assert zs.fuse(lambda x: x + w)(x).tolist() == [1, 1, 2]
    assert (w + 1).tolist() == [2, 1, 1]
