"""The keeper: a process that keeps the store open and the model loaded, so that a hook need not wait for either.

There is one for each user and store at most. It listens on a socket that only its user can reach, is alive when it
answers there and not otherwise, leaves when nobody asks, and nothing depends on it.
"""

from __future__ import annotations
