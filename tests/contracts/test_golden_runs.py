import subprocess
import sys

import pytest

from contracts import golden_runs


def test_suggestions_are_those_of_the_record_to_the_last_bit():
    """In a process of its own, because it takes much longer while coverage is measured."""
    recorded = golden_runs.recorded()[0]
    if recorded != golden_runs.machine():
        pytest.skip(f"the record was made on {recorded}, and bits depend on that")
    done = subprocess.run([sys.executable, golden_runs.__file__, "--quick"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
