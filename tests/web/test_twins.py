"""Every page can be had as JSON, from an address that the page names and OpenAPI describes."""

from __future__ import annotations

import html
import re
from urllib.parse import urlsplit

import pytest
from starlette.routing import Route, compile_path

from ricordo.web.endpoints import ENDPOINTS
from ricordo.web.openapi import openapi
from ricordo.web.pages import PAGES
from website import Site

SHOWN = [route.path for route in PAGES if isinstance(route, Route) and "GET" in (route.methods or ())]
TWINS = {page: endpoint for endpoint in ENDPOINTS for page in endpoint.pages}
ADDRESSES = (
    *((page, page) for page in SHOWN if page not in ("/memory/{id}", "/source", "/forget", "/why")),
    ("/memory/{id}", "/memory/{pool}"),
    ("/why", "/why?query=how many connections&id={pool}"),
    ("/source", "/source?uri=told"),
    ("/source", "/source?uri=upload:a.md"),
    ("/forget", "/forget?id={pool}"),
    ("/forget", "/forget?source=upload:a.md"),
    ("/", "/?query=the pool last year&tag=db&meta=n=1&superseded=true&limit=20"),
    ("/", "/?tag=db"),
    ("/timeline", "/timeline?span=2026-01&superseded=true"),
    ("/timeline", "/timeline?topic=pool&as_of=2026-03-01"),
)


@pytest.fixture
def pool(site: Site) -> str:
    memory_id = site.remember("The pool has 20 connections", when="2026-01-12", tags=["db"], metadata={"n": 1})
    site.program.post(f"/api/revise/{memory_id}", json={"text": "The pool has 60 connections", "when": "2026-06-09"})
    site.program.post("/api/ingest", files=[("files", ("a.md", b"# Keys\n\nUnder the pot.\n"))])
    site.form("/forget", id=site.remember("gone"))
    return memory_id


def twin_of(site: Site, address: str) -> str:
    page = site.browser.get(address)
    assert page.status_code == 200, page.text
    (twin,) = re.findall(r'rel="alternate" type="application/json" href="([^"]+)"', page.text)
    return html.unescape(twin)


def test_no_page_is_without_a_twin() -> None:
    assert set(SHOWN) == TWINS.keys()


@pytest.mark.parametrize(("page", "address"), ADDRESSES)
def test_a_page_names_its_twin_and_the_twin_answers(site: Site, pool: str, page: str, address: str) -> None:
    twin = twin_of(site, address.format(pool=pool))
    answer = site.browser.get(twin)

    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/json"), answer.text
    paths = {endpoint.path for endpoint in ENDPOINTS if page in endpoint.pages}
    assert any(compile_path(path)[0].match(urlsplit(twin).path) for path in paths)


def test_openapi_names_the_page_of_a_twin() -> None:
    paths = openapi(ENDPOINTS, "1")["paths"]

    assert isinstance(paths, dict)
    assert paths["/api/trash"]["get"]["externalDocs"]["url"] == "/trash"


def test_a_month_and_its_twin_show_the_same(site: Site, pool: str) -> None:
    twin = site.program.get(twin_of(site, "/timeline?span=2026-01&superseded=true")).json()

    assert [memory["id"] for memory in twin["memories"]] == [pool]


def test_a_twin_stays_in_the_namespace(site: Site, pool: str) -> None:
    for page in set(SHOWN) - {"/memory/{id}", "/source", "/forget", "/why", "/namespaces"}:
        assert "namespace=work" in twin_of(site, f"{page}?namespace=work")


def test_the_settings_checked_are_what_doctor_says(site: Site) -> None:
    assert twin_of(site, "/settings?check=true") == "/api/doctor"


def test_what_was_forgotten_on_a_page_is_put_back_by_a_program(site: Site, pool: str) -> None:
    (kept,) = site.program.get("/api/trash").json()["kept"]
    (memory_id,) = [memory["id"] for memory in kept["memories"]]

    assert site.program.post("/api/trash", json={"key": kept["key"]}).json() == {"restored": [memory_id]}
    assert site.program.get(f"/api/show/{memory_id}").json()["text"] == "gone"
    assert site.program.post("/api/trash", json={"key": kept["key"]}).status_code == 404


def test_what_would_be_forgotten_is_not(site: Site, pool: str) -> None:
    would = site.program.get("/api/forget", params={"source": "upload:a.md"}).json()["memories"]

    assert [site.program.get(f"/api/show/{memory['id']}").status_code for memory in would] == [200]
