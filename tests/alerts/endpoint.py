"""A web server for alerts."""

from __future__ import annotations

import contextlib
import http.server
import json
import threading
from collections.abc import Iterator
from typing import Any

SECRET = "T0000-B0000-very-secret"


class Endpoint(http.server.HTTPServer):
    """A web server that keeps what is posted to it, and answers with one status."""

    status = 200

    def __init__(self) -> None:
        self.bodies: list[Any] = []
        self.headers: list[dict[str, str]] = []
        self.methods: list[str] = []
        super().__init__(("127.0.0.1", 0), _Handler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/services/{SECRET}"

    @classmethod
    @contextlib.contextmanager
    def running(cls) -> Iterator[Endpoint]:
        """A server at work, on a port of its own."""
        with cls() as server:
            thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
            thread.start()
            try:
                yield server
            finally:
                server.shutdown()
                thread.join()


class _Handler(http.server.BaseHTTPRequestHandler):
    server: Endpoint

    def do_POST(self) -> None:
        endpoint, length = self.server, int(self.headers["Content-Length"])
        endpoint.methods.append("POST")
        endpoint.bodies.append(json.loads(self.rfile.read(length)))
        endpoint.headers.append(dict(self.headers))
        self.send_response(endpoint.status, f"said {self.path}")
        self.send_header("Location", "/elsewhere")
        self.end_headers()
        self.wfile.write(f"Cannot POST {self.path}".encode())

    def do_GET(self) -> None:
        self.server.methods.append("GET")
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Nothing: tests are quiet."""
