"""The driver's errors in our words: what is wrong, where, and how to mend it. Decided by SQLSTATE alone.

On a cluster the names of constraints are lost on the way, and messages carry the names of shards.
"""

from __future__ import annotations

import psycopg
from psycopg import errors

from ricordo.errors import InvalidInput, RicordoError, StoreBusy, StoreError

__all__ = ["is_lost", "is_passing", "translated"]

PASSING = frozenset({"40001", "40P01", "55P03", "23503", "23505"})
LOST = frozenset({"57P01", "57P02", "57P03", "57P05", "25P03"})
STATES = {
    "3D000": "the database does not exist; create it first: CREATE DATABASE",
    "28P01": "the password is wrong; correct it in the store's URL or in ~/.pgpass",
    "28000": "the role may not connect; see the server's pg_hba.conf",
    "53300": "the server has no connection left; close some, or raise max_connections",
    "53100": "the server's disk is full; nothing was written: make room and try again",
    "53200": "the server is out of memory; nothing was written",
    "58P01": "the server lacks files of the extension `vector`; install pgvector 0.8 or newer on it",
    "54000": "a passage holds more words than PostgreSQL can index",
    "25006": "the server is read-only (a replica?); write to the primary",
    "42704": "a type or setting of the extension `vector` is not found; put its schema on the role's search_path",
    "42883": "an operator of the extension `vector` is not found; put its schema on the role's search_path",
    "42P01": "a table is missing; was the schema `ricordo` changed by hand?",
}
REFUSALS = (
    ("too many clients", "53300"),
    ("remaining connection slots", "53300"),
    ("too many connections", "53300"),
    ("password authentication failed", "28P01"),
    ("no password supplied", "28P01"),
    ("pg_hba.conf", "28000"),
    ("FATAL:  role", "28000"),
    ("does not exist", "3D000"),
)


def is_passing(error: psycopg.Error) -> bool:
    """Did this transaction fail only because of others at the same time? It was rolled back and may be repeated.

    Among these are a key or a parent that another transaction wrote or removed between our reading and writing.
    """
    return error.sqlstate in PASSING


def is_lost(error: psycopg.Error) -> bool:
    """Was the connection lost? A cluster says so with XX000 when it loses one of its nodes at a commit."""
    state = error.sqlstate
    if state is None:
        return isinstance(error, psycopg.OperationalError)
    closed = state == "XX000" and "server closed the connection" in str(error)
    return state in LOST or state.startswith("08") or closed


def _state_of_refusal(told: str) -> str:
    """libpq gives no SQLSTATE when a connection is refused, only the server's words."""
    return next((state for words, state in REFUSALS if words in told), "")


def translated(error: psycopg.Error, server: str) -> RicordoError:
    """The error to raise in its place; `server` names the server without its password."""
    told = str(error).strip().split("\n")[0]
    state = error.sqlstate or _state_of_refusal(told)
    if state == "57014":
        return StoreBusy(f"{server}: the statement was cancelled or took too long; try again")
    if state in PASSING:
        return StoreBusy(f"{server}: other writers were always faster; try again ({told})")
    if state == "42501" and "extension" in told:
        return StoreError(f"{server}: {told}; let a superuser run in this database, once: CREATE EXTENSION vector")
    if state == "42501" and "for database" in told:
        return StoreError(
            f"{server}: {told}; let the owner of the database run: GRANT CREATE ON DATABASE … TO this role, "
            "or open the store once as its owner"
        )
    if state == "42501":
        return StoreError(f"{server}: {told}; connect as the role that owns the schema `ricordo`")
    if state in STATES:
        return StoreError(f"{server}: {STATES[state]} ({told})")
    if state.startswith("22") or isinstance(error, errors.DataError):
        return InvalidInput(f"PostgreSQL cannot keep this value: {told}")
    if is_lost(error):
        return StoreError(f"{server}: the server is away: is it running, and is the address right? ({told})")
    return StoreError(f"{server}: {told}")
