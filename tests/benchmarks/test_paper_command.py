import subprocess
import sys

import pytest

from benchmarks import __main__ as command
from benchmarks import arena, ledger
from benchmarks.ledger import Cell
from benchmarks.paper import catalogue
from benchmarks.paper.claims import Claim, beats
from benchmarks.paper.drawing import curves
from benchmarks.paper.experiment import Experiment, Line, Panel, Quick


@pytest.fixture
def tiny(monkeypatch, tmp_path):
    """Two experiments that share a cell, one of them with an unknown method; returns a function that runs the command."""

    def made(name, *methods, **settings):
        panel = Panel("func2c", "Func2C", tuple(map(Line, methods)), 60, quick=Quick(22, 2))
        claims = (Claim("Random search is better.", beats("random", ("default",))),)
        return Experiment(name, name, "Fig. 0", claims, (panel,), curves, "Tiny.", **settings)

    experiments = (made("one", "random", "no-such-rival"), made("two", "random"), made("times", "random", alone=True))
    monkeypatch.setattr(catalogue, "EXPERIMENTS", {e.name: e for e in experiments})

    def run(*arguments):
        command.main(["paper", *arguments, "--results", str(tmp_path / "results"), "--page", str(tmp_path / "page.md")])
        return tmp_path

    return run


def test_a_finished_cell_is_skipped_and_an_unknown_method_is_named(tiny, capsys):
    folder = tiny("one", "--jobs", "2")
    said = capsys.readouterr().err
    assert "one: left out, no method is called 'no-such-rival'" in said
    assert "one (quick): 2 cells to run, 0 done before" in said
    path = folder / "results" / "one-quick.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    assert [Cell.of(r).seed for r in ledger.read(path)] in ([0, 1], [1, 0])
    path.write_bytes(lines[0] + lines[1][:30])
    tiny("one")
    assert "one (quick): 1 cell to run, 1 done before" in capsys.readouterr().err
    assert len(ledger.read(path)) == 2
    assert "too small to judge" in (folder / "page.md").read_text()
    assert (folder / "images" / "paper-one.png").read_bytes().startswith(b"\x89PNG")


def test_experiments_share_their_cells_but_times_are_measured_alone(tiny, capsys):
    folder = tiny("all", "--seeds", "1", "--jobs", "2")
    said = capsys.readouterr().err
    assert "two (quick): 1 cell to run" in said
    assert sorted(path.name for path in (folder / "results").iterdir()) == ["one-quick.jsonl", "times-quick.jsonl"]
    tiny("two", "--seeds", "1")
    assert "two (quick): 0 cells to run, 1 done before" in capsys.readouterr().err


def test_a_run_out_of_minutes_stops_and_continues(tiny, capsys):
    folder = tiny("two", "--minutes", "0")
    assert "Stopped after 0 minutes. The same command continues" in capsys.readouterr().err
    assert not (folder / "results" / "two-quick.jsonl").exists()
    tiny("two", "--minutes", "5")
    assert len(ledger.read(folder / "results" / "two-quick.jsonl")) == 2


def test_methods_and_problems_can_be_chosen(tiny, capsys):
    tiny("one", "--methods", "no-such-rival")
    assert "0 cells to run" in capsys.readouterr().err
    tiny("one", "--problems", "func", "--seeds", "1")
    assert "one (quick): 1 cell to run" in capsys.readouterr().err


def test_a_misspelt_figure_is_named():
    with pytest.raises(SystemExit, match="No figure or table is called 'fig-categorial'"):
        command.main(["paper", "fig-categorial"])


def test_the_list_has_every_experiment(capsys):
    command.main(["paper", "list"])
    assert len(capsys.readouterr().out.splitlines()) == len(catalogue.EXPERIMENTS)


def test_an_attack_ends_with_its_success_and_keeps_its_solution():
    pytest.importorskip("sklearn")
    records = []
    cell = Cell("attack-digits-2-3", "random", 0, 400)
    arena.run([cell], jobs=1, cap_seconds=None, ended=records.append)
    (record,) = records
    assert record["status"] == "done"
    assert record["evaluations"] == max(record["initial"], record["best"][-1][0]) < 400
    assert record["best"][-1][1] == -1.0
    assert record["solution"]["upsampling"] in ("bilinear", "nearest", "bicubic")


def test_runs_need_no_matplotlib():
    code = "import sys; sys.modules['matplotlib'] = None; import benchmarks.paper.catalogue as c; print(len(c.EXPERIMENTS))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=arena.ROOT, check=True)
    assert int(ran.stdout) == len(catalogue.EXPERIMENTS)


@pytest.mark.parametrize(("option", "known"), [("--methods", "no-such-rival, random"), ("--problems", "func2c")])
def test_a_misspelt_method_or_problem_stops_the_run_before_it_starts(tiny, option, known):
    with pytest.raises(SystemExit, match=rf"of one is called 'rnadom'; there are {known}\."):
        tiny("one", option, "rnadom")
