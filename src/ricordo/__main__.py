"""`python -m ricordo`."""

from __future__ import annotations

from ricordo.cli import main

if __name__ == "__main__":
    main()
