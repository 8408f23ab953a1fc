import subprocess
import sys

HEAVY = ("scipy", "optuna", "plotly", "pandas", "matplotlib", "sklearn", "torch", "xgboost", "typer", "rich", "pydantic")


def test_importing_casmopolitan_loads_nothing_heavy():
    code = "import sys, casmopolitan; print(*sorted({name.split('.')[0] for name in sys.modules}))"
    fresh = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(fresh.stdout.split())
    assert "casmopolitan" in loaded
    assert loaded.isdisjoint(HEAVY)


def test_importing_the_study_package_loads_optuna_only_when_it_is_used():
    loaded = "print('optuna' in sys.modules)"
    code = f"import sys, casmopolitan.study as study; {loaded}; study.explain; {loaded}"
    fresh = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert fresh.stdout.split() == ["False", "True"]


def test_the_sampler_loads_nothing_of_study_files_runs_reports_or_the_command_line():
    code = "import sys, casmopolitan.study.sampler.sampler; print(*sorted(sys.modules))"
    fresh = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    ours = {name for name in fresh.stdout.split() if name.startswith("casmopolitan.")}
    assert "casmopolitan.study.sampler.replay" in ours
    above = (
        "study.file",
        "study.storage",
        "study.trials",
        "study.runner",
        "study.liveness",
        "study.report",
        "execution",
        "study.doctor",
        "cli",
    )
    assert not [name for name in ours if name.removeprefix("casmopolitan.").startswith(above)]


def test_without_optuna_the_extra_is_named():
    code = (
        "import sys; sys.modules['optuna'] = None\n"
        "import casmopolitan as cas\n"
        "try:\n    cas.study.open_study\nexcept cas.MissingExtraError as error:\n    print(error.extra, error)"
    )
    fresh = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert fresh.stdout.startswith("study ")
    assert "pip install 'casmopolitan[study]'" in fresh.stdout


def test_the_report_needs_no_database():
    code = "import sys, casmopolitan.report.page; print('optuna' in sys.modules, 'matplotlib' in sys.modules)"
    fresh = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert fresh.stdout.split() == ["False", "False"]
