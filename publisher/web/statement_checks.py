"""``POST /check``: answers a statement that is about to run with the rules that it breaks, as JSON."""

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

CHECK_ADDRESS: Final = "/check"

_STATUS_OF_ERRORS: Final = {"InternalError": HTTPStatus.INTERNAL_SERVER_ERROR}


@dataclass(frozen=True, slots=True)
class StatementChecks:
    checker: JsonService
    access: Access

    def routes(self) -> Sequence[Route]:
        return (Route(CHECK_ADDRESS, self.check, methods=["POST"]),)

    async def check(self, request: Request) -> Response:
        try:
            answer = await json_answer(request, self.access, self.checker)
        except Refusal as refusal:
            return refusal.as_json()
        if "error" in answer:
            status = _STATUS_OF_ERRORS.get(answer["error"]["type"], HTTPStatus.BAD_REQUEST)
            return JSONResponse({"error": answer["error"]}, status, NO_STORE)
        return JSONResponse(answer["result"], HTTPStatus.OK, NO_STORE)
