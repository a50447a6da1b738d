"""A model hub on this machine: it has one small model, says what it is, and fails as it is told to."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

from tinymodels import write_encoder

COMMIT = "c0ffee" * 6 + "abcd"
MODEL, TOKENIZER = "onnx/model.onnx", "tokenizer.json"


@dataclass
class Hub:
    """What the server has, what it says of it, and how it fails. `asked` is every request that came."""

    files: dict[str, bytes]
    said: dict[str, str] = field(default_factory=dict)
    cut_after: list[int] = field(default_factory=list)
    ranges: bool = True
    asked: list[tuple[str, str, str | None]] = field(default_factory=list)
    url: str = ""

    def etag(self, name: str) -> str:
        """As a hub does: the SHA-256 of a large file, git's name of a small one."""
        content = self.files[name]
        if name == MODEL:
            return self.said.get(name) or hashlib.sha256(content).hexdigest()
        return self.said.get(name) or hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


class Handler(BaseHTTPRequestHandler):
    """`/{repository}/resolve/{revision}/{name}`; large files are elsewhere, as on a hub."""

    hub: Hub

    def do_HEAD(self) -> None:
        name = self._name()
        if name is None:
            return
        self.send_response(302 if name == MODEL else 200)
        self.send_header("X-Repo-Commit", COMMIT)
        self.send_header("ETag", f'"{self.hub.etag(name)}"')
        if name == MODEL:
            self.send_header("X-Linked-ETag", f'"{self.hub.etag(name)}"')
            self.send_header("X-Linked-Size", str(len(self.hub.files[name])))
            self.send_header("Location", f"/elsewhere/{name}")
            self.send_header("Content-Length", "0")
        else:
            self.send_header("Content-Length", str(len(self.hub.files[name])))
        self.end_headers()

    def do_GET(self) -> None:
        name = self._name()
        if name is None:
            return
        if name == MODEL and "/resolve/" in self.path:
            self.send_response(302)
            self.send_header("Location", f"/elsewhere/{name}")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        start = int(re.findall(r"\d+", self.headers["Range"])[0]) if self.headers["Range"] and self.hub.ranges else 0
        content = self.hub.files[name][start:]
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.hub.cut_after:
            content = content[: self.hub.cut_after.pop(0)]
            self.close_connection = True
        self.wfile.write(content)

    def _name(self) -> str | None:
        self.hub.asked.append((self.command, self.path, self.headers["Range"]))
        name = self.path.split("/resolve/")[-1].partition("/")[2] if "/resolve/" in self.path else self.path[11:]
        if name in self.hub.files:
            return name
        self.send_response(404)
        self.send_header("Content-Length", "0")
        self.end_headers()
        return None

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextmanager
def served(folder: Path) -> Iterator[Hub]:
    """The hub, until the block ends; the folder is where its model is built."""
    model = write_encoder(folder / "served")
    hub = Hub(files={MODEL: (model / "model.onnx").read_bytes(), TOKENIZER: (model / TOKENIZER).read_bytes()})
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("BoundHandler", (Handler,), {"hub": hub}))
    hub.url = f"http://127.0.0.1:{server.server_port}/"
    Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
