import gzip

import numpy as np
import pytest

from casmopolitan.errors import DataError
from casmopolitan.problems.satisfiability.wcnf import parse, read

OLD = "c a comment\np wcnf 3 4 10\n10 -1 -2 0\n3 1 0\n2 2 0\n1 -3 2 1 0\n"
NEW = "c a comment\nh -1 -2 0\n3 1 0\n2 2 0\n1 -3 2 1 0\n"


def test_the_old_format_gives_weights_and_marks_hard_clauses():
    formula = parse(OLD)
    assert formula.n == 3
    assert formula.weights.tolist() == [10, 3, 2, 1]
    assert formula.hard.tolist() == [True, False, False, False]


def test_the_new_format_weighs_a_hard_clause_more_than_all_soft_ones():
    formula = parse(NEW)
    assert formula.weights.tolist() == [7, 3, 2, 1]
    assert formula.hard.tolist() == [True, False, False, False]


@pytest.mark.parametrize(
    ("x", "satisfied"), [("110", [0, 1, 1, 1]), ("000", [1, 0, 0, 1]), ("001", [1, 0, 0, 0]), ("101", [1, 1, 0, 1])]
)
def test_a_clause_is_satisfied_when_one_literal_holds(x, satisfied):
    for text in (OLD, NEW):
        assert parse(text).satisfied(np.array([bit == "1" for bit in x])).tolist() == list(map(bool, satisfied))


def test_plain_and_gzipped_files_read_the_same(tmp_path):
    (tmp_path / "a.wcnf").write_text(OLD)
    (tmp_path / "a.wcnf.gz").write_bytes(gzip.compress(OLD.encode()))
    plain, packed = read(tmp_path / "a.wcnf"), read(tmp_path / "a.wcnf.gz")
    assert np.array_equal(plain.variables, packed.variables)
    assert np.array_equal(plain.weights, packed.weights)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("p wcnf 3\n1 1 0\n", "line 1.*not a header"),
        ("p cnf 3 1\n1 1 0\n", "line 1.*not a header"),
        ("p wcnf 3 1 x\n1 1 0\n", "line 1.*not a header"),
        ("p wcnf 0 1 5\n1 1 0\n", "line 1.*not a header"),
        ("p wcnf 3 1 5\np wcnf 3 1 5\n1 1 0\n", "line 2.*second header"),
        ("1 1 0\np wcnf 3 1 5\n", "line 2.*second header"),
        ("c hi\n1 1 2\n", "line 2.*single 0"),
        ("1 1 0 2 0\n", "line 1.*single 0"),
        ("3 0\n", "line 1.*at least one literal"),
        ("1 1 0\n2 a 0\n", "line 2.*not a clause"),
        ("-1 1 0\n", "line 1.*finite number >= 0"),
        ("inf 1 0\n", "line 1.*finite number >= 0"),
        ("p wcnf 2 1 5\n1 1 -3 0\n", "line 2.*literal -3 is out of range; the header has 2 variables"),
        ("p wcnf 2 1 5\nh 1 -2 0\n", "line 2.*'h'"),
        ("p wcnf 2 2 5\n1 1 0\n", "announces 2 clauses, but the file has 1"),
        ("c nothing\n", "has no clause"),
    ],
)
def test_a_malformed_file_is_named_with_its_line(text, said):
    with pytest.raises(DataError, match=f"(?s)x.wcnf.*{said}"):
        parse(text, "x.wcnf")


def test_a_file_that_is_missing_or_no_text_is_a_data_error(tmp_path):
    (tmp_path / "b.wcnf").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "c.wcnf").write_bytes(gzip.compress(OLD.encode())[:-9])
    for name in ("a.wcnf", "b.wcnf", "c.wcnf"):
        with pytest.raises(DataError, match="cannot be read"):
            read(tmp_path / name)
