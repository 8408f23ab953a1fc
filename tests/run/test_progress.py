"""The progress bar: quiet unless on a terminal or asked for."""

from __future__ import annotations

import io

import casmopolitan as cas
from casmopolitan.run.progress import ProgressBar, remaining


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self):
        return True


def test_nothing_is_written_where_nobody_looks(capsys):
    cas.minimize(lambda c: c["a"], cas.Space({"a": cas.Categorical([1, 2, 3])}), 2, seed=0)
    assert capsys.readouterr() == ("", "")


def test_asked_for_it_writes_a_line_a_tenth_to_stderr(capsys):
    cas.minimize(lambda c: c["a"], cas.Space({"a": cas.Integer(1, 99)}), 20, seed=0, progress=True)
    written = capsys.readouterr()
    assert written.out == ""
    lines = written.err.splitlines()
    assert len(lines) == 10
    assert "20/20" in lines[-1]
    assert "best " in lines[-1]
    assert " in " in lines[-1]


def test_on_a_terminal_the_line_is_rewritten_in_place():
    screen = Terminal()
    bar = ProgressBar(10, stream=screen)
    bar.update(1, "best 0.5", 0, 2.0)
    bar.update(2, "best 0.25", 1, 4.0)
    bar.close()
    assert screen.getvalue().count("\r") == 2
    assert screen.getvalue().endswith("\n")
    assert "best 0.25  1 failed  16 s left" in screen.getvalue()
    assert "━" in screen.getvalue()


def test_a_terminal_can_be_told_to_be_quiet():
    screen = Terminal()
    bar = ProgressBar(10, shown=False, stream=screen)
    bar.update(1, "best 0.5", 0, 2.0)
    bar.close()
    assert screen.getvalue() == ""


def test_a_plain_encoding_gets_plain_characters():
    screen = Terminal()
    screen.encoding = "ascii"
    ProgressBar(4, stream=screen).update(2, "best -", 0, 1.0)
    assert "############............ 2/4  best -" in screen.getvalue()


def test_time_left_is_bounded_by_the_timeout():
    assert remaining(2, 10, 4.0, None) == 16.0
    assert remaining(2, 10, 4.0, 10.0) == 6.0
    assert remaining(0, 10, 4.0, None) is None


def test_in_a_notebook_the_line_is_rewritten_in_place():
    class Notebook(io.StringIO):
        encoding = "utf-8"

    Notebook.__module__ = "ipykernel.iostream"
    out = Notebook()
    bar = ProgressBar(10, stream=out)
    bar.update(1, "best 1", 0, 1.0)
    bar.update(2, "best 1", 0, 2.0)
    assert out.getvalue().count("\r") == 2
