"""What people do on the pages, as a browser without JavaScript does it."""

from __future__ import annotations

import html
import json
import re
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from ricordo import sync
from ricordo.web.wording import LANGUAGES, preferred, wording
from website import Site, running

PAGES = ("/", "/timeline", "/sources", "/import", "/statistics", "/settings", "/namespaces", "/remember", "/trash")
LIGHT = 150 * 1024


class Links(HTMLParser):
    """The addresses that a page has: links, files, forms."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.files: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        address = found.get("href") or found.get("src") or found.get("action")
        if address and tag in ("script", "link") and found.get("rel") != "alternate":
            self.files.append(address)
        elif address:
            self.links.append(address)


def links(text: str) -> list[str]:
    return Links(text).links


def plain(text: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", text))


@pytest.fixture
def pool(site: Site) -> str:
    """The id of the first of two versions."""
    memory_id = site.remember("The pool has 20 connections", when="2026-01-12", tags=["db"])
    site.program.post(f"/api/revise/{memory_id}", json={"text": "The pool has 60 connections", "when": "2026-06-09"})
    return memory_id


# --- search ---


def test_a_time_in_the_question_is_a_chip_that_can_be_removed(site: Site) -> None:
    site.remember("Sonia has the keys", when="2026-11-11")
    site.remember("Mira has the keys", when="2025-01-01")
    page = site.browser.get("/?query=keys last week").text

    assert "“last week” · 2026-11-09 – 2026-11-15" in page
    assert ("Sonia" in plain(page), "Mira has" in plain(page)) == (True, False)
    without = next(link for link in links(page) if "any_time=true" in link)
    assert "Mira has" in plain(site.browser.get(without).text)


def test_each_filter_is_a_chip_that_can_be_removed(site: Site, pool: str) -> None:
    page = site.browser.get("/?query=pool&tag=db&since=2026-01&superseded=true").text
    without = [parse_qs(urlsplit(link).query) for link in links(page) if link.startswith("/?query=pool")]

    assert {"query": ["pool"], "since": ["2026-01"], "superseded": ["true"]} in without
    assert {"query": ["pool"], "tag": ["db"], "superseded": ["true"]} in without
    assert {"query": ["pool"], "tag": ["db"], "since": ["2026-01"]} in without


def test_the_kinds_of_source_that_are_there_can_be_chosen(site: Site) -> None:
    site.remember("The garden door is told of", when="2026-05-03")
    site.program.post("/api/ingest", files={"files": ("garden.md", b"# Garden\n\nThe garden door is read of\n")})
    site.browser.get("/sources")  # which looks anew; what can be chosen may be a little old
    every, told = site.browser.get("/?query=garden door").text, site.browser.get("/?query=garden door&kind=told").text

    assert all(option in every for option in ('<option value="markdown">', '<option value="told">told · 1'))
    assert ("told of" in plain(every), "read of" in plain(every)) == (True, True)
    assert ("told of" in plain(told), "read of" in plain(told)) == (True, False)
    assert ('<option value="told" selected>' in told, "/?query=garden+door" in links(told)) == (True, True)


@pytest.mark.parametrize("path", ["/?query=door&kind=told&kind=markdown", "/timeline?kind=told&kind=markdown"])
def test_the_form_keeps_all_kinds_of_an_address(site: Site, path: str) -> None:
    site.remember("The garden door is told of", when="2026-05-03")
    page = site.browser.get(path).text

    assert '<select name="kind" multiple' in page
    assert all(f'<option value="{kind}" selected>' in page for kind in ("told", "markdown"))
    assert '<select name="kind">' in site.browser.get("/?query=door&kind=told").text


def test_the_timeline_is_narrowed_to_a_kind_of_source_and_stays_so(site: Site) -> None:
    site.remember("The garden door is told of", when="2026-05-03")
    told, read = site.browser.get("/timeline?kind=told").text, site.browser.get("/timeline?kind=markdown").text

    assert ("told of" in told, "told of" in read) == (True, False)
    assert '<option value="markdown" selected>' in read
    assert "/timeline?span=2026-05&kind=told" in links(told)


def test_a_namespace_is_chosen_in_the_form(site: Site) -> None:
    assert 'name="namespace"' not in site.browser.get("/").text
    site.program.post("/api/remember", params={"namespace": "work"}, json={"text": "at work"})
    site.remember("at home")
    site.browser.get("/namespaces")
    page, other = site.browser.get("/").text, site.browser.get("/?query=at&namespace=work").text

    assert all(option in page for option in ('<option value="" selected>default</option>', '<option value="work">'))
    assert ('<option value="work" selected>' in other, '<option value="">default</option>' in other) == (True, True)


def test_the_words_of_the_question_are_marked_in_any_form(site: Site) -> None:
    site.remember("Марина забрала ключи от дачи")

    assert "<mark>ключи</mark>" in site.browser.get("/?query=где ключ").text


def test_each_answer_says_why_it_is_here(site: Site) -> None:
    site.remember("The garden door code is 9052")
    site.remember("The garden is watered on Sundays")
    page = plain(site.browser.get("/?query=garden door").text)

    assert "words 1" in page
    assert "Its score is" in page


def test_what_was_weighed_against_nothing_says_so(site: Site) -> None:
    site.remember("The garden door code is 9052")

    assert "Nothing else came near enough" in site.browser.get("/?query=garden door").text


def test_each_answer_is_explained_word_by_word(site: Site) -> None:
    memory_id = site.remember("The garden door code is 9052, Mira says")
    page = site.browser.get("/?query=the code of the garden door")
    (address,) = {link for link in links(page.text) if link.startswith("/why")}
    words = site.browser.get(address).text

    assert memory_id in address
    assert all(f"<mark>{word}</mark>" in words for word in ("garden", "door", "code"))
    assert "BM25" in words
    assert "<html" not in site.browser.get(f"{address}&fragment=true").text


def test_a_window_in_which_nothing_is_found_can_be_removed(site: Site) -> None:
    site.remember("Mira has the keys", when="2025-01-01")
    page = site.browser.get("/?query=the keys on 3 March 1999&tag=none").text

    assert ("Nothing found" in page, "Time read from the question" in page) == (True, True)
    assert "Nothing found" in plain(site.browser.get("/?tag=none").text)


def test_an_empty_memory_tells_how_to_begin(site: Site) -> None:
    page = site.browser.get("/").text

    assert "Nothing is remembered here yet" in page
    assert {"/remember", "/import"} <= set(links(page))


def test_a_part_of_the_page_can_be_had_alone(site: Site, pool: str) -> None:
    part = site.browser.get("/?query=pool&fragment=true").text

    assert "<html" not in part
    assert "60 connections" in plain(part)


def test_an_answer_that_is_wrong_use_says_so(site: Site) -> None:
    answer = site.browser.get("/?query=a&since=someday")

    assert (answer.status_code, "someday" in answer.text) == (400, True)


# --- a memory ---


def test_the_versions_of_a_memory_are_a_story_with_differences(site: Site, pool: str) -> None:
    page = site.browser.get(f"/memory/{pool}").text

    assert "<del>20</del><ins>60</ins>" in page
    assert "2026-01-12 → 2026-06-09" in plain(page)
    assert "This is an old version." in page


def test_a_memory_is_corrected_by_its_form(site: Site) -> None:
    memory_id = site.remember("the port is 8080")
    answer = site.form(f"/memory/{memory_id}", text="the port is 9090", when="2026-11-01")

    assert answer.status_code == 303
    assert "<del>8080</del><ins>9090</ins>" in site.browser.get(answer.headers["location"]).text


def test_something_new_is_remembered_by_its_form(site: Site) -> None:
    answer = site.form("/remember", text="Dana likes tea", when="", tags="home, , tea")
    page = site.browser.get(answer.headers["location"]).text

    assert "Dana likes tea" in page
    assert all(f"#{tag}" in page for tag in ("home", "tea"))


def test_what_stands_around_a_memory_is_shown(site: Site) -> None:
    text = b"# Trip\n\nWe leave on Friday.\n\n# Food\n\nBread and cheese.\n"
    site.program.post("/api/ingest", files=[("files", ("trip.md", text))])
    (source,) = site.program.get("/api/sources").json()["sources"]
    page = site.browser.get("/source", params={"uri": source["source"]["uri"]}).text

    assert source["memories"] >= 1
    assert "upload:trip.md" in page


def test_a_memory_is_buried_and_unburied_by_its_page(site: Site, pool: str) -> None:
    other = site.remember("A pool has 3 connections")
    form = site.form("/bury", id=other)
    assert form.headers["location"] == f"/memory/{other}"
    page = site.browser.get(f"/memory/{other}").text
    assert ("It is buried" in page, "Unbury" in page) == (True, True)
    found = plain(site.browser.get("/?query=A pool has 3 connections&fragment=true").text)
    assert re.search(r"60 connections.*3 connections.*buried", found)
    site.form("/bury", id=other, undo="true")

    assert "It is buried" not in site.browser.get(f"/memory/{other}").text


# --- forgetting ---


def test_what_is_forgotten_is_gone_and_can_be_put_back_whole(site: Site, pool: str) -> None:
    versions = site.program.get(f"/api/history/{pool}").json()
    assert "Forget 1 memory?" in site.browser.get(f"/forget?id={pool}").text
    site.form("/forget", id=pool)
    assert site.program.get(f"/api/show/{pool}").status_code == 404
    (key,) = re.findall(r'name="key" value="([^"]+)"', site.browser.get("/trash").text)

    assert site.form("/trash", key=key).status_code == 303
    assert site.program.get(f"/api/history/{pool}").json() == versions


def test_what_is_let_go_of_cannot_be_put_back(site: Site, pool: str) -> None:
    site.form("/forget", id=pool)
    (key,) = re.findall(r'name="key" value="([^"]+)"', site.browser.get("/trash").text)
    site.form("/trash", key=key, drop="true")

    assert site.form("/trash", key=key).status_code == 404
    assert "The pool" not in site.browser.get("/trash").text


def test_several_are_forgotten_together(site: Site) -> None:
    ids = [site.remember(f"note {number}") for number in range(3)]
    assert "Forget 2 memories?" in site.browser.get(f"/forget?id={ids[0]}&id={ids[1]}").text
    site.form("/forget", id=ids[:2])

    assert site.program.get("/api/stats").json()["memories"] == 1


def test_all_that_a_source_said_is_forgotten_together(site: Site) -> None:
    site.program.post("/api/ingest", files=[("files", ("a.txt", b"one")), ("files", ("b.txt", b"two"))])
    site.form("/forget", source="upload:a.txt")

    assert [held["source"]["uri"] for held in site.program.get("/api/sources").json()["sources"]] == ["upload:b.txt"]


# --- time ---


@pytest.mark.parametrize("zone", ["America/New_York", "Asia/Tokyo"])
def test_the_edges_of_the_calendar_are_shown_in_any_zone(zone: str) -> None:
    with running(zone) as site:
        ids = [site.remember(f"the edge {when}", when=when) for when in ("0001-01-01T00:00:00Z", "9999-12-31T23:30Z")]
        addresses = (
            *PAGES,
            "/?query=edge",
            "/timeline?topic=edge",
            "/timeline?as_of=0001-01-01T00:00Z",
            "/source?uri=told",
            *(f"/memory/{id_}" for id_ in ids),
        )

        answers = {address: site.browser.get(address).status_code for address in addresses}
        assert answers == dict.fromkeys(addresses, 200)


@pytest.mark.parametrize("zone", ["America/New_York", "UTC", "Asia/Tokyo"])
def test_the_timeline_leads_to_the_first_and_the_last_day_there_are(zone: str) -> None:
    edges = {"0001-01-01": "0001-01-01T00:00:00Z", "9999-12-31": "9999-12-31T23:59:59.999999Z"}
    with running(zone) as site:
        for when in edges.values():
            site.remember(f"the edge {when}", when=when)
        for day, when in edges.items():
            for span in (day[:4], day[:7], day):
                page = site.browser.get(f"/timeline?span={span}").text
                (twin,) = re.findall(r'rel="alternate" type="application/json" href="([^"]+)"', page)
                told = site.browser.get(html.unescape(twin)).json()["memories"]
                assert ([memory["text"] for memory in told], plain(page).count("the edge")) == ([f"the edge {when}"], 1)
                assert {site.browser.get(link).status_code for link in links(page) if "/timeline" in link} == {200}


def test_what_happened_at_the_end_of_the_calendar_comes_a_page_at_a_time(site: Site) -> None:
    for when in ("9999-12-31T23:59:59.999999Z", "9999-06-01", "0001-01-01T00:00:00Z"):
        site.remember(f"the edge {when}", when=when)
    address, pages = "/timeline?limit=1", 0
    while address:
        page = site.browser.get(address).text
        pages += plain(page).count("the edge")
        address = next((link for link in links(page) if "cursor=" in link), "").replace("limit=50", "limit=1")
        address += "&limit=1" if address and "limit" not in address else ""

    assert pages == 3


def test_the_timeline_zooms_from_years_to_a_day(site: Site, pool: str) -> None:
    whole = site.browser.get("/timeline").text
    assert {"/timeline?span=2026", "/timeline?span=2026-06"} <= set(links(whole))
    month = site.browser.get("/timeline?span=2026-06").text
    assert "/timeline?span=2026-06-09" in links(month)

    assert "60 connections" in site.browser.get("/timeline?span=2026-06-09").text
    assert "60 connections" not in site.browser.get("/timeline?span=2026-06-10").text


def test_the_timeline_shows_what_was_true_then(site: Site, pool: str) -> None:
    assert "20 connections" in site.browser.get("/timeline?as_of=2026-03-01").text
    assert "20 connections" not in site.browser.get("/timeline").text


def test_the_timeline_tells_how_long_old_versions_held(site: Site, pool: str) -> None:
    assert "2026-01-12 → 2026-06-09" in plain(site.browser.get("/timeline?superseded=true").text)


@pytest.mark.parametrize("span", ["2026-13", "2026-02-30", "26", "0000", "10000", "2026-3", "x"])
def test_a_span_that_is_none_is_refused(site: Site, span: str) -> None:
    assert site.browser.get(f"/timeline?span={span}").status_code == 400


# --- files ---


def test_files_are_imported_by_a_form_and_what_was_skipped_is_told(site: Site) -> None:
    parts = [("files", ("notes.md", b"# Keys\n\nUnder the pot\n")), ("files", ("chat.json", b"{broken"))]
    answer = site.browser.post("/import", data={"csrf": site.access.csrf}, files=parts)

    assert "1 added" in answer.text or "2 added" in answer.text
    assert "ricordo-upload" not in answer.text


# --- every page ---


def test_what_any_program_could_not_read_is_told_with_the_sources(tmp_path: Path) -> None:
    url, note = f"sqlite:///{tmp_path / 'memory.db'}", tmp_path / "keys.md"
    note.write_text("---\na: b: c\n---\nThe key is under the pot\n", encoding="utf-8")
    with sync.open(url, embedder="none") as program:
        program.ingest([note])
    with running(url=url) as site:
        site.program.post("/api/ingest", files={"files": ("deep/photo.md", b"\x00\x01\x02" * 100)})
        page, twin = site.browser.get("/sources").text, site.program.get("/api/sources").json()
        alone = site.program.get("/api/skipped", params={"limit": 1}).json()
        rest = site.program.get("/api/skipped", params={"cursor": alone["next"]}).json()
        site.form("/forget", source=note.as_uri())
        after = site.browser.get("/sources").text

    assert all(told in page for told in ("Not read", f"<code>{note} (front matter)</code>: is not valid YAML"))
    assert "under the pot" not in page
    assert [each["where"] for each in alone["skipped"]] == ["deep/photo.md"]
    assert rest["skipped"][0]["origin"] == note.as_uri()
    assert twin["skipped"] == [*alone["skipped"], *rest["skipped"]]
    assert ("keys.md" in after, "deep/photo.md" in after) == (False, True)


@pytest.mark.parametrize("page", PAGES)
def test_every_page_is_in_both_languages(site: Site, page: str) -> None:
    titles = []
    for language in LANGUAGES:
        answer = site.browser.get(page, headers={"Accept-Language": language})
        assert f'<html lang="{language}"' in answer.text
        titles.append(re.findall("<title>(.+?) ·", answer.text))
    assert titles[0] != titles[1]


def test_a_chosen_language_and_theme_last(site: Site) -> None:
    answer = site.form("/settings", theme="dark", language="ru", next="/timeline?span=2026")

    assert answer.headers["location"] == "/timeline?span=2026"
    assert '<html lang="ru" data-theme="dark">' in site.browser.get("/").text


@pytest.mark.parametrize("page", PAGES)
def test_nothing_comes_from_another_host_and_little_in_all(site: Site, page: str, pool: str) -> None:
    answer = site.browser.get(page)
    own = Links(answer.text).files
    sizes = [len(site.browser.get(address).content) for address in own]

    assert len(own) == 3
    assert all(address.startswith("/static/") for address in own)
    assert not [link for link in links(answer.text) if not link.startswith(("/", "#"))]
    assert len(answer.content) + sum(sizes) <= LIGHT


@pytest.mark.parametrize("page", ["/?query=pool", "/timeline", "/sources", "/statistics", "/namespaces"])
def test_a_page_names_its_json_twin(site: Site, page: str, pool: str) -> None:
    (twin,) = re.findall(r'rel="alternate" type="application/json" href="([^"]+)"', site.browser.get(page).text)

    assert site.browser.get(twin.replace("&amp;", "&")).headers["content-type"] == "application/json"


def test_a_page_that_did_not_change_is_not_sent_again(site: Site, pool: str) -> None:
    first = site.browser.get("/timeline")

    assert site.browser.get("/timeline", headers={"If-None-Match": first.headers["etag"]}).status_code == 304


def test_the_files_of_the_pages_are_kept_by_the_browser(site: Site) -> None:
    for address in Links(site.browser.get("/").text).files:
        assert "immutable" in site.browser.get(address).headers["cache-control"]
    assert site.browser.get("/").headers["cache-control"] == "private, no-cache"


def test_links_stay_in_the_namespace(site: Site) -> None:
    site.program.post("/api/remember", params={"namespace": "work"}, json={"text": "at work"})
    page = site.browser.get("/?namespace=work").text
    inner = [link for link in links(page) if link.startswith(("/timeline", "/memory", "/sources", "/import"))]

    assert inner
    assert all("namespace=work" in link for link in inner)


# --- words ---


def test_both_catalogues_say_the_same_things() -> None:
    english, russian = (wording(language).texts for language in LANGUAGES)

    assert english.keys() == russian.keys()
    for key, text in english.items():
        assert isinstance(text, str) == isinstance(russian[key], str), key
        assert set(re.findall(r"{\w+}", json.dumps(text))) == set(re.findall(r"{\w+}", json.dumps(russian[key]))), key
        assert isinstance(text, str) or (len(text), len(russian[key])) == (2, 3), key


def test_every_text_is_used_and_every_used_text_is_there() -> None:
    templates = files("ricordo.web").joinpath("templates")
    source = "".join(entry.read_text(encoding="utf-8") for entry in templates.iterdir())
    said = set(re.findall(r'say(?:\.many)?\(["\']([\w.]+)["\'][,)]', source))

    assert said <= wording("en").texts.keys()


@pytest.mark.parametrize(
    ("number", "russian"),
    [
        (1, "1 воспоминание"),
        (3, "3 воспоминания"),
        (5, "5 воспоминаний"),
        (11, "11 воспоминаний"),
        (21, "21 воспоминание"),
        (112, "112 воспоминаний"),
        (1002, "1\u202f002 воспоминания"),
    ],
)
def test_numbers_take_the_form_of_their_language(number: int, russian: str) -> None:
    assert wording("ru").many("memories", number) == russian


@pytest.mark.parametrize(
    ("accepted", "language"), [("ru-RU,ru;q=0.9,en;q=0.8", "ru"), ("de,en;q=0.5", "en"), ("", "en"), ("uk, RU", "ru")]
)
def test_a_browser_is_answered_in_its_language(accepted: str, language: str) -> None:
    assert preferred(accepted) == language
