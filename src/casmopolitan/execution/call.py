"""Calls one Python function in its own process: `python -P call.py module:function FOLDER RESULT_FILE`.

A standalone script that imports only the standard library. It reads the configuration as JSON from standard input and writes
the value, or the outcomes by name, as JSON to the result file. An exception is printed and ends the process with exit code 1.
If the function cannot be imported, the result file says why.
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
    """Return a function's result as a float, or None for `casmopolitan.FAILED`; raise TypeError for a non-number."""
    if type(answer).__name__ == "Failed":
        return None
    text = f"the function returned {answer!r:.80} of type {type(answer).__name__}; it must return a number"
    number: Any = answer
    if hasattr(number, "__array__") and hasattr(number, "item"):
        with contextlib.suppress(Exception):  # an array of several elements has no item; `float` refuses it below
            number = number.item()
    unordered = isinstance(number, Complex) and not isinstance(number, Real)
    if isinstance(number, bool | str | bytes) or unordered or not hasattr(number, "__float__"):
        raise TypeError(text)
    try:
        return float(number)
    except (TypeError, ValueError, RuntimeError):
        raise TypeError(text) from None


def as_outcomes(answer: dict[Any, Any]) -> dict[str, float | None]:
    """Return a function's outcomes as floats, None for those that were not measured; TypeError for a non-number."""
    return {str(name): None if value is None else as_number(value) for name, value in answer.items()}


def import_function(target: str) -> Any:
    """Import the function that `module:function` names."""
    module, _, name = target.partition(":")
    function: Any = importlib.import_module(module)
    for step in name.split("."):
        function = getattr(function, step)
    return function


def main(target: str, folder: str, result_file: str) -> None:
    """Call the function and write its value to the result file."""
    configuration = json.load(sys.stdin)
    sys.path.insert(0, folder)
    try:
        function = import_function(target)
    except (ImportError, AttributeError, SyntaxError) as error:
        Path(result_file).write_text(json.dumps({"unstartable": f"{type(error).__name__}: {error}"}), "utf-8")
        raise
    answer = function(configuration)
    if isinstance(answer, dict):
        Path(result_file).write_text(json.dumps({"outcomes": as_outcomes(answer)}), "utf-8")
        return
    value = as_number(answer)
    finite = None if value is None or not math.isfinite(value) else value
    Path(result_file).write_text(json.dumps({"value": finite, "said": "FAILED" if value is None else repr(value)}), "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
