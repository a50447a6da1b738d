"""Pictures of every page for the documentation: `python tests/screenshots.py [FOLDER]` writes them anew.

What they show is made up. It needs a Chromium, and takes half a minute: the embedder that ricordo ships reads first.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Browser, Page

import ricordo
from browsers import browser
from household import NOW, fill, settings
from liveweb import Live, live
from ricordo.render.reports import Diagnosis, Finding
from ricordo.settings import Settings
from ricordo.skips import Skip, record_of

IMAGES = Path(__file__).parents[1] / "docs" / "images"
MEMORIES = 400
SIZE = {"width": 1080, "height": 760}
TALL = {"why": 1120}
SOUND = Diagnosis(
    settings={},
    findings=(
        Finding(name="store", status="ok", message="405 memories in 405 chunks, schema version 2"),
        Finding(name="embedder", status="ok", message="all-minilm-l6-v2, loaded and used in 9 ms"),
        Finding(
            name="Russian",
            status="note",
            message="pymorphy3 is not installed: words are matched by their stems, not by their lemmas",
            mend="pip install 'ricordo[russian]'",
        ),
    ),
)
NOT_READ = (
    ("/home/mira/notes/lease.pdf", "is locked with a password"),
    (
        "/home/mira/notes/boat.md (front matter)",
        "is not valid YAML: mapping values are not allowed here (at line 3, column 12)",
    ),
)
# Name → theme, language, address.
PICTURES = {
    "search": ("light", "en", "/?query=who had the keys of the dacha last week"),
    "search-dark": ("dark", "ru", "/?query=у кого были ключи от дачи на прошлой неделе"),
    "why": ("light", "en", "/?query=how many connections does the pool have"),
    "memory": ("light", "en", "/?query=how many connections does the pool have"),
    "timeline": ("light", "en", "/timeline"),
    "timeline-month": ("dark", "en", "/timeline?span=2026-06&superseded=true"),
    "sources": ("light", "en", "/sources"),
    "source": ("light", "en", "/source?uri=told"),
    "import": ("light", "en", "/import"),
    "statistics": ("light", "en", "/statistics"),
    "settings": ("light", "en", "/settings?check=true"),
    "namespaces": ("light", "en", "/namespaces"),
    "remember": ("light", "en", "/remember"),
    "forget": ("light", "en", "/?query=door code"),
    "empty": ("light", "ru", "/?namespace=new"),
    "trash": ("light", "en", "/?query=door code"),
}


def take(page: Page, name: str) -> None:
    """Go on from the address to what the picture shows."""
    if name == "why":
        page.locator("details.why summary").first.click()
        page.locator(".words").wait_for()
    if name == "memory":
        page.locator(".card a.text").first.click()
    if name in ("forget", "trash"):
        page.locator(".card input").first.check()
        page.get_by_role("button", name="Forget what is chosen").click()
    if name == "trash":
        page.get_by_role("button", name="Forget").click()
    page.mouse.move(0, 0)
    page.wait_for_load_state("networkidle")


def pictures(opened: Browser, server: Live, folder: Path) -> None:
    warm_up(opened, server)
    for name, (theme, language, address) in PICTURES.items():
        size = {**SIZE, "height": TALL.get(name, SIZE["height"])}
        context = opened.new_context(viewport=size, color_scheme=theme, locale=language)  # type: ignore[arg-type]  # light, dark
        page = context.new_page()
        page.goto(server.link)
        page.goto(f"{server.url}{address}")
        take(page, name)
        page.screenshot(path=folder / f"{name}.png")
        context.close()


def warm_up(opened: Browser, server: Live) -> None:
    """Let the model be loaded before anything shows how long an answer took."""
    page = opened.new_page()
    page.goto(server.link)
    for _, _, address in PICTURES.values():
        page.goto(f"{server.url}{address}")
    page.close()


def skip_some(chosen: Settings) -> None:
    """Put on record that two files were not read whole."""
    record = record_of(chosen)
    assert record is not None
    record.note("default", (), [Skip(at=NOW, where=where, why=why) for where, why in NOT_READ])


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as place:
        # A home that is gone afterwards, and by whose name no page can tell where it was.
        os.environ.update(HOME=place, RICORDO_HOME=place)
        chosen = settings("sqlite:///~/memory.db", embedder="auto")
        fill(chosen, MEMORIES)
        skip_some(chosen)
        memory = ricordo.open(settings=chosen, clock=lambda: NOW)
        with live(memory, lambda: SOUND) as server, browser() as opened:
            pictures(opened, server, folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else IMAGES)
