from pathlib import Path

from casmopolitan import problems
from casmopolitan.problems.table import size, variables
from casmopolitan.space import Categorical, Integer, Ordinal, Real, Space

DOCUMENT = Path(__file__).parents[2] / "docs" / "problems.md"


def test_the_document_is_what_the_registry_says():
    message = "write it again: python -m casmopolitan.problems.table > docs/problems.md"
    assert DOCUMENT.read_text(encoding="utf-8") == problems.markdown(), message


def test_there_is_a_row_for_every_listed_name():
    assert [row.name for row in problems.rows()] == problems.names()


def test_variables_are_counted_by_kind():
    space = Space(
        {"a": Categorical([1, 2]), "b": Categorical([3, 4]), "c": Ordinal([1, 2, 3]), "d": Integer(1, 5), "e": Real(0, 1)}
    )
    assert variables(space) == "2 categorical × 2, 1 ordinal × 3, 1 integer × 5, 1 real"
    assert size(space) == "60 × ℝ^1"


def test_sizes_and_optima_are_readable():
    row = {row.name: row for row in problems.rows()}
    assert row["pest-80"].size == "8.27e+55"
    assert row["contamination-25"].optimum == "21.44"
    assert row["pest-25"].optimum == "12.0316 (best known)"
    assert row["attack-digits"].optimum == "succeeds at -1"
    assert row["levy-20"].size == "ℝ^20"
