import copy
import math
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from casmopolitan.core.domain import MAX_TRIES
from casmopolitan.errors import InfeasibleError, SpaceError
from casmopolitan.space import Categorical, Forbid, Integer, Ordinal, Real, Space
from strategies import configurations, seeds, spaces

TUNING = Space(
    {
        "optimiser": Categorical(["sgd", "adam", "rmsprop"]),
        "batch": Ordinal([32, 64, 128, 256]),
        "layers": Integer(1, 8),
        "lr": Real(1e-5, 1e-1, log=True),
    }
)
GOOD = {"optimiser": "adam", "batch": 64, "layers": 3, "lr": 1e-3}


def test_a_space_names_its_variables_in_order():
    assert TUNING.names == ("optimiser", "batch", "layers", "lr")
    assert list(TUNING) == list(TUNING.names)
    assert len(TUNING) == 4
    assert TUNING["layers"] == Integer(1, 8)
    assert "lr" in TUNING
    assert "rl" not in TUNING
    assert dict(TUNING.variables)["batch"] == Ordinal([32, 64, 128, 256])


def test_an_unknown_name_is_answered_with_a_near_one():
    with pytest.raises(SpaceError, match=r"'optimizer' is not a variable of the space. Did you mean 'optimiser'?"):
        TUNING["optimizer"]


def test_the_size_is_an_exact_integer_or_infinite():
    assert TUNING.size == math.inf
    assert Space({"a": Categorical(["x", "y", "z"]), "n": Integer(0, 100), "r": Real(0, 1, step=0.1)}).size == 3 * 101 * 11
    many = Space({f"v{i}": Categorical(range(5)) for i in range(300)})
    assert many.size == 5**300


def test_the_domain_is_built_once():
    assert TUNING.domain is TUNING.domain


@given(spaces(), seeds())
def test_every_sampled_configuration_is_allowed_and_native(space, seed):
    for configuration in space.sample(5, seed):
        space.validate(configuration)
        assert space.allows(configuration)
        assert {type(value) for value in configuration.values()} <= {str, int, float, bool, type(None)}


def test_sampling_is_a_function_of_the_seed_or_the_generator():
    assert TUNING.sample(5, 7) == TUNING.sample(5, 7) == TUNING.sample(5, np.random.default_rng(7))
    assert TUNING.sample(5, 7) != TUNING.sample(5, 8)
    assert TUNING.sample(0, 7) == []


def test_sampling_is_uniform_over_choices_and_over_logarithms():
    sample = TUNING.sample(4000, 0)
    shares = [sum(c["optimiser"] == word for c in sample) / 4000 for word in ("sgd", "adam", "rmsprop")]
    np.testing.assert_allclose(shares, 1 / 3, atol=0.03)
    assert sum(c["lr"] < 1e-3 for c in sample) / 4000 == pytest.approx(0.5, abs=0.03)


def test_sampling_respects_predicates_and_clauses():
    space = Space(
        {"a": Categorical(["x", "y"]), "b": Integer(1, 3), "c": Integer(0, 99)},
        constraint=[Forbid({"a": "x", "b": [1, 2]}), lambda c: c["c"] % 2 == 0],
    )
    sample = space.sample(300, 0)
    assert all(c["c"] % 2 == 0 and not (c["a"] == "x" and c["b"] < 3) for c in sample)
    assert {(c["a"], c["b"]) for c in sample} == {("x", 3), ("y", 1), ("y", 2), ("y", 3)}


def test_a_constraint_is_called_lazily():
    calls = []

    def counted(configuration):
        calls.append(configuration)
        return True

    space = Space({f"v{i}": Categorical(range(100)) for i in range(100)}, constraint=counted)
    assert space.domain.size == 100**100
    assert calls == []
    space.sample(3, 0)
    assert len(calls) == 3


