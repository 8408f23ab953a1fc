import inspect
import subprocess
import sys
from importlib import metadata

import pytest

import casmopolitan

SPACE = ("Categorical", "Forbid", "Integer", "Ordinal", "Real", "Space")
ERRORS = (
    "CasmopolitanError",
    "ConfigError",
    "DataError",
    "ExhaustedError",
    "InfeasibleError",
    "MissingExtraError",
    "RunError",
    "SpaceError",
    "UnknownProblemError",
)
ALGORITHM = ("ABLATIONS", "AUTHORS_CODE", "DEFAULT", "PAPER", "Config")
OPTIMISING = ("FAILED", "Optimizer", "Result", "Trial", "maximize", "minimize", "optimize")
MODULES = ("plots", "presets", "problems", "report", "study")

PUBLIC = SPACE + ERRORS + ALGORITHM + OPTIMISING + MODULES


def test_the_public_surface_is_exactly_this():
    assert sorted(casmopolitan.__all__) == sorted(PUBLIC)
    assert len(casmopolitan.__all__) == len(set(casmopolitan.__all__))


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_is_there(name):
    assert hasattr(casmopolitan, name)


@pytest.mark.parametrize("name", [name for name in PUBLIC if name not in MODULES])
def test_every_public_class_and_function_says_what_it_is(name):
    thing = getattr(casmopolitan, name)
    if inspect.isclass(thing) or inspect.isfunction(thing):
        assert inspect.getdoc(thing)


def test_completion_offers_names_that_are_imported_when_first_used():
    code = "import casmopolitan, casmopolitan.study as study; print(*dir(casmopolitan), '|', *dir(study))"
    ours, study = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split("|")
    assert {name for name in ours.split() if not name.startswith("__")} == set(PUBLIC)
    assert "__version__" in ours.split()
    assert set(STUDY) <= set(study.split())


def test_the_version_is_the_installed_ones():
    assert casmopolitan.__version__ == metadata.version("casmopolitan")


def test_the_study_layer_is_there_without_an_import_of_its_own():
    code = "import sys, casmopolitan as cas; print(cas.study.__name__, 'optuna' in sys.modules, cas.study.explain.__name__)"
    fresh = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert fresh.stdout.split() == ["casmopolitan.study", "False", "explain"]


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="minimise"):
        casmopolitan.minimise  # noqa: B018


STUDY = (
    "DEFAULT_URL",
    "CasmopolitanSampler",
    "SettingsWarning",
    "StorageError",
    "distributions_of",
    "exhausted",
    "explain",
    "open_storage",
    "open_study",
    "redacted",
    "stop_when_exhausted",
    "storage_error",
    "suggest",
    "write_report",
)


def test_the_surface_of_the_study_layer_is_exactly_this():
    from casmopolitan import study

    assert sorted(study.__all__) == sorted(STUDY) == sorted(study.HOMES)
    for name in STUDY:
        thing = getattr(study, name)
        assert not inspect.ismodule(thing)
        assert inspect.getdoc(thing)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        study.nothing  # noqa: B018
