"""The vectors over HTTP on loopback, as OpenAI's clients expect them, for peers that take them no other way."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread

from vectors import Vectors

__all__ = ["serving"]


@contextmanager
def serving(vectors: Vectors) -> Iterator[str]:
    """Answers `POST …/embeddings` while the block runs; gives the URL up to `/v1`."""
    lock = Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        # Head and body in one packet: otherwise a client that acknowledges late costs 40 ms an answer.
        wbufsize = 1 << 16
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            texts = [asked["input"]] if isinstance(asked["input"], str) else asked["input"]
            with lock:
                found = [vectors.of(text).tolist() for text in texts]
            data = [{"object": "embedding", "index": number, "embedding": each} for number, each in enumerate(found)]
            usage = {"prompt_tokens": 0, "total_tokens": 0}
            answer = json.dumps({"object": "list", "data": data, "model": asked.get("model"), "usage": usage}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, format: str, *args: object) -> None:
            """Nothing: one line a vector would be too many."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()
