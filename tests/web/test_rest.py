"""REST does what the command line does, in the same shapes."""

from __future__ import annotations

import json
from typing import Any, cast

import pytest
from httpx2 import Response

from ricordo.cli import program
from ricordo.web.problems import STATUSES
from website import Site

Document = dict[str, Any]


def get(site: Site, path: str, **query: str | int) -> Document:
    answer = site.program.get(path, params=query)
    assert answer.status_code == 200, answer.text
    return cast("Document", answer.json())


def test_what_is_remembered_is_recalled(site: Site) -> None:
    memory_id = site.remember("the pool has 20 connections", tags=["db"], metadata={"n": 1}, when="2026-03-01")

    (hit,) = get(site, "/api/recall", query="pool connections", tag="db", meta="n=1")["hits"]

    assert (hit["id"], hit["text"]) == (memory_id, "the pool has 20 connections")
    assert (hit["event_timestamp"], hit["metadata"]) == ("2026-03-01T00:00:00+00:00", {"n": 1})


def test_remembering_the_same_again_creates_nothing(site: Site) -> None:
    memory_id = site.remember("once")
    again = site.program.post("/api/remember", json={"text": "once"})

    assert (again.status_code, again.json()) == (200, {"id": memory_id, "created": False})


def test_what_is_revised_is_in_the_history(site: Site) -> None:
    memory_id = site.remember("the port is 8080")
    revised = site.program.post(f"/api/revise/{memory_id[:8]}", json={"text": "the port is 9090"}).json()

    versions = get(site, f"/api/history/{memory_id}")["versions"]

    assert [version["id"] for version in versions] == [memory_id, revised["id"]]
    assert get(site, f"/api/show/{memory_id}")["superseded_by"] == revised["id"]


def test_what_is_buried_comes_last_and_is_told_to_nobody(site: Site) -> None:
    first, second = site.remember("Baikal is our internal pipeline"), site.remember("Baikal is deep")
    assert site.program.post("/api/bury", json={"ids": [first[:8]]}).json() == {"buried": [first]}
    found = get(site, "/api/recall", query="Baikal is our internal pipeline")["hits"]
    told = site.program.post("/api/context", json={"prompt": "Baikal is our internal pipeline"}).json()
    undone = site.program.post("/api/bury", json={"ids": [first], "undo": True}).json()

    assert [(hit["id"], hit["metadata"]) for hit in found] == [(second, {}), (first, {"buried": True})]
    assert first not in {hit["id"] for hit in told["hits"]}
    assert undone == {"unburied": [first]}


def test_what_is_forgotten_is_not_found(site: Site) -> None:
    memory_id = site.remember("a secret")

    assert site.program.post("/api/forget", json={"ids": [memory_id]}).json() == {"forgotten": [memory_id]}
    assert site.program.get(f"/api/show/{memory_id}").status_code == 404


def test_a_context_tells_what_bears_on_a_prompt(site: Site) -> None:
    site.remember("Baikal is our internal pipeline")

    told = site.program.post("/api/context", json={"prompt": "Baikal is our internal pipeline"}).json()

    assert "Baikal" in told["text"]


def test_a_time_in_a_question_can_be_left_unread(site: Site) -> None:
    site.remember("we met the bank", when="2026-11-10")

    assert get(site, "/api/recall", query="the bank last week")["time"]["text"] == "last week"
    assert get(site, "/api/recall", query="the bank last week", any_time="true")["time"] is None


def test_a_timeline_comes_a_page_at_a_time(site: Site) -> None:
    for day in range(1, 8):
        site.remember(f"day {day}", when=f"2026-03-0{day}")
    seen: list[str] = []
    cursor: str | None = None
    while True:
        page = get(site, "/api/timeline", limit=3, **({"cursor": cursor} if cursor else {}))
        seen = [memory["text"] for memory in page["memories"]] + seen
        if (cursor := page["next"]) is None:
            break

    assert seen == [f"day {day}" for day in range(1, 8)]


