import pytest

from benchmarks import __main__ as command
from benchmarks import ledger
from benchmarks.checkpoints import changes


def record(seed, best, problem="pest-25", method="default", direction="minimize"):
    found = {
        "problem": problem,
        "method": method,
        "seed": seed,
        "budget": 100,
        "batch": 1,
        "start": "shared",
        "status": "complete",
    }
    return found | {
        "evaluations": 100,
        "initial": 20,
        "direction": direction,
        "optimum": None,
        "best": [[1, 9.0], *best],
        "seconds": None,
    }


BEFORE = [record(seed, [[40, 5.0 + seed]]) for seed in range(3)]
AFTER = [record(seed, [[40, 4.0 + 2 * seed], [80, 1.0]]) for seed in range(1, 4)]


def test_a_change_is_measured_on_the_seeds_that_both_ran():
    rows = changes(BEFORE, AFTER, (50, 100)).splitlines()[2:]
    assert rows[0] == "| pest-25 | 50 | 2 | 6.5 ± 0.5 | 7 ± 1 | 0.5 ± 0.5 |"
    assert rows[1] == "| pest-25 | 100 | 2 | 6.5 ± 0.5 | 1 ± 0 | -5.5 ± 0.5 |"


def test_where_larger_is_better_a_gain_is_negative_all_the_same():
    was, now = ([record(seed, [[40, 10.0 + gain]], direction="maximize") for seed in (0, 1)] for gain in (0.0, 2.0))
    (row,) = changes(was, now, (100,)).splitlines()[2:]
    assert row.endswith("| -2 ± 0 |")


@pytest.mark.parametrize("other", [{"problem": "labs-50"}, {"method": "paper"}])
def test_what_only_one_file_holds_is_left_out(other):
    assert len(changes(BEFORE, [record(1, [], **other)], (100,)).splitlines()) == 2


def test_the_command_reads_two_files(tmp_path, capsys):
    for name, records in (("before", BEFORE), ("after", AFTER)):
        for one in records:
            ledger.append(tmp_path / f"{name}.jsonl", one)
    command.main(["compare", str(tmp_path / "before.jsonl"), str(tmp_path / "after.jsonl"), "--at", "100"])
    assert "-5.5 ± 0.5" in capsys.readouterr().out
