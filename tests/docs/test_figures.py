"""The script that draws the figures of the documentation."""

from __future__ import annotations

from pathlib import Path

from docs import figures


def test_the_script_draws_every_figure_of_the_documentation(tmp_path, monkeypatch, capsys):
    draw = figures.draw
    monkeypatch.setattr(figures, "draw", lambda folder: draw(folder, (7, 8, 8, 10)))
    assert figures.main([str(tmp_path / "images")]) == 0
    drawn = {path.name for path in (tmp_path / "images").iterdir()}
    shown = {path.name for path in (Path(__file__).parents[2] / "docs" / "images").iterdir()}
    assert drawn == {name for name in shown if name != "report.png" and not name.startswith(("bench-", "paper-"))}
    assert len(capsys.readouterr().out.splitlines()) == len(drawn)


def test_the_script_wants_one_folder(capsys):
    assert figures.main([]) == 2
    assert "usage" in capsys.readouterr().err
