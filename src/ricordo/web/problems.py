"""Errors as RFC 9457 problem documents; their codes are those of the command line."""

from __future__ import annotations

from http import HTTPStatus

from starlette.responses import JSONResponse

from ricordo.errors import InvalidInput, MissingExtra, ModelError, NotFound, RicordoError, StoreBusy, StoreError

__all__ = ["CODES", "PROBLEM", "code_of", "problem", "status_of"]

PROBLEM = "application/problem+json"

# The first class that fits counts.
STATUSES: tuple[tuple[type[RicordoError], str, int], ...] = (
    (NotFound, "not_found", 404),
    (InvalidInput, "invalid_input", 400),
    (ModelError, "model_error", 503),
    (MissingExtra, "missing_extra", 503),
    (StoreBusy, "store_error", 503),
    (StoreError, "store_error", 503),
    (RicordoError, "error", 500),
)
CODES = {
    400: "invalid_input",
    401: "unauthorized",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    408: "too_slow",
    409: "conflict",
    413: "too_large",
    415: "unsupported_media_type",
    421: "misdirected",
    422: "key_reused",
    500: "error",
    503: "unavailable",
}
"""What a status is called when no error of ours is behind it."""


def status_of(error: RicordoError) -> int:
    """The HTTP status of an error."""
    return next(status for kind, _, status in STATUSES if isinstance(error, kind))


def code_of(error: RicordoError) -> str:
    """The code of an error, as `--json` has it."""
    return next(code for kind, code, _ in STATUSES if isinstance(error, kind))


def problem(status: int, detail: str, code: str | None = None) -> JSONResponse:
    """A problem document: `type`, `title`, `status`, `detail`, and `code` for programs."""
    headers = {"WWW-Authenticate": 'Bearer realm="ricordo"'} if status == HTTPStatus.UNAUTHORIZED else None
    return JSONResponse(
        {
            "type": "about:blank",
            "title": HTTPStatus(status).phrase,
            "status": status,
            "detail": detail,
            "code": code or CODES.get(status, "error"),
        },
        status_code=status,
        headers=headers,
        media_type=PROBLEM,
    )
