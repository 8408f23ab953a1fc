import pytest

import casmopolitan as cas
from casmopolitan.errors import MissingExtraError
from casmopolitan.study import redacted
from casmopolitan.study.storage import url
from casmopolitan.study.storage.url import completed_url

SECRETS = [
    "postgresql://me:hunter2@host/db",
    "postgresql+psycopg://me:hunter2@host:5432/db?sslmode=require",
    "postgresql://host/db?user=me&password=hunter2",
    "postgresql://host/db?sslkey=hunter2&sslpassword=hunter2",
    "mysql+pymysql://me:hunter2@host/db",
    "not an address://me:hunter2@host",
    "me:hunter2//a:hunter2@b/c?password=hunter2",
    "postgresql://me:hunter2@host:notaport/db",
    "postgresql://me:p@ss/hunter2@host/db",
]


@pytest.mark.parametrize("url", SECRETS)
def test_secrets_are_never_shown(url):
    shown = redacted(url)
    assert "hunter2" not in shown
    assert "***" in shown


@pytest.mark.parametrize("url", ["redis://me:hunter2@host", "me:hunter2@host/db", "postgresql://me:hunter2@host:notaport/db"])
def test_no_error_about_an_address_shows_its_secret(url):
    with pytest.raises(cas.DataError) as caught:
        completed_url(url)
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize("url", ["sqlite:///a.db", "sqlite:////tmp/b@c.db", "postgresql://me@host/db"])
def test_what_has_no_secret_is_shown_as_it_is(url):
    assert redacted(url) == url


def test_postgresql_is_reached_through_psycopg():
    assert completed_url("postgresql://me:p%40ss@host/db") == "postgresql+psycopg://me:p%40ss@host/db"
    assert completed_url("postgres://host/db") == "postgresql+psycopg://host/db"
    assert completed_url("postgresql+psycopg2://host/db") == "postgresql+psycopg2://host/db"
    assert completed_url("sqlite:///a b.db") == "sqlite:///a b.db"


def test_without_psycopg_the_extra_is_named(monkeypatch):
    monkeypatch.setattr(url.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"casmopolitan\[postgres\]"):
        completed_url("postgresql://host/db")


@pytest.mark.parametrize("url", ["", "studies.db", "redis://host", "file:///etc/passwd", "javascript:alert(1)"])
def test_what_is_no_database_is_refused(url):
    with pytest.raises(cas.DataError):
        completed_url(url)
