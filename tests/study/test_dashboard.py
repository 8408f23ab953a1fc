"""The dashboard answers browsers on this machine only, and no foreign page."""

import pytest

pytest.importorskip("optuna_dashboard")

from casmopolitan.study.dashboard import for_hosts

HOSTS = ["127.0.0.1:8080", "localhost:8080"]


@pytest.mark.parametrize(
    ("environ", "answered"),
    [
        ({"HTTP_HOST": "127.0.0.1:8080"}, True),
        ({"HTTP_HOST": "localhost:8080"}, True),
        ({"HTTP_HOST": "localhost:8080", "HTTP_ORIGIN": "http://localhost:8080"}, True),
        ({"HTTP_HOST": "evil.example:8080"}, False),
        ({}, False),
        ({"HTTP_HOST": "127.0.0.1:8080", "HTTP_ORIGIN": "http://evil.example"}, False),
        ({"HTTP_HOST": "127.0.0.1:8080", "HTTP_ORIGIN": "null"}, False),
    ],
)
def test_only_requests_for_a_known_host_from_its_own_pages_are_answered(environ, answered):
    seen = []

    def app(environ, start_response):
        start_response("200 OK", [])
        return [b"secret"]

    body = for_hosts(app, HOSTS)(environ, lambda status, headers: seen.append(status))
    assert seen == ["200 OK" if answered else "403 Forbidden"]
    assert (b"secret" in body) == answered
