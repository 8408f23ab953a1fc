import runpy
from pathlib import Path

from casmopolitan import problems
from casmopolitan.space import Categorical, Integer, Ordinal, Real, Space

DOCS = Path(__file__).parents[2] / "docs"
TABLE = runpy.run_path(str(DOCS / "problems_table.py"))


def test_the_document_is_what_the_registry_says():
    message = "write it again: python docs/problems_table.py > docs/problems.md"
    assert (DOCS / "problems.md").read_text(encoding="utf-8") == TABLE["markdown"](), message


def test_there_is_a_row_for_every_listed_name():
    assert [row.name for row in TABLE["rows"]()] == problems.names()


def test_variables_are_counted_by_kind():
    space = Space(
        {"a": Categorical([1, 2]), "b": Categorical([3, 4]), "c": Ordinal([1, 2, 3]), "d": Integer(1, 5), "e": Real(0, 1)}
    )
    assert TABLE["variables"](space) == "2 categorical × 2, 1 ordinal × 3, 1 integer × 5, 1 real"
    assert TABLE["size"](space) == "60 × ℝ^1"


def test_sizes_and_optima_are_readable():
    row = {row.name: row for row in TABLE["rows"]()}
    assert row["pest-80"].size == "8.27e+55"
    assert row["contamination-25"].optimum == "21.44"
    assert row["pest-25"].optimum == "12.0316 (best known)"
    assert row["attack-digits"].optimum == "succeeds at -1"
    assert row["levy-20"].size == "ℝ^20"
