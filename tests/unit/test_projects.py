"""Whose memory is reached from where: a project has its own, and nothing is reached but by a rule."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from ricordo.errors import InvalidInput
from ricordo.projects import directory_of, project_namespace, project_root, scope_of


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home folder is read from the environment."""
    home = tmp_path / "mira"
    home.mkdir()
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(home))
    return home


def repository(folder: Path) -> Path:
    (folder / ".git").mkdir(parents=True)
    return folder


def test_a_project_has_a_name_to_be_read_that_is_the_same_all_over_it(home: Path) -> None:
    atlas = repository(home / "src" / "atlas")
    (atlas / "docs" / "deep").mkdir(parents=True)
    name = project_namespace(atlas)

    assert re.fullmatch(r"atlas-[0-9a-f]{6}", name)
    assert project_namespace(atlas / "docs" / "deep") == name
    assert project_namespace(repository(home / "old" / "atlas")) != name


def test_worktrees_of_a_repository_share_its_memory(home: Path) -> None:
    atlas = repository(home / "atlas")
    (atlas / ".git" / "worktrees" / "fix").mkdir(parents=True)
    tree = home / "atlas-fix"
    tree.mkdir()
    (tree / ".git").write_text(f"gitdir: {atlas / '.git' / 'worktrees' / 'fix'}\n", encoding="utf-8")

    assert project_root(tree) == atlas.resolve()
    assert project_namespace(tree) == project_namespace(atlas)


def test_a_submodule_is_a_project_of_its_own(home: Path) -> None:
    atlas = repository(home / "atlas")
    (atlas / ".git" / "modules" / "lib").mkdir(parents=True)
    (atlas / "lib").mkdir()
    (atlas / "lib" / ".git").write_text("gitdir: ../.git/modules/lib\n", encoding="utf-8")

    assert project_root(atlas / "lib") == (atlas / "lib").resolve()


def test_a_repository_of_the_home_folder_makes_no_project_of_all_below(home: Path) -> None:
    repository(home)
    (home / "notes").mkdir()

    assert project_root(home / "notes") is None
    assert project_namespace(home / "notes").startswith("notes-")


@pytest.mark.parametrize(
    ("name", "beginning"), [("Проект А", "Проект-А-"), ("a b/c", "c-"), ("..x", "x-"), ("x" * 90, "x" * 40 + "-")]
)
def test_any_folder_gives_a_name(home: Path, name: str, beginning: str) -> None:
    assert project_namespace(home / name).startswith(beginning)


def test_the_directory_is_what_the_client_says(home: Path) -> None:
    (home / "work").mkdir()
    said, roots = {"CLAUDE_PROJECT_DIR": "/srv/atlas"}, ["https://x.example", (home / "a b").as_uri()]

    assert directory_of(said, roots, home) == Path("/srv/atlas")
    assert directory_of({}, roots, home) == home / "a b"
    assert directory_of({}, [], home / "work") == home / "work"


@pytest.mark.parametrize("place", [".", ".config/Claude", "Library/Caches", "AppData/Local", ".."])
def test_where_a_desktop_application_starts_its_tools_is_no_project(home: Path, place: str) -> None:
    (home / place).mkdir(parents=True, exist_ok=True)

    assert directory_of({}, [], home / place) is None


def test_a_project_is_home_and_reaches_nothing_else(home: Path) -> None:
    atlas = repository(home / "atlas")
    scope = scope_of(personal="default", directory=atlas)

    assert scope.searched == (project_namespace(atlas),)
    assert scope.target(None) == scope.target("project") == project_namespace(atlas)
    for name in ("personal", "default", "of-others", "unheard-of"):
        with pytest.raises(InvalidInput, match=f"{name}.* cannot be reached from here"):
            scope.resolve(name)


def test_without_a_project_home_is_personal() -> None:
    scope = scope_of(personal="mira", directory=None)

    assert scope.searched == scope.resolve("project") == scope.resolve("personal") == ("mira",)


def test_others_are_searched_by_an_explicit_rule(home: Path) -> None:
    atlas = repository(home / "atlas")
    scope = scope_of(personal="default", directory=atlas, also=["personal", "team", "project"])

    assert scope.searched == (project_namespace(atlas), "default", "team")
    assert scope.resolve("personal") == ("default",)
    assert scope.target("team") == "team"


def test_what_was_asked_for_is_home(home: Path) -> None:
    scope = scope_of(personal="default", directory=repository(home / "atlas"), asked="work")

    assert (scope.home, scope.searched) == ("work", ("work",))


def test_pins_cannot_be_left(home: Path) -> None:
    atlas = repository(home / "atlas")
    scope = scope_of(personal="default", directory=atlas, pins=["team", "personal"])

    assert scope.searched == ("team", "default")
    assert scope_of(personal="default", directory=atlas, pins=["a", "b"], asked="b").searched == ("b", "a")
    with pytest.raises(InvalidInput, match="cannot be reached"):
        scope.resolve("project")


@pytest.mark.parametrize("wish", [{"asked": "other"}, {"also": ["other"]}])
def test_pins_that_are_contradicted_are_an_error(wish: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput, match="pinned to team, which leaves out other"):
        scope_of(personal="default", directory=None, pins=["team"], **wish)
