import pytest
from hypothesis import given
from hypothesis import strategies as st

import casmopolitan as cas
from casmopolitan.space.linear import Linear

SPACE = {"a": cas.Real(0, 1), "b": cas.Real(0, 1), "n": cas.Integer(0, 9), "c": cas.Categorical(["x", "y"])}


@pytest.mark.parametrize(
    ("text", "coefficients", "bound"),
    [
        ("a + b <= 1", {"a": 1.0, "b": 1.0}, 1.0),
        ("a + 2 * b <= 1", {"a": 1.0, "b": 2.0}, 1.0),
        ("2*a - b/4 + 3 <= 1e1", {"a": 2.0, "b": -0.25}, 7.0),
        ("a >= b", {"a": -1.0, "b": 1.0}, 0.0),
        ("-a <= - -0.5", {"a": -1.0}, 0.5),
        ("1 - a - b >= .25", {"a": 1.0, "b": 1.0}, 0.75),
        ("3 * 2 * a <= a + n", {"a": 5.0, "n": -1.0}, 0.0),
        ("`flow rate` <= 3", {"flow rate": 1.0}, 3.0),
    ],
)
def test_a_rule_is_a_sum_and_its_bound(text, coefficients, bound):
    assert Linear(text).parsed == (coefficients, bound)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a + b", "has 0 comparisons instead of one"),
        ("0 <= a <= 1", "has 2 comparisons instead of one"),
        ("a < 1", "compares with '<'"),
        ("a == 1", "compares with '=='"),
        ("a * b <= 1", "is not linear in 'b'"),
        ("1 / a <= 1", "is not linear in 'a'"),
        ("a / 0 <= 1", "divides by 0"),
        ("a b <= 1", "has no operator before 'b'"),
        ("a + <= 1", "ends without a number or a variable"),
        ("* a <= 1", "has '*' without a number or a variable before it"),
        ("a * - b <= 1", "has '-' after '*'"),
        ("(a) <= 1", "cannot be read at '(a)'"),
        ("1 <= 2", "names no variable"),
        ("a - a <= 2", "names no variable"),
        ("", "has 0 comparisons"),
        ("a + z <= 1", "names 'z', which is not a variable of the space"),
        ("a + c <= 1", "adds 'c', whose choices are not all numbers; use a Forbid for it"),
    ],
)
def test_a_rule_that_cannot_be_used_is_refused_with_the_reason(text, words):
    with pytest.raises(cas.SpaceError) as caught:
        cas.Space(SPACE, constraint=text)
    assert words in str(caught.value)
    assert repr(text) in str(caught.value)


def test_rounding_breaks_no_rule():
    assert 0.1 + 0.2 + 0.7 > 1 - 1e-16
    rule = Linear("a + b + n <= 0.6")
    assert rule.holds({"a": 0.1, "b": 0.2, "n": 0.3})
    assert not rule.holds({"a": 0.1, "b": 0.2, "n": 0.300001})


def test_a_broken_rule_is_named_with_its_variables():
    space = cas.Space(SPACE, constraint="a + b <= 1")
    problems = space.problems({"a": 0.7, "b": 0.8, "n": 3, "c": "x"})
    assert problems == ["the configuration breaks the rule 'a + b <= 1'; change 'a', 'b'"]


@given(st.lists(st.tuples(st.sampled_from("ab"), st.integers(-9, 9)), min_size=1, max_size=6), st.integers(-9, 9), st.data())
def test_a_rule_says_what_python_says(terms, bound, data):
    text = " + ".join(f"{k} * {name}" for name, k in terms).replace("+ -", "- ")
    values = {name: data.draw(st.integers(-9, 9)) for name in "ab"}
    rule = Linear(f"{text} <= {bound}")
    if any(sum(k for name, k in terms if name == one) for one in "ab"):
        assert rule.holds(values) == (eval(text, {}, values) <= bound)
