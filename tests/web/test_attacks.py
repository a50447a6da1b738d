"""Who tries to come in by another way does not."""

from __future__ import annotations

import re
import statistics
import time
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from tempfile import gettempdir

import pytest
from starlette.routing import Route

from ricordo.errors import InvalidInput
from ricordo.settings import Settings
from ricordo.skips import Skip, record_of
from ricordo.web.access import Access, is_loopback
from ricordo.web.endpoints import ENDPOINTS
from ricordo.web.guard import HEADERS
from ricordo.web.pages import PAGES
from website import BASE, NOW, PORT, Site, running

EVERY_GET = ["/", "/timeline", "/static/ricordo.css", "/api/stats", "/api/openapi.json", "/nowhere", "/import"]
PAYLOADS = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "</textarea></title><svg onload=alert(1)>",
    "javascript:alert(1)",
    "{{ 7*7 }}{% raw %}",
)


def writes() -> Iterator[str]:
    for endpoint in ENDPOINTS:
        if endpoint.method == "POST":
            yield endpoint.path.replace("{id}", "0" * 24)
    for route in PAGES:
        if isinstance(route, Route) and "POST" in (route.methods or ()):
            yield route.path.replace("{id}", "0" * 24)


# --- who asks, and by which name ---


@pytest.mark.parametrize("path", EVERY_GET)
@pytest.mark.parametrize(
    "host", ["evil.example", f"evil.example:{PORT}", "127.0.0.1", f"127.0.0.1.evil.example:{PORT}", ""]
)
def test_a_name_that_is_not_ours_gets_nothing(site: Site, path: str, host: str) -> None:
    for client in (site.program, site.browser, site.stranger):
        assert client.get(path, headers={"Host": host}).status_code == 421


@pytest.mark.parametrize("host", [f"127.0.0.1:{PORT}", f"localhost:{PORT}", f"[::1]:{PORT}", f"LOCALHOST:{PORT}"])
def test_our_own_names_are_let_in(site: Site, host: str) -> None:
    assert site.program.get("/api/stats", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize("path", EVERY_GET)
@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": f"http://127.0.0.1:{PORT + 1}"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "cross-site", "Origin": BASE},
    ],
)
def test_another_site_gets_nothing(site: Site, path: str, headers: dict[str, str]) -> None:
    for client in (site.program, site.browser):
        client.headers.pop("Sec-Fetch-Site", None)
        assert client.get(path, headers=headers).status_code == 403


@pytest.mark.parametrize("path", ["/", "/timeline", "/api/stats", "/api/openapi.json", "/memory/0000", "/trash"])
@pytest.mark.parametrize(
    "credentials", [{}, {"Authorization": "Bearer "}, {"Authorization": "Basic x"}, {"Cookie": "ricordo-7432="}]
)
def test_nobody_is_let_in_without_the_token(site: Site, path: str, credentials: dict[str, str]) -> None:
    answer = site.stranger.get(path, headers=credentials)

    assert answer.status_code == 401
    assert site.access.token not in answer.text


def test_the_cookie_of_another_start_opens_nothing(site: Site) -> None:
    other = Access(port=PORT)
    site.stranger.cookies.set(other.cookie_name, other.session, domain="127.0.0.1")

    assert site.stranger.get("/").status_code == 401
    assert site.stranger.get(f"/?token={other.token}").status_code == 401


def test_the_token_leaves_the_address_at_the_first_hop(site: Site) -> None:
    answer = site.stranger.get(f"/timeline?span=2026&token={site.access.token}", follow_redirects=False)

    assert (answer.status_code, answer.headers["location"]) == (303, "/timeline?span=2026")
    assert {"HttpOnly", "SameSite=strict", "Path=/"} <= set(answer.headers["set-cookie"].split("; "))
    assert site.access.token not in answer.headers["set-cookie"]
    assert site.stranger.get("/timeline").status_code == 200


def test_the_first_hop_leads_nowhere_else(site: Site) -> None:
    for path in ("//evil.example", "/\\evil.example", "//evil.example/%2f.."):
        answer = site.stranger.get(f"{BASE}{path}?token={site.access.token}", follow_redirects=False)
        assert re.match(r"/(?![/\\])", answer.headers["location"])


def test_nor_does_what_follows_a_preference(site: Site) -> None:
    for target in (
        "//evil.example",
        "https://evil.example",
        "/\\evil.example",
        "javascript:alert(1)",
        "/\r\nSet-Cookie: a=b",
    ):
        assert site.form("/settings", theme="dark", next=target).headers["location"] == "/"


