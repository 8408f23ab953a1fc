"""Serves Optuna's dashboard to browsers on this machine, and to nobody else."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from socketserver import ThreadingMixIn
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from optuna.storages import BaseStorage

from casmopolitan.errors import MissingExtraError

HOST = "127.0.0.1"
REFUSED = "403 Forbidden"

App = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


class ThreadingServer(ThreadingMixIn, WSGIServer):
    """A server that answers several requests at once."""

    daemon_threads = True


class QuietHandler(WSGIRequestHandler):
    """A handler that prints no line per request."""

    def log_message(self, format: str, *args: Any) -> None:
        """Print nothing."""


def for_hosts(app: App, hosts: Iterable[str]) -> App:
    """Return the application, which answers only requests for one of these hosts, and none that a foreign page sends.

    A foreign page can let its own name point to this machine and so read what the server sends (DNS rebinding). Its
    requests have that name as their host. Browsers also let it send requests whose answers it cannot read; those name the
    page as their origin.
    """
    known = frozenset(hosts)
    origins = {None, *(f"http://{host}" for host in known)}

    def answer(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        if environ.get("HTTP_HOST") in known and environ.get("HTTP_ORIGIN") in origins:
            return app(environ, start_response)
        start_response(REFUSED, [("Content-Type", "text/plain")])
        return [f"This dashboard is for http://{HOST} only.".encode()]

    return answer


def local_server(storage: BaseStorage, port: int) -> WSGIServer:
    """Return a server of the dashboard, which listens on this machine alone; OSError if the port is taken.

    Raises:
        MissingExtraError: The dashboard is not installed.
    """
    try:
        from optuna_dashboard import wsgi
    except ImportError:
        raise MissingExtraError("the dashboard", "optuna-dashboard", "dashboard") from None
    app = for_hosts(wsgi(storage), [f"{host}:{port}" for host in (HOST, "localhost")])
    return make_server(HOST, port, app, server_class=ThreadingServer, handler_class=QuietHandler)