def test_a_predicate_is_spared_what_a_clause_forbids():
    seen = []

    def recorded(configuration):
        seen.append(configuration["a"])
        return True

    space = Space({"a": Categorical(["x", "y"]), "b": Real(0, 1)}, constraint=[recorded, Forbid({"a": "x"})])
    space.sample(50, 0)
    assert set(seen) == {"y"}


def test_a_constraint_that_nothing_satisfies_is_an_error_and_not_an_endless_loop():
    calls = []

    def never(configuration):
        calls.append(1)
        return False

    with pytest.raises(
        InfeasibleError, match=r"Loosen it, .* supply one allowed configuration: others are then searched for near it"
    ):
        Space({"x": Real(0, 1)}, constraint=never).sample(1, 0)
    assert len(calls) <= MAX_TRIES + 64


def test_the_one_allowed_point_of_a_small_space_is_found():
    space = Space({f"v{i}": Categorical(range(2)) for i in range(13)}, constraint=lambda c: sum(c.values()) == 13)
    for seed in range(3):
        assert space.sample(2, seed) == [dict.fromkeys(space.names, 1)] * 2


def test_a_small_space_without_an_allowed_point_is_known_to_have_none():
    with pytest.raises(InfeasibleError, match=r"none of the 4 points is feasible.* choices and bounds$"):
        Space({"a": Integer(1, 4)}, constraint=lambda c: False).sample(1, 0)


def test_a_good_configuration_is_valid():
    TUNING.validate(GOOD)
    assert TUNING.allows(GOOD)


def test_a_configuration_is_read_into_the_spaces_own_words():
    space = Space({"a": Real(0.0, 2.0), "b": Integer(1, 5), "c": Categorical([True, 1])}, constraint=lambda c: c["b"] < 5)
    given = {"c": 1, "b": np.int64(3), "a": 1}
    read = space.read(given)
    assert list(read.items()) == [("a", 1.0), ("b", 3), ("c", 1)]
    assert [type(value) for value in read.values()] == [float, int, int]
    assert read is not given
    for wrong in ({**given, "b": 9}, {**given, "b": 5}):
        with pytest.raises(SpaceError):
            space.read(wrong)


def test_every_problem_of_a_configuration_is_listed_at_once():
    with pytest.raises(SpaceError) as caught:
        TUNING.validate({"optimizer": "adam", "batch": 64.0, "layers": "3", "lr": 1.0})
    assert caught.value.problems == [
        "'optimizer' is not a variable of the space; drop or rename it. Did you mean 'optimiser'?",
        "Categorical 'optimiser' has no value; give one",
        "Ordinal 'batch' got 64.0; its values are 32, 64, 128, 256. Did you mean 64?",
        "Integer 'layers' got '3' (a str); it takes an int from 1 to 8. Did you mean 3?",
        "Real 'lr' got 1.0; it takes a number from 1e-05 to 0.1",
    ]


@given(spaces(clauses=0), st.data())
def test_a_configuration_with_a_name_missing_or_too_many_is_refused(space, data):
    configuration = data.draw(configurations(space))
    name = data.draw(st.sampled_from(space.names))
    assert not space.allows({k: v for k, v in configuration.items() if k != name})
    assert not space.allows({**configuration, name + "'": 1})
    assert not space.allows({**configuration, name: object()})


@pytest.mark.parametrize("thing", [None, 3, "adam", [("optimiser", "adam")]])
def test_what_is_no_configuration_is_refused(thing):
    with pytest.raises(SpaceError, match=r"it is a dict of names and values"):
        TUNING.validate(thing)


def test_a_forbidden_configuration_is_told_by_which_rule():
    def balanced(configuration):
        return configuration["b"] < 3

    space = Space({"a": Categorical(["x", "y"]), "b": Integer(1, 3)}, constraint=[Forbid({"a": "x", "b": 1}), balanced])
    with pytest.raises(SpaceError, match=r"forbidden by Forbid\({'a': 'x', 'b': 1}\); change 'a', 'b'"):
        space.validate({"a": "x", "b": 1})
    with pytest.raises(SpaceError, match=r"breaks the constraint .*balanced"):
        space.validate({"a": "x", "b": 3})
    assert not space.allows({"a": "x", "b": 3})
    assert space.allows({"a": "y", "b": 1})