def test_a_token_can_be_pasted_in_place_of_the_link(site: Site) -> None:
    assert site.stranger.post("/sign-in", data={"token": "wrong" * 10}).status_code == 401
    site.stranger.post("/sign-in", data={"token": site.access.token}, follow_redirects=False)

    assert site.stranger.get("/").status_code == 200


def test_the_time_of_a_refusal_tells_nothing_of_the_token(site: Site) -> None:
    near = site.access.token[:-1] + ("a" if site.access.token[-1] != "a" else "b")
    spent: dict[str, list[float]] = {near: [], "x" * len(near): []}
    for _ in range(3000):
        for given, times in spent.items():
            begun = time.perf_counter()
            assert not site.access.is_token(given)
            times.append(time.perf_counter() - begun)
    one, other = (statistics.median(times) for times in spent.values())
    assert abs(one - other) < 0.2 * max(one, other)


def test_a_token_of_ones_own_must_be_long() -> None:
    with pytest.raises(InvalidInput, match="32"):
        Access(port=1, token="short")  # that is the point


@pytest.mark.parametrize(
    ("host", "answer"),
    [
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("localhost", True),
        ("::1", True),
        ("0.0.0.0", False),
        ("127.evil.com", False),
    ],
)
def test_which_addresses_are_of_this_machine(host: str, answer: bool) -> None:  # noqa: FBT001  # a table
    assert is_loopback(host) == answer


# --- forms of other pages ---


@pytest.mark.parametrize("path", [path for path in writes() if path != "/sign-in"])
def test_no_write_is_done_for_a_page_without_the_token_of_our_forms(site: Site, path: str) -> None:
    headers = {"Origin": BASE, "Sec-Fetch-Site": "same-origin", "X-CSRF-Token": "0" * 64}
    kinds = (
        {"files": [("files", ("a.txt", b"x"))]},
        {"data": {"text": "x", "csrf": "0" * 64}},
        {"json": {"text": "x"}},
    )
    answers = [site.browser.post(path, headers=headers, **kind) for kind in kinds]

    assert {answer.status_code for answer in answers} <= {400, 403, 415}
    assert 403 in {answer.status_code for answer in answers}
    assert site.program.get("/api/stats").json()["memories"] == 0


def test_a_form_of_a_page_without_a_referrer_is_ours_when_the_browser_vouches_for_it(site: Site) -> None:
    data = {"csrf": site.access.csrf, "text": "by a form"}
    vouched = site.browser.post("/remember", data=data, headers={"Origin": "null", "Sec-Fetch-Site": "same-origin"})
    site.browser.headers.pop("Sec-Fetch-Site")
    unvouched = site.browser.post("/remember", data=data, headers={"Origin": "null"})

    assert (vouched.status_code, unvouched.status_code) == (200, 403)


# --- what memories say ---


