"""The SQLite file itself: its schema, its migrations, and what a file that is not whole does."""

from __future__ import annotations

import sqlite3
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from ricordo.errors import InvalidInput, SchemaTooNew, StoreError
from ricordo.stores import open_store
from ricordo.stores.sql import Migration, load_migrations, load_queries, load_schema
from ricordo.stores.sqlite.database import PACKAGE, Database

pytestmark = pytest.mark.anyio

KNOWN = load_migrations(PACKAGE)
STEP = Migration(
    version=len(KNOWN) + 1, name="more", sql=f"CREATE TABLE more (x); PRAGMA user_version = {len(KNOWN) + 1};"
)


def shape(connection: sqlite3.Connection) -> list[tuple[str, str, str]]:
    return sorted(connection.execute("SELECT type, name, coalesce(sql, '') FROM sqlite_schema"))


def test_the_schema_is_the_sum_of_the_migrations() -> None:
    with closing(sqlite3.connect(":memory:")) as whole, closing(sqlite3.connect(":memory:")) as stepwise:
        whole.executescript(load_schema(PACKAGE))
        for migration in load_migrations(PACKAGE):
            stepwise.executescript(migration.sql)

        assert shape(whole) == shape(stepwise)
        assert stepwise.execute("PRAGMA user_version").fetchone() == (len(load_migrations(PACKAGE)),)


def test_what_is_known_of_an_origin_is_found_without_looking_at_all_chunks() -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(load_schema(PACKAGE))
        rows = connection.execute(
            f"EXPLAIN QUERY PLAN {load_queries(PACKAGE)['reading']}", {"namespace": 1, "uri": "u"}
        ).fetchall()
    steps = [row[3] for row in rows if row[3].startswith(("SCAN", "SEARCH"))]
    assert steps
    assert [step for step in steps if "SCAN" in step or step.endswith("(namespace=?)")] == []


def test_every_arm_states_the_filters_in_the_same_words() -> None:
    queries = load_queries(PACKAGE)
    stated = [queries[name] for name in ("word_matches", "allowed_chunks", "allowed_among", "timeline")]
    filters = [
        " ".join(query[query.index("AND (:superseded") :].split("ORDER BY")[0].split()).rstrip(";") for query in stated
    ]

    assert len(set(filters)) == 1
    assert all(name in filters[0] for name in (":start", ":end", ":origin", ":tags", ":metadata"))


def test_a_store_is_backed_up_before_a_migration_changes_it(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    Database(path).open()
    Database(path, (*KNOWN, STEP)).open()

    (backup,) = tmp_path.glob(f"store.db.schema-{len(KNOWN)}-*.backup")
    with closing(sqlite3.connect(backup)) as old, closing(sqlite3.connect(path)) as new:
        assert old.execute("PRAGMA user_version").fetchone() == (len(KNOWN),)
        assert new.execute("PRAGMA user_version").fetchone() == (STEP.version,)
        assert new.execute("SELECT count(*) FROM more").fetchone() == (0,)


def test_a_migration_that_fails_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    Database(path).open()
    broken = replace(STEP, sql=f"CREATE TABLE more (x); SELECT nonsense; {STEP.sql}")
    with pytest.raises(StoreError, match="nonsense"):
        Database(path, (*KNOWN, broken)).open()

    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (len(KNOWN),)
        assert connection.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'more'").fetchone() == (0,)


async def test_a_newer_schema_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 99")
    with pytest.raises(SchemaTooNew, match="update ricordo"):
        await open_store(f"sqlite:///{path}").open()

    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (99,)


async def test_a_program_that_still_runs_writes_nothing_after_a_newer_one_has_migrated(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    older = Database(path)
    older.open()
    newer = Database(path, (*KNOWN, STEP))
    newer.open()
    newer.close()

    with pytest.raises(SchemaTooNew, match="start this program again"), older.writing() as connection:
        connection.execute("DELETE FROM memory")
    older.close()
    with pytest.raises(SchemaTooNew, match=rf"store\.db\.schema-{len(KNOWN)}-.*\.backup"):
        Database(path).open()


async def test_the_database_of_another_program_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "contacts.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE contacts (name)")
    before = path.read_bytes()
    with pytest.raises(StoreError, match="another program"):
        await open_store(f"sqlite:///{path}").open()

    assert path.read_bytes() == before


@pytest.mark.skipif(sys.platform == "win32", reason="files have no mode there")
async def test_nobody_else_may_read_the_file(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    store = open_store(f"sqlite:///{path}")
    await store.open()

    assert {file.stat().st_mode & 0o777 for file in tmp_path.iterdir()} == {0o600}
    await store.close()


async def test_a_file_that_is_no_database_is_named(tmp_path: Path) -> None:
    path = tmp_path / "letter.txt"
    path.write_text("Dear Mira, " * 500)
    with pytest.raises(StoreError, match=r"letter\.txt"):
        await open_store(f"sqlite:///{path}").open()

    assert path.read_text().startswith("Dear Mira")


async def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="file"):
        await open_store(f"sqlite:///{tmp_path / 'file' / 'store.db'}").open()


@pytest.mark.parametrize("url", ["sqlite://", "sqlite:///", "sqlite://host/file.db", "mysql://x", "", "memory.db"])
def test_a_url_without_a_store_says_what_a_url_looks_like(url: str) -> None:
    with pytest.raises(InvalidInput, match="sqlite:"):
        open_store(url)


async def test_a_new_store_has_nothing_to_back_up(tmp_path: Path) -> None:
    Database(tmp_path / "store.db", (*KNOWN, STEP)).open()

    assert list(tmp_path.glob("*.backup")) == []