def test_what_is_asked_for_can_be_of_some_kinds_of_source_only(site: Site) -> None:
    site.remember("The garden door is told of", when="2026-05-03")
    site.program.post("/api/ingest", files={"files": ("garden.txt", b"The garden door is read of\n")})

    def kinds(path: str, **params: list[str]) -> set[str]:
        found = site.program.get(path, params=params).json()
        return {each["source"]["kind"] for each in found.get("hits", found.get("memories"))}

    assert kinds("/api/recall", query=["garden door"]) == {"told", "text"}
    assert kinds("/api/recall", query=["garden door"], kind=["text"]) == {"text"}
    assert kinds("/api/recall", query=["garden door"], kind=["text", "told"]) == {"told", "text"}
    assert kinds("/api/timeline", kind=["told"]) == {"told"}
    assert site.program.get("/api/survey").json()["kinds"] == {"told": 1, "text": 1}


def test_pages_of_what_happened_at_one_moment_lose_nothing(site: Site) -> None:
    for number in range(9):
        site.remember(f"note {number}", when="2026-03-01")
    first = get(site, "/api/timeline", limit=4, since="2026-03-01")
    second = get(site, "/api/timeline", limit=9, since="2026-03-01", cursor=first["next"])

    seen = {memory["id"] for page in (first, second) for memory in page["memories"]}
    assert (len(seen), second["next"]) == (9, None)


def test_pages_of_a_source_are_full_beside_one_whose_name_goes_on(site: Site) -> None:
    notes = "# One\n\nThe pot.\n\n# Two\n\nThe shed.\n\n# Three\n\nThe gate.\n"
    files = {"a.md": f"---\ndate: 2026-03-01\n---\n{notes}", "a.md.md": f"---\ndate: 2026-03-02\n---\n{notes}"}
    site.program.post("/api/ingest", files=[("files", (name, text.encode())) for name, text in files.items()])
    first = get(site, "/api/source", uri="upload:a.md", limit=2)
    second = get(site, "/api/source", uri="upload:a.md", limit=2, cursor=first["next"])

    assert [{memory["source"]["uri"] for memory in page["said"]} for page in (first, second)] == [{"upload:a.md"}] * 2
    assert (len(first["said"]), len(second["said"]), second["next"]) == (2, 1, None)


def test_what_stands_near_a_memory_is_told(site: Site) -> None:
    memory_id = site.remember("the kitchen door code is 4471")
    other = site.remember("the garden door code is 9052")

    near = get(site, f"/api/near/{memory_id}")

    assert [memory["id"] for memory in near["similar"]] == [other]
    assert [memory["id"] for memory in near["neighbours"]] == [memory_id]


def test_files_that_are_sent_are_read_and_replaced_by_name(site: Site) -> None:
    first = site.program.post("/api/ingest", files=[("files", ("notes/keys.md", b"# Keys\n\nThe old key\n"))])
    second = site.program.post("/api/ingest", files=[("files", ("notes/keys.md", b"# Keys\n\nThe new key\n"))])

    assert (first.json()["added"], second.json()["added"], second.json()["forgotten"]) == (1, 1, 1)
    assert [held["source"]["uri"] for held in get(site, "/api/sources")["sources"]] == ["upload:notes/keys.md"]


def test_the_progress_of_an_ingest_comes_in_lines(site: Site) -> None:
    files = [("files", (f"{number}.txt", f"note {number}".encode())) for number in range(3)]
    answer = site.program.post("/api/ingest", files=files, headers={"Accept": "application/x-ndjson"})

    lines = [json.loads(line) for line in answer.text.splitlines()]
    assert [list(line) for line in lines] == [["progress"], ["result"]]
    assert lines[-1]["result"]["added"] == 3


def test_what_cannot_be_read_is_named_as_it_was_sent(site: Site) -> None:
    answer = site.program.post("/api/ingest", files=[("files", ("deep/photo.md", b"\x00\x01\x02" * 100))])

    assert [skipped["where"] for skipped in answer.json()["skipped"]] in ([], ["deep/photo.md"])
    assert "ricordo-upload" not in answer.text


