"""``POST /statements``: learns from statements that ran, and answers with the stored results as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from publisher.web.access import Access
from publisher.web.limited_requests import NO_STORE, JsonService, Refusal, json_answer

STATEMENTS_ADDRESS: Final = "/statements"
_LINES: Final = ("application/x-ndjson", "application/jsonl")


@dataclass(frozen=True, slots=True)
class StatementsHeard:
    listener: JsonService
    access: Access

    def routes(self) -> Sequence[Route]:
        return (Route(STATEMENTS_ADDRESS, self.hear, methods=["POST"]),)

    async def hear(self, request: Request) -> Response:
        try:
            learnt = await json_answer(request, self.access, self.listener, *_LINES)
        except Refusal as refusal:
            return refusal.as_json()
        return JSONResponse(learnt, HTTPStatus.OK, NO_STORE)
