"""Descriptors of choices in CSV files."""

from __future__ import annotations

import pytest

from casmopolitan.study.file.load import SpecError, load
from casmopolitan.study.trials.manual import reserve_trials
from casmopolitan.study.trials.open import open_spec

STUDY = """
name = "reaction"
budget = 20
seed = 0
storage = "sqlite:///{folder}/study.db"
[variables]
ligand = {{ type = "categorical", choices = ["A", "B", "C"], {field} = "{file}" }}
solvent = {{ type = "categorical", choices = ["water", "ethanol"] }}
"""
GOOD = "ligand,weight,chiral\nB,2.5,True\nA,1,False\nC,9,false\nunused,3,true\n"


def study(tmp_path, text, field="descriptors", file="ligands.csv"):
    (tmp_path / "study.toml").write_text(STUDY.format(folder=tmp_path, field=field, file=file))
    if text is not None:
        (tmp_path / "ligands.csv").write_text(text, encoding="utf-8")
    return tmp_path / "study.toml"


def problems(path):
    with pytest.raises(SpecError) as error:
        load(path)
    return error.value.problems


def test_the_first_column_names_the_choices(tmp_path):
    space = load(study(tmp_path, GOOD)).space
    assert space["ligand"].descriptors == ((1.0, 0.0), (2.5, 1.0), (9.0, 0.0))
    assert space["solvent"].descriptors is None


def test_distances_are_read_by_name(tmp_path):
    text = "ligand,C,A,B\nA,4,0,2\nB,2,2,0\nC,0,4,2\n"
    space = load(study(tmp_path, text, "distances")).space
    assert space["ligand"].distances == ((0.0, 2.0, 4.0), (2.0, 0.0, 2.0), (4.0, 2.0, 0.0))


def test_trials_of_a_described_study_are_asked_for_again_after_opening(tmp_path):
    spec = load(study(tmp_path, GOOD))
    rows = reserve_trials(open_spec(spec, create=True), 3)
    again = reserve_trials(open_spec(load(tmp_path / "study.toml")), 2)
    assert len({tuple(row.configuration.values()) for row in rows + again}) == 5


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (None, "the file 'ligands.csv' cannot be read: No such file"),
        ("ligand,w\nA,1\nb,2\nC,3\n", "ligands.csv has no row for 'B'; add one. Did you mean 'b'?"),
        ("ligand,w,v\nA,1,2\nB,x,2\nC,3,\n", "ligands.csv, row 'B': no number in column 'w'"),
        ("ligand,w,v\nA,1,2\nB,x,2\nC,3,\n", "ligands.csv, row 'C': no number in column 'v'"),
        ("ligand,w,v\nA,1,2\nB,2\nC,3,1\n", "ligands.csv, row 'B': has 1 numbers for 2 columns"),
        ("ligand,w\nA,1\nB,1\nC,1\n", "has descriptors that are the same for all choices"),
    ],
)
def test_everything_wrong_with_a_file_is_listed(tmp_path, text, words):
    found = problems(study(tmp_path, text))
    assert any(text.startswith("variables") and words in text for text in found)


def test_all_problems_of_the_study_are_listed_together(tmp_path):
    path = study(tmp_path, "ligand,w\nA,1\n")
    path.write_text(path.read_text().replace("budget = 20", "budget = 0"))
    found = "\n".join(problems(path))
    assert "budget" in found
    assert "no row for 'B'" in found
    assert "no row for 'C'" in found


def test_a_preset_that_cannot_use_descriptors_is_refused(tmp_path):
    path = study(tmp_path, GOOD)
    path.write_text(path.read_text().replace("budget = 20", 'budget = 20\npreset = "paper"'))
    (text,) = problems(path)
    assert text.startswith("settings: the config has kernel='categorical', which cannot use the descriptors")
