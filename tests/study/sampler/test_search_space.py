import math

import optuna
import pytest
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

import casmopolitan as cas
from casmopolitan.study import CasmopolitanSampler, distributions_of, suggest
from casmopolitan.study.sampler.search_space import representable, translation_of

SPACE = cas.Space(
    {
        "c": cas.Categorical(["a", None, 2]),
        "o": cas.Ordinal([1, 10, 100], log=True),
        "i": cas.Integer(1, 10, step=2),
        "l": cas.Integer(1, 1000, log=True),
        "r": cas.Real(1e-4, 1.0, log=True),
        "g": cas.Real(0.0, 1.05, step=0.1),
        "one": cas.Integer(3, 3),
    }
)


def test_a_space_in_optunas_words():
    assert distributions_of(SPACE) == {
        "c": CategoricalDistribution(["a", None, 2]),
        "o": CategoricalDistribution([1, 10, 100]),
        "i": IntDistribution(1, 9, step=2),
        "l": IntDistribution(1, 1000, log=True),
        "r": FloatDistribution(1e-4, 1.0, log=True),
        "g": FloatDistribution(0.0, 1.0, step=0.1),
        "one": IntDistribution(3, 3),
    }


def test_what_optuna_cannot_say_is_refused_all_at_once():
    space = cas.Space({"a": cas.Categorical([1, True]), "b": cas.Ordinal([False, 0])})
    with pytest.raises(cas.SpaceError, match="2 problems") as caught:
        distributions_of(space)
    assert str(caught.value).count("does not distinguish") == 2


def test_every_value_of_a_space_is_one_of_optunas():
    translation = translation_of(SPACE)
    for configuration in SPACE.sample(200, 0):
        point = SPACE.encode([configuration])
        params = translation.params(point)
        for name, value in params.items():
            assert translation.distributions[name]._contains(translation.distributions[name].to_internal_repr(value))
        assert translation.point(params) == point
        assert translation.agrees(point, params)


def test_suggest_gives_the_whole_configuration():
    fixed = optuna.trial.FixedTrial({"c": "a", "o": 10, "i": 3, "l": 7, "r": 0.5, "g": 0.3, "one": 3})
    assert suggest(fixed, SPACE) == fixed.params


def test_distributions_become_variables_by_kind():
    translation = translation_of(
        {
            "f": FloatDistribution(0, 1),
            "g": FloatDistribution(0, 1, step=0.25),
            "i": IntDistribution(0, 4),
            "c": CategoricalDistribution(["x", "y"]),
            "o": CategoricalDistribution(["s", "m", "l"]),
            "k": FloatDistribution(2.0, 2.0, step=1.0),
        },
        ordinal=["o"],
    )
    assert dict(translation.space.variables) == {
        "f": cas.Real(0.0, 1.0),
        "g": cas.Real(0.0, 1.0, step=0.25),
        "i": cas.Integer(0, 4),
        "c": cas.Categorical(["x", "y"]),
        "o": cas.Ordinal(["s", "m", "l"]),
        "k": cas.Real(2.0, 2.0),
    }


def test_choices_without_words_get_labels_and_rules_still_see_the_choices():
    choices = (math.inf, (1, 2), "a", 1, True)
    with pytest.warns(UserWarning, match="Choices for a categorical distribution"):
        distribution = CategoricalDistribution(choices)
    translation = translation_of({"c": distribution}, constraint=lambda c: c["c"] != "a")
    assert translation.space["c"].count == 4  # to Optuna 1 and True are one choice
    allowed = [p["c"] for p in (translation.params(translation.space.encode([c])) for c in translation.space.sample(40, 0))]
    assert {str(one) for one in allowed} == {"inf", "(1, 2)", "1"}
    assert translation.params(translation.point({"c": (1, 2)})) == {"c": (1, 2)}


def test_a_nan_is_the_choice_of_nan_whichever_nan_it_is():
    translation = translation_of({"c": CategoricalDistribution([math.nan, "a", None])})
    point = translation.point({"c": float("nan")})
    assert point == translation.point({"c": math.nan}) != translation.point({"c": None})
    assert translation.agrees(point, {"c": float("nan")})
    assert not translation.agrees(point, {"c": "a"})
    assert translation.point({"c": "b"}) is None


@pytest.mark.parametrize("params", [{}, {"c": "z", "x": 0.5}, {"c": "a", "x": 7.0}, {"c": "a", "x": "0.5"}, {"x": 0.5}])
def test_parameters_that_do_not_fit_have_no_point(params):
    assert translation_of({"c": CategoricalDistribution(["a", "b"]), "x": FloatDistribution(0, 1)}).point(params) is None


def test_the_fingerprint_tells_spaces_apart():
    one = {"a": CategoricalDistribution(["x", "y"]), "b": IntDistribution(0, 3)}
    assert translation_of(one).fingerprint == translation_of(dict(one)).fingerprint
    others = [one | {"b": IntDistribution(0, 4)}, dict(reversed(one.items())), {"a": one["a"]}]
    prints = {translation_of(other).fingerprint for other in others} | {translation_of(one, ordinal=["a"]).fingerprint}
    assert len(prints | {translation_of(one).fingerprint}) == 5


def test_what_floats_cannot_carry_is_set_aside():
    kept, refused = representable({"n": IntDistribution(0, 2**60), "x": FloatDistribution(0, 1)})
    assert list(kept) == ["x"]
    assert "finer than floats can represent" in refused["n"]


def test_what_optuna_has_no_field_for_is_suggested_from_the_space_itself():
    space = cas.Space(
        {
            "a": cas.Real(0.5, 9, step=0.5, log=True),
            "b": cas.Integer(1, 901, step=20, log=True),
            "c": cas.Real(0.05, 1, log=True, digits=2),
        }
    )
    study = optuna.create_study(sampler=CasmopolitanSampler(space, seed=0))
    for _ in range(12):
        trial = study.ask(distributions_of(space))
        assert space.read(trial.params) == trial.params
        study.tell(trial, sum(trial.params.values()))
    assert len({tuple(trial.params.values()) for trial in study.trials}) == 12


def test_a_constraint_that_is_none_is_refused_as_a_space_refuses_it():
    with pytest.raises(cas.SpaceError, match=r"Did you mean Forbid\(\{'a': 'x'\}\)\?"):
        translation_of({"a": CategoricalDistribution(["x", "y"])}, constraint={"a": "x"})


def test_parameters_hold_the_coordinates_they_decide_and_those_that_do_not_fit_hold_none():
    translation = translation_of(SPACE)
    point = SPACE.encode([SPACE.sample(1, 3)[0]])
    params = translation.params(point)
    whole = translation.fixed(params)
    assert (len(whole.h), len(whole.x)) == (point.h.shape[1], point.x.shape[1])
    assert whole.agrees(point)[0]
    some = translation.fixed({"o": 10, "r": 7.0, "c": "no such", "one": 3, "l": params["l"]})
    assert (some.h, some.x) == ({1: 1}, {0: float(point.x[0, 0])})
