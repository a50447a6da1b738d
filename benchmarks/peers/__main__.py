"""ricordo beside what people would use instead: `python benchmarks/peers FOLDER [--records N] [--only PEER…]`.

FOLDER holds `locomo-dev.json` or `locomo10.json`; without either only the generated set is asked. Each peer is
installed from PyPI into an environment of its own in the cache folder, gets the same texts and the same vectors, and
runs in processes of its own, one after the other. Prints Markdown; docs/benchmarks/peers.md says what it means.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from contest import Entrant, contend
from material import prepared
from peerlist import PEERS, Peer
from platformdirs import user_cache_path
from report import markdown, row
from server import serving
from vectors import Model, Vectors

from ricordo.eval.timing import describe_machine

MODEL = "multilingual-e5-small"


def main() -> None:
    """Prepare the material once, let everyone have a go, print the tables."""
    options = parser().parse_args()
    started = time.perf_counter()
    vectors = Vectors(Model(options.model), options.cache / "vectors")
    with tempfile.TemporaryDirectory(prefix="ricordo-peers-") as folder, serving(vectors) as url:
        material = prepared(options.folder, Path(folder) / "material", vectors, options.records)
        outcomes = []
        for peer in chosen(options.only):
            entrant = Entrant(peer=peer, cache=options.cache, url=url, model=options.model, patience_s=options.patience)
            outcomes.append(contend(entrant, material, Path(folder)))
            say(f"{' | '.join(row(outcomes[-1], material))} ({outcomes[-1].seconds:.0f} s)")
    print(markdown(describe_machine(), vectors.model, material, outcomes))
    say(f"{time.perf_counter() - started:.0f} s")


def parser() -> argparse.ArgumentParser:
    """The arguments."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", type=Path, help="where LoCoMo lies")
    options.add_argument("--records", type=int, metavar="N", help="a seeded sample, for a quick look")
    options.add_argument("--only", nargs="+", metavar="PEER", choices=[peer.name for peer in PEERS])
    options.add_argument("--patience", type=int, default=240, metavar="S", help="seconds for the questions of a store")
    options.add_argument("--model", default=MODEL, help="one of ricordo's embedders, for everybody")
    options.add_argument("--cache", type=Path, default=user_cache_path("ricordo-peers"), metavar="FOLDER")
    return options


def chosen(names: list[str] | None) -> list[Peer]:
    """The peers named, in the order of the table."""
    return [peer for peer in PEERS if names is None or peer.name in names]


def say(line: str) -> None:
    """To people; the tables are for files."""
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
