"""``POST /translate`` answers a request of ``translate --batch``; a page without scripts lets people try it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import Final, Protocol
from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from lakeschema.translation.requests.limited_answers import DIALECTS, TARGETS, Answer, Form, Result
from publisher.web.access import Access, unauthorized_page
from publisher.web.limited_requests import (
    JSON_TYPE,
    NO_STORE,
    Refusal,
    answer_of,
    client_of,
    media_type,
    read_body,
    require_access,
    require_json,
)
from publisher.web.rendering import render

TRANSLATE_ADDRESS: Final = "/translate"

_FORM_TYPE: Final = "application/x-www-form-urlencoded"
_MAX_FIELDS: Final = 20
_OWN_SITES: Final = frozenset({"same-origin", "none"})
_STATUS_OF_RESULTS: Final = {
    Result.OK: HTTPStatus.OK,
    Result.INVALID: HTTPStatus.BAD_REQUEST,
    Result.UNTRANSLATABLE: HTTPStatus.UNPROCESSABLE_ENTITY,
    Result.FAULT: HTTPStatus.INTERNAL_SERVER_ERROR,
}

_CREATES: Final = re.compile(
    r"(?:\s|--[^\n]*(?:\n|$)|/\*.*?\*/)*+(?:CREATE|USE)\b", re.IGNORECASE | re.DOTALL
)
"""The beginning of a text with statements. A query never begins like this.

The repetition never gives back what it matched: many comments would have exponentially many ways to
match.
"""
_EXPLAINED: Final = {
    "avro": "avro: the schema",
    "lineage": "lineage: what makes each column",
    "plan": "plan: the steps of the query",
}
_KINDS_OF_TARGETS: Final = (
    ("An engine's text", tuple((name, name) for name in TARGETS if name not in _EXPLAINED)),
    ("A description", tuple(_EXPLAINED.items())),
)


class Translator(Protocol):
    @property
    def max_bytes(self) -> int: ...

    def submit(self, request: bytes, form: Form, client: str) -> Future[Answer]:
        """Puts the request in the queue, in which clients take turns.

        The future has the answer, or raises ``Unavailable`` or ``Failed``.

        Raises:
            Unavailable: the request cannot wait in the queue.
        """


@dataclass(frozen=True, slots=True)
class TranslationView:
    """The page's data: the question, and the answer, which is "" before a question.

    Attributes:
        text: a query, or statements that create relations.
        relation: the relation to translate: a relation of the text, by default the last; without a
            text, a relation that the service knows.
        trouble: why there is no answer.
        details: sentences about what the answer needs and results in.
    """

    text: str = ""
    relation: str = ""
    dialect: str = DIALECTS[0]
    target: str = "trino"
    answer: str = ""
    details: Sequence[str] = ()
    trouble: str = ""
    dialects: Sequence[str] = DIALECTS
    kinds_of_targets: Sequence[tuple[str, Sequence[tuple[str, str]]]] = _KINDS_OF_TARGETS


@dataclass(frozen=True, slots=True)
class Translations:
    translator: Translator
    access: Access

    def routes(self) -> Sequence[Route]:
        return (
            Route(TRANSLATE_ADDRESS, self.page, methods=["GET"]),
            Route(TRANSLATE_ADDRESS, self.translate, methods=["POST"]),
        )

    async def page(self, request: Request) -> Response:
        """The page. ``?relation=`` fills in the relation."""
        if not self.access.permits(request):
            return unauthorized_page()
        return _page(TranslationView(relation=request.query_params.get("relation", "")))

    async def translate(self, request: Request) -> Response:
        """Answers a form with a page, and JSON with JSON.

        Runs on the server's event loop, so it needs no free thread while other pages are made.
        """
        if media_type(request) == _FORM_TYPE:
            return await self._answer_form(request)
        try:
            require_access(request, self.access)
            require_json(request)
            body = await read_body(request, self.translator.max_bytes)
            answer = await self._ask(request, body, Form.JSON)
        except Refusal as refusal:
            return refusal.as_json()
        return Response(answer.text, _STATUS_OF_RESULTS[answer.result], NO_STORE, JSON_TYPE)

    async def _ask(self, request: Request, question: bytes, form: Form) -> Answer:
        client = client_of(request)
        return await answer_of(lambda: self.translator.submit(question, form, client))

    async def _answer_form(self, request: Request) -> Response:
        if not self.access.permits(request):
            return unauthorized_page()
        asked = TranslationView()
        try:
            _require_own_site(request)
            asked = _read_form(await read_body(request, self.translator.max_bytes))
            question = json.dumps(_question(asked)).encode()
            answer = await self._ask(request, question, Form.TEXT)
        except Refusal as refusal:
            shown = replace(asked, trouble=refusal.message)
            return _page(shown, refusal.status, refusal.headers)
        text = answer.text.decode("utf-8", "replace")
        status = _STATUS_OF_RESULTS[answer.result]
        if answer.result is Result.OK:
            return _page(replace(asked, answer=text, details=answer.details), status)
        return _page(replace(asked, trouble=text), status)


def _require_own_site(request: Request) -> None:
    """Refuses the form of another site.

    Raises:
        Refusal: the browser says that another site sent the form.
    """
    if request.headers.get("sec-fetch-site", "none") not in _OWN_SITES:
        raise Refusal(HTTPStatus.FORBIDDEN, "the form is of another site")


def _read_form(body: bytes) -> TranslationView:
    """Parses the page's form.

    Raises:
        Refusal: the body is not this page's form.
    """
    try:
        fields = dict(
            parse_qsl(
                body.decode("ascii"),
                keep_blank_values=True,
                max_num_fields=_MAX_FIELDS,
                errors="replace",
            )
        )
    except ValueError:
        raise Refusal(HTTPStatus.BAD_REQUEST, "the form is not the one of this page") from None
    return TranslationView(
        # Browsers send a line end as CR and LF.
        text=fields.get("text", "").replace("\r\n", "\n"),
        relation=fields.get("relation", "").strip(),
        dialect=fields.get("dialect", DIALECTS[0]),
        target=fields.get("to", TARGETS[0]),
    )


def _question(asked: TranslationView) -> Mapping[str, object]:
    """The form as a request of ``translate --batch``.

    Raises:
        Refusal: the form has neither a text nor a relation.
    """
    question = {"dialect": asked.dialect, "to": asked.target}
    if not asked.text.strip():
        if not asked.relation:
            raise Refusal(HTTPStatus.BAD_REQUEST, "write a query, or name a relation")
        return {**question, "relation": asked.relation}
    if asked.relation:
        return {**question, "ddl": [asked.text], "relation": asked.relation}
    if _CREATES.match(asked.text):
        return {**question, "ddl": [asked.text]}
    return {**question, "query": asked.text}


def _page(
    view: TranslationView,
    status: HTTPStatus = HTTPStatus.OK,
    headers: Mapping[str, str] = NO_STORE,
) -> Response:
    return Response(render("translate.html", view), status, dict(headers), "text/html")