def test_every_problem_of_a_space_is_listed_at_once_with_the_variables_name():
    with pytest.raises(SpaceError) as caught:
        Space(
            [
                ("a", Categorical([])),
                ("b", Categorical(["x", "x"])),
                ("c", Integer(8, 1)),
                ("d", Real(0, math.nan)),
                ("e", Real(-math.inf, 1)),
                ("f", Real(0, 1, log=True)),
                ("f", Real(0, 1)),
                ("g", ["x", "y"]),
                ("", Real(0, 1)),
                ("good", Real(0, 1)),
            ],
            constraint=[Forbid({"goood": 1}), Forbid({"a": "x"}), "a < b"],
        )
    starts = [" ".join(text.split()[:2]) for text in caught.value.problems]
    assert starts == [
        "Categorical 'a'",
        "Categorical 'b'",
        "Integer 'c'",
        "Real 'd'",
        "Real 'e'",
        "Real 'f'",
        "the name",
        "'g' is",
        "a variable",
        "Forbid({'goood': 1})",
        "the rule",
    ]
    assert "Did you mean Categorical(['x', 'y'])?" in str(caught.value)
    assert "Did you mean 'good'?" in str(caught.value)


@pytest.mark.parametrize("nothing", [{}, [], ()])
def test_an_empty_space_is_an_error(nothing):
    with pytest.raises(SpaceError, match=r"the space is empty; give at least one variable"):
        Space(nothing)


@pytest.mark.parametrize("thing", [None, 3, "abc", [1, 2]])
def test_what_is_no_dict_of_variables_is_an_error(thing):
    with pytest.raises(SpaceError, match=r"a space is made of a dict"):
        Space(thing)


def test_fixing_a_variable_makes_it_constant_and_keeps_it_in_configurations():
    fixed = TUNING.fix(optimiser="sgd", lr=0.01)
    assert fixed.names == TUNING.names
    assert (fixed.domain.d_h, fixed.domain.d_x) == (2, 0)
    assert fixed.size == 32
    assert all(c["optimiser"] == "sgd" and c["lr"] == 0.01 for c in fixed.sample(10, 0))
    assert TUNING.size == math.inf


def test_fixing_reports_every_mistake_at_once():
    with pytest.raises(SpaceError) as caught:
        TUNING.fix(optimizer="sgd", layers=9, batch=32)
    assert len(caught.value.problems) == 2
    assert "Did you mean 'optimiser'?" in str(caught.value)


def test_fixing_keeps_the_constraint():
    space = Space(
        {"a": Categorical(["x", "y"]), "b": Integer(1, 3), "c": Real(0, 1, step=0.5)},
        constraint=[Forbid({"a": "x", "b": [1, 2]}), Forbid({"c": 0.5, "a": "y"}), lambda c: c["c"] < 1],
    )
    fixed = space.fix(a="x")
    assert fixed.constraint[:-1] == (Forbid({"a": "x", "b": [1, 2]}),)
    assert all(c["b"] == 3 and c["c"] < 1 for c in fixed.sample(20, 0))


def test_fixing_what_a_clause_forbids_is_an_error():
    space = Space({"a": Categorical(["x", "y"]), "b": Real(0, 1)}, constraint=Forbid({"a": "x"}))
    with pytest.raises(SpaceError, match=r"forbids every configuration"):
        space.fix(a="x")
    assert space.fix(a="y").constraint == ()


def test_a_variable_may_have_any_name_even_self():
    space = Space({"self": Integer(1, 3), "learning rate": Real(0, 1)})
    assert space.fix(**{"self": 2, "learning rate": 0.5}).size == 1