def test_an_export_comes_back_by_an_import(site: Site) -> None:
    memory_id = site.remember("to be moved")
    lines = site.program.get("/api/export").text
    site.program.post("/api/forget", json={"ids": [memory_id]})
    other = site.program.post("/api/import", content=lines.replace('"default"', '"other"').encode())

    assert other.json()["added"] == 1
    assert get(site, f"/api/show/{memory_id}", namespace="other")["text"] == "to be moved"


def test_namespaces_do_not_see_one_another(site: Site) -> None:
    site.program.post("/api/remember", params={"namespace": "work"}, json={"text": "at work"})

    assert get(site, "/api/recall", query="at work")["hits"] == []
    assert get(site, "/api/namespaces")["namespaces"] == [{"name": "work", "memories": 1}]
    assert (get(site, "/api/survey")["kinds"], get(site, "/api/survey", namespace="work")["kinds"]) == ({}, {"told": 1})


def test_a_survey_counts_by_the_days_of_the_zone(site: Site) -> None:
    site.remember("new year", when="2026-01-01T00:30", tags=["party"])

    survey = get(site, "/api/survey")

    assert (survey["events"], survey["tags"], survey["current"]) == ({"2026-01-01": 1}, {"party": 1}, 1)


# --- conditions, repeats, problems ---


def test_what_the_client_has_is_not_sent_again(site: Site) -> None:
    site.remember("the port is 8080")
    first = site.program.get("/api/recall", params={"query": "port"})
    again = site.program.get("/api/recall", params={"query": "port"}, headers={"If-None-Match": first.headers["etag"]})

    assert (again.status_code, again.content) == (304, b"")
    site.remember("another port is 9090")
    changed = site.program.get(
        "/api/recall", params={"query": "port"}, headers={"If-None-Match": first.headers["etag"]}
    )
    assert changed.status_code == 200


def test_a_write_with_the_same_key_is_done_once(site: Site) -> None:
    memory_id = site.remember("to be revised")
    answers = [
        site.program.post(f"/api/revise/{memory_id}", json={"text": "anew"}, headers={"Idempotency-Key": "k-1"})
        for _ in range(2)
    ]

    assert answers[0].json() == answers[1].json()
    assert answers[1].headers["idempotent-replayed"] == "true"
    assert len(get(site, f"/api/history/{memory_id}")["versions"]) == 2


def test_a_key_belongs_to_one_request(site: Site) -> None:
    headers = {"Idempotency-Key": "k-2"}
    site.program.post("/api/remember", json={"text": "one"}, headers=headers)
    other = site.program.post("/api/remember", json={"text": "two"}, headers=headers)

    assert other.status_code == 422
    assert get(site, "/api/recall", query="two")["hits"] == []


def test_a_key_of_one_namespace_brings_no_answer_in_another(site: Site) -> None:
    headers, said = {"Idempotency-Key": "k-5"}, {"text": "said at home"}
    site.program.post("/api/remember", json=said, headers=headers)
    other = site.program.post("/api/remember", json=said, headers=headers, params={"namespace": "work"})

    assert (other.status_code, other.json()["code"]) == (422, "key_reused")
    assert get(site, "/api/recall", query="said", namespace="work")["hits"] == []


def send(site: Site, text: str, key: str = "k-3", accept: str = "*/*") -> Response:
    files = {"files": ("notes/keys.md", f"# Keys\n\n{text}\n".encode())}
    return site.program.post("/api/ingest", files=files, headers={"Idempotency-Key": key, "Accept": accept})


