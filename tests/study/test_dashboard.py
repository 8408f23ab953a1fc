"""The dashboard answers browsers on this machine only."""

import pytest

pytest.importorskip("optuna_dashboard")

from casmopolitan.study.dashboard import for_hosts


@pytest.mark.parametrize(
    ("host", "answered"), [("127.0.0.1:8080", True), ("localhost:8080", True), ("evil.example:8080", False), (None, False)]
)
def test_only_requests_for_a_known_host_are_answered(host, answered):
    seen = []

    def app(environ, start_response):
        start_response("200 OK", [])
        return [b"secret"]

    environ = {} if host is None else {"HTTP_HOST": host}
    body = for_hosts(app, ["127.0.0.1:8080", "localhost:8080"])(environ, lambda status, headers: seen.append(status))
    assert seen == ["200 OK" if answered else "403 Forbidden"]
    assert (b"secret" in body) == answered