def test_spaces_are_equal_when_names_variables_order_and_constraint_are():
    a, b = Categorical(["x", "y"]), Integer(1, 3)
    assert Space({"a": a, "b": b}) == Space({"a": Categorical(["x", "y"]), "b": Integer(1, 3)})
    assert hash(Space({"a": a, "b": b})) == hash(Space({"a": a, "b": b}))
    assert Space({"a": a, "b": b}) != Space({"b": b, "a": a})
    assert Space({"a": Categorical([1])}) != Space({"a": Categorical([True])})
    clauses = [Forbid({"a": "x"}), Forbid({"b": 1})]
    assert Space({"a": a, "b": b}, clauses) == Space({"a": a, "b": b}, clauses[::-1])
    assert Space({"a": a, "b": b}, clauses) != Space({"a": a, "b": b})
    assert Space({"a": a}) != {"a": a}


def test_a_constraint_is_costly_when_a_predicate_is_in_it():
    variables = {"a": Categorical(["x", "y"]), "b": Integer(0, 3)}
    clause = Forbid({"a": "x", "b": 1})
    assert not Space(variables).domain.costly
    assert not Space(variables, clause).domain.costly
    assert Space(variables, [clause, bool]).domain.costly


def test_a_space_can_be_copied_after_its_domain_was_built():
    space = Space({"a": Categorical(["x", "y"])}, constraint=Forbid({"a": "x"}))
    assert space.sample(1, 0) == [{"a": "y"}]
    again = copy.deepcopy(space)
    assert again == space
    assert again.sample(1, 0) == [{"a": "y"}]


def test_a_repr_reads_like_the_declaration():
    space = Space({"a": Categorical(["x"]), "n": Integer(1, 3)}, constraint=Forbid({"n": 2}))
    assert repr(space) == ("Space({\n    'a': Categorical(['x']),\n    'n': Integer(1, 3),\n}, constraint=[Forbid({'n': 2})])")


def peak_memory(build):
    tracemalloc.start()
    space = build()
    assert space.decode(space.encode(space.sample(2, 0)))
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most


def test_a_hundred_thousand_choices_take_memory_linear_in_their_number():
    few = peak_memory(lambda: Space({"a": Categorical(range(10_000)), "b": Ordinal(range(10_000))}))
    many = peak_memory(lambda: Space({"a": Categorical(range(100_000)), "b": Ordinal(range(100_000))}))
    assert many < 15 * few
    assert many < 100e6


def test_ten_thousand_variables_take_memory_linear_in_their_number():
    few = peak_memory(lambda: Space({f"v{i}": Categorical(["a", "b"]) for i in range(1000)}))
    many = peak_memory(lambda: Space({f"v{i}": Categorical(["a", "b"]) for i in range(10_000)}))
    assert many < 15 * few
    assert many < 50e6


def test_the_repr_of_a_large_space_stays_short():
    assert len(repr(Space({f"v{i}": Categorical(range(1000)) for i in range(1000)}))) < 10_000


def test_of_hundreds_of_rules_the_first_few_are_shown():
    choices = {f"v{i}": Categorical(["x", "y"]) for i in range(2)}
    with pytest.raises(SpaceError) as raised:
        Space(choices, [Forbid({"v0": ["x", "y"]}) for _ in range(500)])
    assert [text.partition(")")[2] for text in raised.value.problems[:5]] == [
        " forbids every configuration; leave at least one value free"
    ] * 5
    assert raised.value.problems[5:] == ["the rules have 495 more problems"]
    space = Space({**choices, "n": Integer(0, 9)}, [Forbid({"n": {"from": 1, "to": 1 + i % 9}, "v0": "x"}) for i in range(500)])
    assert repr(space).endswith(", ... and 495 more])")
    assert space.problems({"v0": "x", "v1": "x", "n": 1})[5:] == ["the configuration breaks 495 more rules"]
