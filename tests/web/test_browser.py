"""The stories of the pages in a real browser: with a mouse, with keys alone, without JavaScript, in the dark."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

import ricordo
from browsers import CHROMIUM, browser
from household import NOW, fill, settings
from liveweb import Live, live
from ricordo.skips import Skip, record_of
from website import DIAGNOSIS, engine

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium here; apt-get install chromium brings one"),
]

PATIENCE = 20_000  # milliseconds: the machine may be busy with other tests
expect.set_options(timeout=PATIENCE)
MEMORIES = 20_000
GRAVE = ("serious", "critical")
PAGES = (
    "/", "/?query=the+pool+last+year&kind=told", "/?query=%D0%BA%D0%BB%D1%8E%D1%87%D0%B8&superseded=true", "/timeline",
    "/timeline?span=2026-06&superseded=true", "/sources", "/source?uri=told", "/import", "/statistics",
    "/settings?check=true", "/namespaces", "/remember", "/trash", "/?namespace=nobody", "/nowhere",
)  # fmt: skip
COLOURFUL = ("/?query=%D0%BA%D0%BB%D1%8E%D1%87%D0%B8&superseded=true", "/timeline?span=2026-06", "/settings?check=true")
EXPORT = [
    {
        "uuid": "7b0c1f5e-0000-4000-8000-000000000001",
        "name": "Trip to Kazan",
        "created_at": "2026-09-01T10:00:00Z",
        "updated_at": "2026-09-01T10:05:00Z",
        "chat_messages": [
            {
                "uuid": f"7b0c1f5e-0000-4000-8000-00000000001{number}",
                "sender": sender,
                "text": text,
                "content": [{"type": "text", "text": text}],
                "created_at": f"2026-09-01T10:0{number}:00Z",
                "attachments": [],
                "files": [],
            }
            for number, (sender, text) in enumerate(
                [("human", "The samovar stands in the blue cupboard"), ("assistant", "I will remember the samovar.")]
            )
        ],
    }
]
DROP = """([name, text]) => {
    const files = new DataTransfer();
    files.items.add(new File([text], name, { type: "application/json" }));
    document.dispatchEvent(new DragEvent("drop", { dataTransfer: files, bubbles: true, cancelable: true }));
}"""


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser() as opened:
        yield opened


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """A server over a memory in two languages, which is found by words alone: filling it with vectors takes minutes."""
    folder = tmp_path_factory.mktemp("house")
    chosen = settings(f"sqlite:///{folder / 'memory.db'}")
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("RICORDO_HOME", str(folder))  # this comes before what every test shares
        fill(chosen, MEMORIES)
        record, memory = record_of(chosen), ricordo.open(settings=chosen, clock=lambda: NOW)
    assert record is not None
    record.note("default", (), [Skip(at=NOW, where="/home/mira/lease.pdf", why="is locked with a password")])
    with live(memory, lambda: DIAGNOSIS) as server:
        yield server


def signed_in(chromium: Browser, house: Live, **options: object) -> Iterator[Page]:
    context: BrowserContext = chromium.new_context(locale="en-GB", **options)  # type: ignore[arg-type]  # as Playwright has them
    page = context.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
    page.set_default_timeout(PATIENCE)
    page.goto(house.link)
    assert "token" not in page.url
    yield page
    context.close()
    assert [fault for fault in faults if "404" not in fault] == []


@pytest.fixture
def page(chromium: Browser, house: Live) -> Iterator[Page]:
    yield from signed_in(chromium, house)


@pytest.fixture
def bare(chromium: Browser, house: Live) -> Iterator[Page]:
    """Without JavaScript."""
    yield from signed_in(chromium, house, java_script_enabled=False)


def remember(page: Page, house: Live, text: str, where: str = "") -> None:
    page.goto(f"{house.url}/remember{where}")
    page.get_by_label("What is worth finding again?").fill(text)
    page.get_by_label("When it happened").fill("2026-11-01")
    page.locator("form.edit button").click()
    expect(page.locator(".whole")).to_have_text(text)


# --- stories ---


def test_answers_come_while_one_types_and_the_window_can_be_removed(page: Page, house: Live) -> None:
    page.locator("#query").press_sequentially("кто отдал ключи на прошлой неделе", delay=5)
    expect(page.locator(".chip").first).to_contain_text("на прошлой неделе")
    expect(page.locator(".card").first).to_contain_text("Соня отдала")
    expect(page.get_by_role("status")).to_contain_text("1 answer")
    assert "query=" in page.url

    page.locator(".chip a").first.click()
    expect(page.locator(".card").nth(3)).to_be_visible()
    assert "any_time=true" in page.url


def test_the_kind_of_source_and_the_namespace_are_chosen(page: Page, house: Live) -> None:
    remember(page, house, "At work the door code is 9052", "?namespace=work")
    page.goto(f"{house.url}/namespaces")
    page.goto(f"{house.url}/?query=door code")
    page.locator("summary", has_text="Narrow down").click()
    page.get_by_label("Kind of source").select_option("told")
    expect(page.locator(".chip").first).to_contain_text("told")
    expect(page.locator(".card").first).to_contain_text("4471")
    assert "kind=told" in page.url

    page.locator("select[name=namespace]").select_option("work")
    expect(page.locator(".space")).to_have_text("work")
    expect(page.locator(".card")).to_have_count(1)
    expect(page.locator(".card").first).to_contain_text("9052")


def test_an_answer_explains_itself(page: Page, house: Live) -> None:
    page.goto(f"{house.url}/?query=connection pool Lisbon")
    first = page.locator(".card").first
    expect(first.locator("mark").first).to_be_visible()
    first.locator("summary").click()

    expect(first.get_by_text("Its score is")).to_be_visible()
    assert first.locator(".arm").count() >= 1
    expect(first.get_by_text("What it scores by words (BM25)")).to_be_visible()
    expect(first.locator(".terms")).to_contain_text("lisbon")


def test_an_answer_shows_which_words_met(chromium: Browser) -> None:
    with live(engine(), lambda: DIAGNOSIS) as small:
        for page in signed_in(chromium, small):
            remember(page, small, "The spare wheel stands in the cellar of Mira")
            page.goto(f"{small.url}/?query=where is the wheel Mira")
            page.locator("details.why summary").click()
            expect(page.locator(".meetings mark").first).to_have_text("wheel")
            expect(page.locator(".words .text mark")).to_have_text(["wheel", "Mira"])


def test_a_memory_is_corrected_and_its_history_is_seen(page: Page, house: Live) -> None:
    remember(page, house, "The spare wheel is in the cellar")
    page.get_by_text("Correct it").click()
    page.get_by_label("What holds from now on").fill("The spare wheel is in the garage")
    page.get_by_role("button", name="Save").click()

    expect(page.locator(".story li")).to_have_count(2)
    expect(page.locator(".story del")).to_have_text("cellar")
    expect(page.locator(".story ins")).to_have_text("garage")


def test_a_memory_is_buried_and_unburied(page: Page, house: Live) -> None:
    remember(page, house, "The hatstand has exactly seven hooks for umbrellas")
    page.get_by_role("button", name="Bury").click()
    expect(page.locator(".notice")).to_contain_text("It is buried")
    address = page.url
    page.goto(f"{house.url}/?query=exactly seven hooks on the hatstand")
    expect(page.locator(".card").last).to_contain_text("seven hooks")
    expect(page.locator(".card").last.locator(".chip")).to_have_text("buried")
    page.goto(address)
    page.get_by_role("button", name="Unbury").click()
    expect(page.get_by_role("button", name="Bury", exact=True)).to_be_visible()


def test_a_memory_is_forgotten_and_put_back(page: Page, house: Live) -> None:
    remember(page, house, "The umbrella stand holds exactly nine umbrellas")
    address = page.url
    page.get_by_role("link", name="Forget…").click()
    page.get_by_role("button", name="Forget").click()
    assert page.request.get(address).status == 404

    page.get_by_role("button", name="Put back").first.click()
    expect(page.locator(".whole")).to_contain_text("nine umbrellas")
    assert page.url == address


def test_an_export_of_claude_is_imported_by_dropping_it(page: Page, house: Live) -> None:
    page.goto(f"{house.url}/import")
    page.evaluate(DROP, ["conversations.json", json.dumps(EXPORT)])
    expect(page.locator(".run summary").first).to_contain_text("conversations.json")
    expect(page.locator(".run summary").first).to_contain_text("2 added")

    page.goto(f"{house.url}/?query=where is the samovar")
    expect(page.locator(".card").filter(has_text="blue cupboard")).to_be_visible()


def test_the_timeline_is_zoomed_by_its_bars(page: Page, house: Live) -> None:
    page.goto(f"{house.url}/timeline")
    page.get_by_role("navigation", name="Zoom").get_by_role("link", name="2026").click()
    page.get_by_role("link", name=re.compile("^2026-06: ")).click()
    expect(page.locator(".crumbs strong")).to_have_text("2026-06")
    bar = page.locator(".plot a").first
    day = (bar.get_attribute("aria-label") or "").partition(":")[0]
    bar.click()

    expect(page.locator(".crumbs strong")).to_have_text(day)
    assert {*page.locator(".day h2").all_inner_texts()} == {day}


def test_the_slider_shows_what_was_true(page: Page, house: Live) -> None:
    page.goto(f"{house.url}/timeline?topic=connection pool connections")
    page.locator("#slider").focus()
    page.locator("#as-of").fill("2026-07-01")
    page.get_by_role("button", name="Show").click()

    expect(page.locator(".notice").first).to_contain_text("What was true on 2026-07-01")
    expect(page.locator(".day").filter(has_text="60 connections")).to_be_visible()
    expect(page.locator(".day").filter(has_text="40 connections")).to_have_count(0)
    page.locator("#slider").press("PageDown")
    page.wait_for_url(lambda url: "2026-07-01" not in url)


def test_the_dark_is_a_click_away_and_lasts(page: Page, house: Live) -> None:
    page.goto(f"{house.url}/")
    before = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    with page.expect_response(f"{house.url}/settings"):
        page.get_by_role("button", name="Dark").click()
    page.goto(f"{house.url}/timeline")

    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") != before


def test_what_the_system_likes_is_followed(chromium: Browser, house: Live) -> None:
    for dark in signed_in(chromium, house, color_scheme="dark"):
        assert dark.evaluate("getComputedStyle(document.documentElement).colorScheme") == "dark"


def test_keys_alone_are_enough(page: Page, house: Live) -> None:
    page.goto(f"{house.url}/sources")
    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("/")
    expect(page.locator("#query")).to_be_focused()
    page.keyboard.type("connection pool")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("query=connection"))
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("k")
    expect(page.locator(".card a.text").first).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("/memory/"))


def test_everything_is_done_without_javascript(bare: Page, house: Live, tmp_path: Path) -> None:
    bare.locator("#query").fill("connection pool Lisbon")
    bare.get_by_role("button", name="Ask").click()
    bare.locator(".card a.text").first.click()
    expect(bare.locator(".story li")).to_have_count(3)
    remember(bare, house, "Kettles are descaled on Sundays")
    bare.get_by_role("link", name="Forget…").click()
    bare.get_by_role("button", name="Forget").click()
    bare.get_by_role("button", name="Put back").first.click()
    expect(bare.locator(".whole")).to_have_text("Kettles are descaled on Sundays")
    (tmp_path / "tea.md").write_text("# Tea\n\nThe tea is in the tin.\n", encoding="utf-8")
    bare.goto(f"{house.url}/import")
    bare.locator("input[type=file]").set_input_files(tmp_path / "tea.md")
    bare.get_by_role("button", name="Read them").click()
    expect(bare.locator(".run summary").first).to_contain_text("tea.md")
    bare.get_by_role("button", name="Dark").click()
    expect(bare.locator("html")).to_have_attribute("data-theme", "dark")
    bare.get_by_role("button", name="Русский").click()
    expect(bare.locator("h1")).to_have_text("Импорт")


@pytest.mark.parametrize(
    ("theme", "rules", "paths"),
    [("light", "{}", PAGES), ("dark", '{ runOnly: ["color-contrast", "link-in-text-block"] }', COLOURFUL)],
)
def test_axe_finds_no_serious_fault(
    chromium: Browser, house: Live, theme: str, rules: str, paths: tuple[str, ...]
) -> None:
    axe = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
    for page in signed_in(chromium, house, color_scheme=theme):
        page.context.add_init_script(axe)
        page.goto(f"{house.url}/?query=connection pool")
        memory = page.locator(".card a.text").first.get_attribute("href")
        words = page.locator("details.why").first.get_attribute("data-words")
        for path in (*paths, memory, words, f"/forget?id={(memory or '').rpartition('/')[2]}"):
            page.goto(f"{house.url}{path}")
            found = page.evaluate(f"axe.run({{ resultTypes: ['violations'], ...{rules} }})")
            faults = [(each["id"], each["nodes"][0]["html"]) for each in found["violations"] if each["impact"] in GRAVE]
            assert faults == [], path


def test_nobody_is_asked_but_this_server(page: Page, house: Live) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    for path in PAGES:
        page.goto(f"{house.url}{path}")

    assert all(url.startswith(house.url) for url in asked)
