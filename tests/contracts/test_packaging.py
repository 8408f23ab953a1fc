"""Each description of the package for a registry is complete, and agrees with pyproject.toml."""

import importlib.util
import inspect
import re
import subprocess
import sys
import tarfile
import tomllib
from email.parser import Parser
from pathlib import Path
from zipfile import ZipFile

import pytest
import yaml

from casmopolitan.study import CasmopolitanSampler

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
HUB = ROOT / "packaging" / "optunahub" / "casmopolitan"


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Wheel and source archive, built from the working tree."""
    out = tmp_path_factory.mktemp("dist")
    build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), str(ROOT)]
    subprocess.run(build, check=True, capture_output=True, text=True)
    return out


def metadata(wheel):
    with ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        return Parser().parsestr(archive.read(name).decode())


def test_the_built_files_pass_the_check_of_the_registry(built):
    check = [sys.executable, "-m", "twine", "check", "--strict", *map(str, built.iterdir())]
    checked = subprocess.run(check, capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout
    assert checked.stdout.count("PASSED") == 2


def test_the_wheel_has_the_data_files_and_the_metadata_that_users_see(built):
    (wheel,) = built.glob("*.whl")
    with ZipFile(wheel) as archive:
        names = set(archive.namelist())
    package = ROOT / "src" / "casmopolitan"
    shipped = {str(path.relative_to(package.parent)) for path in package.rglob("*") if "__pycache__" not in path.parts}
    assert {name for name in shipped if (package.parent / name).is_file()} <= names
    fields = metadata(wheel)
    assert fields["Version"] == PROJECT["version"]
    assert fields["License-Expression"] == "MIT"
    assert len(fields.get_all("Project-URL")) >= 4


def test_the_source_archive_has_licence_tests_and_citation(built):
    (archive,) = built.glob("*.tar.gz")
    with tarfile.open(archive) as tar:
        names = {name.partition("/")[2] for name in tar.getnames()}
    assert {"LICENSE", "CITATION.cff", "CHANGELOG.md", "tests/conftest.py"} <= names


def test_the_version_is_a_release_and_the_same_everywhere():
    version = PROJECT["version"]
    assert re.fullmatch(r"\d+\.\d+\.\d+", version)
    assert yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))["version"] == version
    assert recipe()["context"]["version"] == version
    assert f"## [{version}]" in (ROOT / "CHANGELOG.md").read_text("utf-8")


def recipe():
    return yaml.safe_load((ROOT / "packaging" / "conda-forge" / "recipe.yaml").read_text("utf-8"))


def test_the_conda_recipe_needs_what_the_package_and_its_command_line_need():
    asked = {line.partition(" ")[0]: line.partition(" ")[2] for line in recipe()["requirements"]["run"]}
    needed = [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["study"]]
    assert asked.pop("python") == ">=${{ python_min }}"
    assert asked == dict(re.fullmatch(r"([\w-]+)(.*)", line).groups() for line in needed)
    assert recipe()["context"]["python_min"] == PROJECT["requires-python"].removeprefix(">=")
    (entry,) = recipe()["build"]["python"]["entry_points"]
    assert entry == "casmopolitan = {}".format(PROJECT["scripts"]["casmopolitan"])
    assert re.fullmatch(r"[0-9a-f]{64}", recipe()["source"]["sha256"])
    assert {"homepage", "license", "license_file", "summary", "repository"} <= recipe()["about"].keys()


def test_the_hub_module_exports_the_sampler():
    spec = importlib.util.spec_from_file_location("hub_casmopolitan", HUB / "__init__.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.__all__ == ["CasmopolitanSampler"]
    assert module.CasmopolitanSampler is CasmopolitanSampler


def test_the_hub_module_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "casmopolitan.study", None)
    spec = importlib.util.spec_from_file_location("hub_casmopolitan", HUB / "__init__.py")
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'casmopolitan\[sampler\]'"):
        spec.loader.exec_module(importlib.util.module_from_spec(spec))


def test_the_hub_page_has_complete_front_matter_and_sections():
    _, front, body = (HUB / "README.md").read_text("utf-8").split("---\n", 2)
    fields = yaml.safe_load(front)
    assert fields.keys() == {"author", "title", "description", "tags", "optuna_versions", "license"}
    assert all(fields.values())
    assert "sampler" in fields["tags"]
    assert fields["license"] == "MIT License"
    assert re.findall(r"^## (.*)", body, re.MULTILINE)[:4] == ["Abstract", "APIs", "Installation", "Example"]
    assert not re.search(r"<\w+", body)


def test_the_hub_page_names_every_argument_of_the_sampler():
    page = (HUB / "README.md").read_text("utf-8")
    arguments = set(inspect.signature(CasmopolitanSampler).parameters)
    assert set(re.findall(r"^  - `(\w+)`", page, re.MULTILINE)) == arguments


def test_the_hub_example_runs(monkeypatch):
    import optuna

    optunahub = type(sys)("optunahub")
    optunahub.load_module = lambda name: type(sys)(name)
    monkeypatch.setitem(sys.modules, "optunahub", optunahub)
    spec = importlib.util.spec_from_file_location("hub_example", HUB / "example.py")
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    study = optuna.create_study(sampler=CasmopolitanSampler(seed=0))
    study.optimize(example.run_time, n_trials=30)
    assert study.best_value < 5.5


def test_the_extra_of_the_sampler_is_optuna_alone():
    assert PROJECT["optional-dependencies"]["sampler"] == ["optuna>=5"]


@pytest.mark.parametrize(("tag", "code"), [(f"v{PROJECT['version']}", 0), ("v9.9.9", 1)])
def test_a_release_needs_a_tag_that_is_the_version(tag, code):
    check = [sys.executable, str(ROOT / "packaging" / "check_tag.py"), tag]
    assert subprocess.run(check, capture_output=True).returncode == code


@pytest.mark.parametrize("path", sorted((ROOT / ".github").rglob("*.yml")), ids=lambda path: path.name)
def test_workflows_and_templates_parse(path):
    content = yaml.safe_load(path.read_text("utf-8"))
    assert content


def test_every_tested_python_is_a_classifier():
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "test.yml").read_text("utf-8"))
    tested = workflow["jobs"]["all"]["strategy"]["matrix"]["python"]
    named = [line.rpartition(" ")[2] for line in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", line)]
    assert tested == named
