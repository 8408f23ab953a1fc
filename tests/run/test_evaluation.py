"""One evaluation, and the text of its error."""

from __future__ import annotations

import json
import pickle

from casmopolitan.goals import Goals
from casmopolitan.run.evaluation import evaluate, headline

GOALS = Goals.of("minimize")


def outcome_of(objective):
    return evaluate(objective, GOALS, (Exception,), {"x": 1})


def raising(configuration):
    raise ValueError("two\nlines")


def test_an_exception_becomes_a_headline_and_a_traceback_that_begins_in_the_objective():
    outcome = outcome_of(raising)
    assert headline(outcome.error).startswith("ValueError: two\nlines (")
    assert 'raise ValueError("two\\nlines")' in outcome.error
    assert outcome.error.count("  File ") == 1
    assert pickle.loads(pickle.dumps(outcome)) == outcome


def test_the_headline_names_the_users_own_line_and_the_origin_the_librarys():
    outcome = outcome_of(lambda configuration: json.loads("{"))
    assert f"({__file__}, line " in headline(outcome.error)
    assert "decoder.py" in outcome.origin
    assert "decoder.py" in outcome.error


def test_the_cause_of_an_exception_is_kept():
    def chained(configuration):
        try:
            raising(configuration)
        except ValueError as error:
            raise RuntimeError("later") from error

    assert "direct cause" in outcome_of(chained).error
    assert headline(outcome_of(chained).error).startswith("RuntimeError: later (")


def test_the_traceback_of_an_endless_recursion_stays_short():
    def ping(configuration):
        return pong(configuration)

    def pong(configuration):
        return ping(configuration)

    assert outcome_of(ping).error.count("  File ") == 50


def test_an_objective_that_takes_no_argument_has_no_traceback():
    text = outcome_of(lambda: 1.0).error
    assert headline(text) == text


def test_one_mistake_has_one_origin_whatever_its_message():
    def broken(configuration):
        raise KeyError(len(seen))

    seen: list[int] = []
    first = outcome_of(broken)
    seen.append(1)
    assert first.error != outcome_of(broken).error
    assert first.origin == outcome_of(broken).origin != outcome_of(raising).origin
