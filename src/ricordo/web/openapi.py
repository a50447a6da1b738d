"""The OpenAPI 3.1 document of REST, made from the table of endpoints."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ricordo.web.dispatch import FORM, JSON, LINES, Endpoint, Parameter
from ricordo.web.problems import PROBLEM
from ricordo.web.schemas import COMPONENTS, TEXT, Schema, array, object_of, ref

__all__ = ["openapi"]

Document = dict[str, object]

IN_PATH = re.compile(r"\{(\w+)\}")
EVERYWHERE = (401, 403, 413, 421, 503)
NAMESPACE = Parameter(name="namespace", schema=TEXT, about="Whose memory; the one that is set, when left out.")
FILES: Schema = object_of({"files": {**array({"type": "string", "format": "binary"}), "minItems": 1}})


def openapi(endpoints: Iterable[Endpoint], version: str) -> Document:
    """The document."""
    paths: dict[str, Document] = {}
    for endpoint in endpoints:
        paths.setdefault(endpoint.path, {})[endpoint.method.lower()] = _operation(endpoint)
    return {
        "openapi": "3.1.0",
        "info": {"title": "ricordo", "version": version, "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"}},
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "schemas": COMPONENTS,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _operation(endpoint: Endpoint) -> Document:
    in_query = () if endpoint.takes == JSON else endpoint.given
    operation: Document = {
        "operationId": endpoint.name,
        "summary": endpoint.about,
        "parameters": [
            *(_parameter(name, "path") for name in IN_PATH.findall(endpoint.path)),
            *(_in_query(parameter) for parameter in (*in_query, NAMESPACE)),
            *([_key()] if endpoint.repeatable else []),
        ],
        "responses": {
            **{str(status): _answer(schema, kind) for status, (schema, kind) in endpoint.answers.items()},
            **{str(status): _answer(ref("Problem"), PROBLEM) for status in _failures(endpoint)},
        },
    }
    if endpoint.pages:
        operation["externalDocs"] = {"url": endpoint.pages[0], "description": "The page that shows the same."}
    if endpoint.takes:
        operation["requestBody"] = {"required": True, "content": {endpoint.takes: {"schema": _body(endpoint)}}}
    return operation


def _failures(endpoint: Endpoint) -> list[int]:
    more = {415} if endpoint.takes in (JSON, FORM) else set()
    return sorted({*endpoint.failures, *EVERYWHERE, *more, *({422} if endpoint.repeatable else ())})


def _body(endpoint: Endpoint) -> Schema:
    if endpoint.takes == FORM:
        return FILES
    if endpoint.takes == LINES:
        return TEXT
    optional = [parameter.name for parameter in endpoint.given if not parameter.required]
    properties = {parameter.name: {**parameter.schema, "description": parameter.about} for parameter in endpoint.given}
    return object_of(properties, *optional)


def _in_query(parameter: Parameter) -> Document:
    return {
        "name": parameter.name,
        "in": "query",
        "required": parameter.required,
        "description": parameter.about,
        "schema": parameter.schema,
    }


def _parameter(name: str, where: str) -> Document:
    return {"name": name, "in": where, "required": True, "schema": {**TEXT, "minLength": 1}}


def _key() -> Document:
    about = "The same key with the same request is answered as before, and not done again."
    schema: Schema = {**TEXT, "minLength": 1, "maxLength": 255}
    return {"name": "Idempotency-Key", "in": "header", "required": False, "description": about, "schema": schema}


def _answer(schema: Schema, kind: str) -> Document:
    return {"description": "The answer." if kind != PROBLEM else "A problem.", "content": {kind: {"schema": schema}}}