class Document(HTMLParser):
    """Remembers every tag and attribute of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def is_harmless(text: str) -> bool:
    for tag, attributes in Document(text).found:
        if any(name.startswith("on") or name == "style" for name in attributes):
            return False
        if tag == "script" and not (attributes.get("src") or "").startswith("/static/"):
            return False
        if tag in ("iframe", "object", "embed", "img", "base", "style"):
            return False
        if any(
            (attributes.get(name) or "").lower().startswith(("javascript:", "data:"))
            for name in ("href", "action", "src")
        ):
            return False
    return "49" not in re.findall(r">\s*(49)\s*<", text)


@pytest.mark.parametrize("payload", PAYLOADS)
def test_what_a_memory_says_stays_text(site: Site, payload: str) -> None:
    memory_id = site.remember(
        f"{payload} says the pool", tags=[payload], metadata={payload: payload, "link": payload}, when="2026-03-01"
    )
    site.program.post(f"/api/revise/{memory_id}", json={"text": f"the pool {payload}"})
    name = payload.replace("/", "").replace('"', "")
    site.program.post("/api/ingest", files=[("files", (f"{name}.md", f"# {payload}\n\npool {payload}\n".encode()))])
    pages = (
        f"/?query={payload} pool&tag={payload}", "/?query=the pool&superseded=true", f"/?since={payload}",
        f"/?namespace={payload}", f"/?query=the pool&kind={payload}",
        f"/timeline?kind={payload}", f"/memory/{memory_id}", "/timeline", "/timeline?superseded=true",
        f"/why?query={payload} pool&id={memory_id}", f"/timeline?topic={payload}", "/sources",
        f"/source?uri=upload:{payload}", "/import", "/statistics",
        "/settings?check=true", f"/forget?id={memory_id}", f"/remember?text={payload}", f"/nowhere/{payload}",
    )  # fmt: skip
    for page in pages:
        assert is_harmless(site.browser.get(page).text), page
    site.form("/forget", id=memory_id)
    assert is_harmless(site.browser.get("/trash").text)


@pytest.mark.parametrize("payload", PAYLOADS)
def test_what_is_told_of_files_that_were_not_read_stays_text(tmp_path: Path, payload: str) -> None:
    url = f"sqlite:///{tmp_path / 'memory.db'}"
    record = record_of(Settings(store=url))
    assert record is not None
    record.note("default", (), [Skip(at=NOW, where=f"/notes/{payload}.md", why=payload, origin=payload)])
    with running(url=url) as site:
        page = site.browser.get("/sources").text

    assert "Not read" in page
    assert is_harmless(page)


def test_a_malformed_address_costs_no_page(site: Site) -> None:
    memory_id = site.remember("the pool opens at nine", metadata={"link": "https://[x"})

    assert site.browser.get(f"/memory/{memory_id}").status_code == 200


def test_marks_of_direction_and_control_are_made_visible(site: Site) -> None:
    memory_id = site.remember("pay \u202e0001\u202c \x1b[2J to Mira")
    text = site.browser.get(f"/memory/{memory_id}").text

    assert not {"\u202e", "\x1b"} & set(text.replace(site.program.get(f"/api/show/{memory_id}").json()["text"], ""))


@pytest.mark.parametrize("path", [*EVERY_GET, "/api/show/0", "/sign-in"])
def test_every_answer_carries_the_headers(site: Site, path: str) -> None:
    for client in (site.program, site.browser, site.stranger):
        answer = client.get(path)
        assert {name: answer.headers[name] for name in HEADERS} == HEADERS
        assert "access-control-allow-origin" not in answer.headers


def test_the_policy_allows_nothing_inline() -> None:
    policy = HEADERS["Content-Security-Policy"]

    assert "default-src 'none'" in policy
    assert "unsafe" not in policy


# --- files ---


@pytest.mark.parametrize(
    "name",
    [
        "../../escape.md",
        "/etc/escape.md",
        "C:\\escape.md",
        "..\\..\\escape.md",
        "a/../../../escape.md",
        "....//escape.md",
    ],
)
def test_a_name_of_a_file_leads_nowhere(site: Site, name: str) -> None:
    before = {path.name for path in Path(gettempdir()).iterdir()}
    answer = site.program.post("/api/ingest", files=[("files", (name, b"# Escaped\n\nfrom its folder\n"))])

    assert answer.status_code == 200
    (held,) = site.program.get("/api/sources").json()["sources"]
    assert re.fullmatch(r"upload:(?:\w+/)?escape\.md", held["source"]["uri"])
    assert not {path.name for path in Path(gettempdir()).iterdir() if path.name.startswith("ricordo-upload")} - before


@pytest.mark.parametrize("uri", ["file:///etc/passwd", "told", "upload:a.md"])
def test_a_page_reads_again_only_what_the_store_names(site: Site, uri: str) -> None:
    site.remember("something told")

    assert site.form("/source", uri=uri).status_code in (400, 404)


@pytest.mark.parametrize(
    "path", ["/static/../app.py", "/static/%2e%2e/app.py", "/static/..%2fapp.py", "/static//etc/passwd"]
)
def test_static_files_are_those_of_one_folder(site: Site, path: str) -> None:
    assert site.browser.get(f"/static/{path}").status_code == 404


# --- too much ---


@pytest.mark.parametrize("path", ["/api/remember", "/api/forget", "/remember", "/settings"])
def test_a_body_that_is_too_large_is_not_read(site: Site, path: str) -> None:
    content = b'{"text": "' + b"a" * 2**21 + b'"}'
    kind = "application/json" if path.startswith("/api") else "application/x-www-form-urlencoded"
    answer = site.program.post(path, content=content, headers={"Content-Type": kind})

    assert answer.status_code == 413


def test_a_body_that_hides_its_size_is_too_large_all_the_same(site: Site) -> None:
    def pieces() -> Iterator[bytes]:
        for _ in range(40):
            yield b"a" * 65536

    answer = site.program.post("/api/remember", content=pieces(), headers={"Content-Type": "application/json"})

    assert answer.status_code == 413


def test_a_document_too_deep_to_be_read_is_refused(site: Site) -> None:
    content = b'{"text": "a", "metadata": ' + b'{"a":' * 50_000 + b"1" + b"}" * 50_001

    answer = site.program.post("/api/remember", content=content, headers={"Content-Type": "application/json"})
    assert answer.status_code == 400
