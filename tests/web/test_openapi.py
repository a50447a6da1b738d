"""The OpenAPI document is true: what it promises is what comes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest
import schemathesis
from httpx2 import Response
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis.core.result import Ok
from schemathesis.schemas import APIOperation

from ricordo.memory import clean
from ricordo.web.dispatch import FORM, JSON, LINES
from ricordo.web.endpoints import ENDPOINTS
from ricordo.web.openapi import openapi
from ricordo.web.problems import CODES
from website import Site, running

DOCUMENT = openapi(ENDPOINTS, "1")
HEALTHY = list(HealthCheck)


QUERIES = {
    "/api/recall": {"query": "pool last year", "history": "true"},
    "/api/why": {"query": "pool", "id": "{id}"},
    "/api/source": {"uri": "told"},
    "/api/forget": {"id": "{id}"},
}


def check(schema: object, value: object) -> None:
    whole = {"$schema": "https://json-schema.org/draft/2020-12/schema", "components": DOCUMENT["components"]}
    jsonschema.Draft202012Validator({**whole, **schema}).validate(value)  # type: ignore[dict-item]


def operations() -> Iterator[tuple[str, str, dict[str, Any]]]:
    paths: Any = DOCUMENT["paths"]
    for path, methods in paths.items():
        for method, operation in methods.items():
            yield path, method, operation


def call(site: Site, path: str, method: str, memory_id: str) -> Response:
    address = re.sub(r"\{id\}", memory_id, path)
    bodies: dict[str, Any] = {
        "/api/remember": {"json": {"text": "said", "tags": ["t"], "metadata": {"a": [1]}, "when": "2026-03"}},
        "/api/context": {"json": {"prompt": "the pool"}},
        "/api/revise/{id}": {"json": {"text": "revised"}},
        "/api/bury": {"json": {"ids": [memory_id]}},
        "/api/forget": {"json": {"ids": [memory_id]}},
        "/api/ingest": {"files": [("files", ("a.md", b"# A\n\ntext\n")), ("files", ("b.bin", b"\0\0"))]},
        "/api/import": {"content": b'{"format": "ricordo-export/1"}\nbroken\n'},
    }
    bodies["/api/trash"] = {"json": {"key": "none"}} if method == "post" else {}
    bodies["/api/forget"] = bodies["/api/forget"] if method == "post" else {}
    asked = QUERIES.get(path, {}) if method == "get" else {}
    query = {name: value.format(id=memory_id) for name, value in asked.items()}
    return site.program.request(method, address, params=query, **bodies.get(path, {}))


def test_answers_have_the_shapes_that_are_promised(site: Site) -> None:
    memory_id = site.remember("the pool has 20 connections", when="2025-03-01", tags=["db"])
    site.program.post(f"/api/revise/{memory_id}", json={"text": "the pool has 60 connections"})
    for path, method, operation in operations():
        target = site.remember(f"for {path}") if "forget" in path or "revise" in path else memory_id
        answer = call(site, path, method, target)
        promised = operation["responses"][str(answer.status_code)]["content"]
        kind = answer.headers["content-type"].partition(";")[0]
        assert kind in promised, f"{path}: {answer.text}"
        if kind == JSON:
            check(promised[kind]["schema"], answer.json())


def test_every_status_of_failure_has_a_code() -> None:
    for _, _, operation in operations():
        assert {int(status) for status in operation["responses"] if int(status) >= 400} <= CODES.keys()


def test_the_document_that_is_served_is_this_one(site: Site) -> None:
    served = site.program.get("/api/openapi.json").json()

    assert served["paths"] == DOCUMENT["paths"]


def test_every_row_of_the_table_says_how_its_body_comes() -> None:
    assert {endpoint.takes for endpoint in ENDPOINTS} == {None, JSON, FORM, LINES}
    assert all((endpoint.takes is None) == (endpoint.method == "GET") for endpoint in ENDPOINTS)


@pytest.fixture(scope="module")
def lasting() -> Iterator[Site]:
    """One site for many requests."""
    with running() as site:
        site.remember("the pool has 20 connections", when="2025-03-01", tags=["db"])
        yield site


GENERATED = schemathesis.openapi.from_dict(DOCUMENT).exclude(path=["/api/import", "/api/ingest"])


OPERATIONS = [found.ok() for found in GENERATED.get_all_operations() if isinstance(found, Ok)]


@pytest.mark.slow
@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda each: each.label)
def test_no_request_is_a_fault_of_the_server(lasting: Site, operation: APIOperation[Any, Any, Any, Any]) -> None:
    @settings(max_examples=20, deadline=None, database=None, phases=[Phase.generate], suppress_health_check=HEALTHY)
    @given(case=operation.as_strategy())
    def send(case: schemathesis.Case[Any]) -> None:
        given = {name: value for name, value in (case.headers or {}).items() if value.isascii() and value.isprintable()}
        kind, content = ({"Content-Type": JSON}, json.dumps(case.body)) if case.media_type == JSON else ({}, None)
        answer = lasting.program.request(
            case.method, case.formatted_path, params=case.query, headers={**given, **kind}, content=content
        )
        assert answer.status_code < 500, answer.text

    send()


@pytest.mark.slow
@settings(max_examples=60, deadline=None, database=None, suppress_health_check=HEALTHY)
@given(body=st.binary() | st.text().map(lambda text: f'{{"format": "ricordo-export/1"}}\n{text}'.encode()))
def test_no_import_is_a_fault_of_the_server(lasting: Site, body: bytes) -> None:
    assert lasting.program.post("/api/import", content=body).status_code in (200, 400)


@pytest.mark.slow
@settings(max_examples=60, deadline=None, database=None, suppress_health_check=HEALTHY)
@given(name=st.text(min_size=1), content=st.binary())
def test_no_file_is_a_fault_of_the_server(lasting: Site, name: str, content: bytes) -> None:
    part = clean(name).encode().replace(b"\r", b"").replace(b"\n", b"").replace(b'"', b"")
    head = b'--x\r\nContent-Disposition: form-data; name="files"; filename="' + part + b'"\r\n\r\n'
    headers = {"Content-Type": "multipart/form-data; boundary=x"}
    answer = lasting.program.post("/api/ingest", content=head + content + b"\r\n--x--\r\n", headers=headers)

    assert answer.status_code in (200, 400), answer.text
