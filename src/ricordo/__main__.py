"""The program: `ricordo`, and `python -m ricordo`."""

from __future__ import annotations

import sys

__all__ = ["main"]

HELP = {"--help", "-h"}


def main() -> None:
    """Run the command line, which hooks pass by: a person waits for them, and its errors would block her prompt."""
    arguments = sys.argv[1:]
    if arguments[:1] == ["hook"] and not HELP & set(arguments):
        from ricordo.hooks.run import main as hook

        hook(arguments[1:])
    from ricordo.cli import main as command_line

    command_line()


if __name__ == "__main__":
    main()
