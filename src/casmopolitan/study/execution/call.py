"""Calls one Python function in a process of its own: `python -P call.py module:function FOLDER RESULT_FILE`.

A script of the standard library alone. The configuration comes as JSON on standard input; the value goes as JSON to the
result file; an exception is printed and ends the process with code 1. Where there is no such function, or no such
module, the result file says so.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import math
import sys
from numbers import Complex, Real
from pathlib import Path
from typing import Any


def as_number(answer: object) -> float | None:
    """A function's answer as a float, None for `casmopolitan.FAILED`; TypeError for what is no number."""
    if type(answer).__name__ == "Failed":
        return None
    text = f"the function returned {answer!r:.80} of type {type(answer).__name__}; it must return a number"
    number: Any = answer
    if hasattr(number, "__array__") and hasattr(number, "item"):
        with contextlib.suppress(Exception):  # of one element; of several it raises, and so does a float of them
            number = number.item()
    unordered = isinstance(number, Complex) and not isinstance(number, Real)
    if isinstance(number, bool | str | bytes) or unordered or not hasattr(number, "__float__"):
        raise TypeError(text)
    try:
        return float(number)
    except (TypeError, ValueError, RuntimeError):
        raise TypeError(text) from None


def found(target: str) -> Any:
    """The function that `module:function` names."""
    module, _, name = target.partition(":")
    function: Any = importlib.import_module(module)
    for step in name.split("."):
        function = getattr(function, step)
    return function


def main(target: str, folder: str, result_file: str) -> None:
    """Call the function and write what it returned."""
    configuration = json.load(sys.stdin)
    sys.path.insert(0, folder)
    try:
        function = found(target)
    except (ImportError, AttributeError, SyntaxError) as error:
        Path(result_file).write_text(json.dumps({"unstartable": f"{type(error).__name__}: {error}"}), "utf-8")
        raise
    value = as_number(function(configuration))
    said = None if value is None or not math.isfinite(value) else value
    Path(result_file).write_text(json.dumps({"value": said, "said": "FAILED" if value is None else repr(value)}), "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
