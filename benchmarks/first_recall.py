"""One question in a process of its own: what a command line pays. Prints one JSON object; run by `speed.py`."""

from __future__ import annotations

import json
import sys
import time


def main() -> None:
    """Arguments: store URL, embedder, question."""
    started = time.perf_counter()
    import anyio

    import ricordo

    imported = time.perf_counter()
    url, embedder, text = sys.argv[1:]

    async def ask() -> dict[str, float]:
        async with ricordo.open(url, embedder=embedder) as memory:
            opened = time.perf_counter()
            first = await memory.recall(text)
            answered = time.perf_counter()
            await memory.recall(text)
        # Imported last, so that it is no part of what was timed.
        from ricordo.eval.timing import resident_mib

        return {
            "import_ms": (imported - started) * 1000,
            "open_ms": (opened - imported) * 1000,
            "first_recall_ms": (answered - opened) * 1000,
            "first_embed_ms": first.timings["embed"],
            "first_vectors_ms": first.timings["vectors"],
            "resident_mib": resident_mib(),
        }

    print(json.dumps(anyio.run(ask)))


if __name__ == "__main__":
    main()
