"""Optuna's private names are used in one module only."""

import pytest

from contracts.shape import private_uses, sources


def test_only_compat_uses_private_names_of_optuna():
    assert set(private_uses(sources())) == {"casmopolitan.study.compat"}


@pytest.mark.parametrize(
    "line",
    ["study._storage", "trial._trial_id", "from optuna.storages._rdb.models import TrialModel", "getattr(storage, '_backend')"],
)
def test_a_private_use_elsewhere_would_be_seen(line, tmp_path):
    elsewhere = tmp_path / "elsewhere.py"
    elsewhere.write_text(line + "\n", encoding="utf-8")
    assert private_uses(sources() | {"casmopolitan.study.elsewhere": elsewhere})["casmopolitan.study.elsewhere"] == 1
