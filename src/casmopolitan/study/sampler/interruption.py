"""Telling a trial that was interrupted from one that failed."""

from __future__ import annotations

import inspect


def interrupted() -> bool:
    """Whether the trial that Optuna is about to store was ended by Ctrl-C.

    Optuna stores an interrupted trial as failed and hands samplers the state alone, so the reason is looked up where Optuna
    keeps it, in the running `study.optimize`. Where it is not found, the trial counts as failed.
    """
    frame = inspect.currentframe()
    while frame is not None:
        if frame.f_code.co_name == "_run_trial" and frame.f_globals.get("__name__") == "optuna.study._optimize":
            return isinstance(frame.f_locals.get("func_err"), KeyboardInterrupt)
        frame = frame.f_back
    return False
