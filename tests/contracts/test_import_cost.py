import subprocess
import sys

HEAVY = ("scipy", "optuna", "plotly", "pandas", "matplotlib", "sklearn", "torch", "xgboost", "typer", "rich", "pydantic")


def test_importing_casmopolitan_loads_nothing_heavy():
    code = "import sys, casmopolitan; print(*sorted({name.split('.')[0] for name in sys.modules}))"
    fresh = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(fresh.stdout.split())
    assert "casmopolitan" in loaded
    assert loaded.isdisjoint(HEAVY)