def test_files_sent_again_with_their_key_are_not_read_again(site: Site) -> None:
    first = send(site, "The key is under the pot")
    site.program.post("/api/forget", json={"ids": [get(site, "/api/recall", query="key")["hits"][0]["id"]]})
    again, other = send(site, "The key is under the pot"), send(site, "The key is gone")

    assert (first.json()["added"], again.json()) == (1, first.json())
    assert (first.headers.get("idempotent-replayed"), again.headers["idempotent-replayed"]) == (None, "true")
    assert (other.status_code, other.json()["code"]) == (422, "key_reused")
    assert len(get(site, "/api/imports")["imports"]) == 1
    assert get(site, "/api/recall", query="key")["hits"] == []


def test_nor_are_they_where_the_answer_comes_in_lines(site: Site) -> None:
    lines = "application/x-ndjson"
    first, again = (send(site, "The key is under the pot", accept=lines) for _ in range(2))
    plain, other = send(site, "The key is under the pot"), send(site, "The key is gone", accept=lines)

    assert [list(json.loads(line)) for line in first.text.splitlines()] == [["progress"], ["result"]]
    assert [json.loads(line) for line in again.text.splitlines()] == [{"result": plain.json()}]
    assert (again.headers["idempotent-replayed"], plain.headers["idempotent-replayed"]) == ("true", "true")
    assert (other.status_code, other.json()["code"]) == (422, "key_reused")
    assert send(site, "The key is gone", key="k" * 256, accept=lines).status_code == 400


def test_an_import_sent_again_with_its_key_is_not_read_again(site: Site) -> None:
    site.remember("to be moved")
    lines, headers = site.program.get("/api/export").content, {"Idempotency-Key": "k-4"}
    first, again = (site.program.post("/api/import", content=lines, headers=headers) for _ in range(2))
    other = site.program.post("/api/import", content=lines + b"\n", headers=headers)
    elsewhere = site.program.post("/api/import?namespace=work", content=lines, headers=headers)

    assert (again.json(), again.headers["idempotent-replayed"]) == (first.json(), "true")
    assert (other.status_code, elsewhere.status_code) == (422, 422)


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "code"),
    [
        ("GET", "/api/show/0000000000", None, 404, "not_found"),
        ("GET", "/api/recall?query=a&limit=0", None, 400, "invalid_input"),
        ("GET", "/api/recall?query=a&limit=many", None, 400, "invalid_input"),
        ("GET", "/api/recall?query=a&since=someday", None, 400, "invalid_input"),
        ("GET", "/api/recall?query=a&quarry=b", None, 400, "invalid_input"),
        ("GET", "/api/recall", None, 400, "invalid_input"),
        ("GET", "/api/recall?query=a&namespace=%20", None, 400, "invalid_input"),
        ("GET", "/api/timeline?cursor=nonsense", None, 400, "invalid_input"),
        ("GET", "/api/nowhere", None, 404, "not_found"),
        ("GET", "/api/remember", None, 405, "method_not_allowed"),
        ("POST", "/api/remember", {"text": " "}, 400, "invalid_input"),
        ("POST", "/api/remember", {"text": 1}, 400, "invalid_input"),
        ("POST", "/api/remember", {"text": "a", "tags": "b"}, 201, None),
        ("POST", "/api/remember", {"text": "a", "wen": "now"}, 400, "invalid_input"),
        ("POST", "/api/remember", [], 400, "invalid_input"),
        ("POST", "/api/forget", {"ids": []}, 400, "invalid_input"),
        ("POST", "/api/ingest", {}, 415, "unsupported_media_type"),
    ],
)
def test_what_is_wrong_is_said_as_a_problem(
    site: Site, method: str, path: str, body: object, status: int, code: str | None
) -> None:
    answer = site.program.request(method, path, json=body)

    assert answer.status_code == status, answer.text
    if code is not None:
        assert answer.headers["content-type"] == "application/problem+json"
        assert (answer.json()["code"], answer.json()["status"]) == (code, status)


def test_errors_have_the_codes_of_the_command_line() -> None:
    ours = {(kind.__name__, code) for kind, code, _ in STATUSES if kind.__name__ != "StoreBusy"}

    assert {(kind.__name__, code) for kind, code, _ in program.ERRORS} <= ours
