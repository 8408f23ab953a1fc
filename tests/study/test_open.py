import optuna
import pytest

import casmopolitan as cas
from casmopolitan.study import CasmopolitanSampler, open_study


def test_a_study_is_made_and_found_again(tmp_path):
    url = f"sqlite:///{tmp_path}/a.db"
    first = open_study("a", url, direction="maximize")
    first.add_trial(optuna.create_trial(value=1.0))
    second = open_study("a", url, direction="maximize")
    assert [trial.value for trial in second.trials] == [1.0]
    assert isinstance(second.sampler, CasmopolitanSampler)
    assert second.direction.name == "MAXIMIZE"


def test_the_default_is_a_file_in_the_working_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    open_study("a")
    assert (tmp_path / "casmopolitan.db").exists()


def test_a_storage_of_optunas_is_used_as_it_is():
    memory = optuna.storages.InMemoryStorage()
    assert open_study("a", memory)._storage is memory


def test_another_direction_is_refused(tmp_path):
    url = f"sqlite:///{tmp_path}/a.db"
    open_study("a", url)
    with pytest.raises(cas.DataError, match="exists with direction minimize, not maximize"):
        open_study("a", url, direction="maximize")
    with pytest.raises(cas.DataError, match="must be 'minimize' or 'maximize'"):
        open_study("b", url, direction="up")


def test_a_study_may_be_required_to_be_new(tmp_path):
    url = f"sqlite:///{tmp_path}/a.db"
    open_study("a", url)
    with pytest.raises(optuna.exceptions.DuplicatedStudyError):
        open_study("a", url, load_if_exists=False)


NAMES = ["it's", 'say "x"', "100%s %(a)s %", "été ☕ 研究", "'; DROP TABLE studies; --", "a/b\\c", "x" * 512, " ", "{0}\n"]


@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
def test_any_name_will_do(tmp_path, name):
    url = f"sqlite:///{tmp_path}/a.db"
    open_study(name, url).add_trial(optuna.create_trial(value=1.0))
    assert open_study(name, url).study_name == name
    assert len(open_study(name, url).trials) == 1


@pytest.mark.parametrize("name", ["", "x" * 513, "x" * 600, "a\0b", 5, None])
def test_a_name_that_no_table_holds_is_refused(tmp_path, name):
    with pytest.raises(cas.DataError, match="a study's name"):
        open_study(name, f"sqlite:///{tmp_path}/a.db")
