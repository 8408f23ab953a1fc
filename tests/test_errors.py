import inspect
import pickle
from pathlib import Path

import pytest

from casmopolitan import errors
from casmopolitan.errors import (
    CasmopolitanError,
    ConfigError,
    DataError,
    ExhaustedError,
    InfeasibleError,
    MissingExtraError,
    RunError,
    SpaceError,
    UnknownProblemError,
)
from casmopolitan.spreadsheet.table import TableError
from casmopolitan.study.file.diff import ChangedError
from casmopolitan.study.file.load import SpecError


def test_every_error_is_a_casmopolitan_error():
    found = [thing for _, thing in inspect.getmembers(errors, inspect.isclass) if thing.__module__ == errors.__name__]
    assert len(found) >= 6
    assert all(issubclass(thing, CasmopolitanError) for thing in found)


@pytest.mark.parametrize(
    ("error", "built_in"),
    [(SpaceError, ValueError), (DataError, ValueError), (RunError, RuntimeError), (InfeasibleError, SpaceError)],
)
def test_an_error_is_also_what_python_would_have_raised(error, built_in):
    assert issubclass(error, built_in)


def test_one_problem_is_the_message():
    error = SpaceError("the space is empty")
    assert str(error) == "the space is empty"
    assert error.problems == ["the space is empty"]


def test_several_problems_are_counted_and_listed():
    error = SpaceError(["first", "second"])
    assert str(error) == "2 problems:\n  first\n  second"
    assert error.problems == ["first", "second"]


def test_a_flood_of_problems_is_cut_in_the_message_and_whole_in_the_list():
    error = SpaceError([f"problem {i}" for i in range(1000)])
    assert len(error.problems) == 1000
    assert len(str(error).splitlines()) == SpaceError.SHOWN + 2
    assert str(error).endswith(f"... and {1000 - SpaceError.SHOWN} more in the error's `problems`")


def test_exhaustion_says_how_much_was_evaluated_and_whether_it_is_certain():
    error = ExhaustedError("nothing left", evaluated=8, size=8, certain=True)
    assert (str(error), error.evaluated, error.size, error.certain) == ("nothing left", 8, 8, True)


@pytest.mark.parametrize(
    "error",
    [
        SpaceError(["a", "b"]),
        InfeasibleError("none"),
        ConfigError(["a", "b"]),
        DataError("a value"),
        RunError("no value", optimizer="all that was evaluated"),
        ExhaustedError("the end", evaluated=3, size=3, certain=True),
        MissingExtraError("drawing", "matplotlib", "plots"),
        UnknownProblemError("who?"),
        TableError("results.csv", ["row 1"]),
        SpecError(Path("study.toml"), ["name"]),
        ChangedError("study", ["a variable"]),
    ],
)
def test_an_error_survives_the_journey_to_another_process(error):
    back = pickle.loads(pickle.dumps(error))
    assert (type(back), str(back), vars(back)) == (type(error), str(error), vars(error))
