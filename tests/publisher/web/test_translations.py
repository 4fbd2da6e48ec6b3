"""``POST /translate`` and its page: who may ask, refusals before the body is read, and output."""

from __future__ import annotations

import json
import re
from concurrent.futures import Future
from dataclasses import dataclass, field
from urllib.parse import urlencode

import pytest
from prometheus_client import CollectorRegistry

from lakeschema.translation.requests.limited_answers import DIALECTS, TARGETS, Answer, Form, Result
from publisher.web.access import Access
from publisher.web.app import create_app, create_operations_app, create_public_app
from publisher.web.limited_requests import Failed, Unavailable
from tests.publisher.web.asgi_client import AsgiClient
from tests.publisher.web.daemon_double import IdleDaemon

TOKEN = "a token of the operators"
JSON = {"Content-Type": "application/json"}
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
HOSTILE = "</textarea></pre><script>alert(1)</script>\" onfocus='x' \x00\ud800"


@dataclass
class Answering:
    """A translator that says the same of every request."""

    answer: Answer | Exception = field(default_factory=lambda: Answer(Result.OK, b'{"id": 1}'))
    max_bytes: int = 1000
    asked: list[tuple[bytes, Form]] = field(default_factory=list)

    def submit(self, request: bytes, form: Form, client: str) -> Future[Answer]:
        self.asked.append((request, form))
        if isinstance(self.answer, Unavailable):
            raise self.answer
        found: Future[Answer] = Future()
        if isinstance(self.answer, Exception):
            found.set_exception(self.answer)
        else:
            found.set_result(self.answer)
        return found


def client_of(translator: Answering | None, access: Access | None = None) -> AsgiClient:
    registry = CollectorRegistry()
    app = create_app(
        None, IdleDaemon(), registry=registry, access=access or Access(), translator=translator
    )
    return AsgiClient(app)


def form_of(**fields: str) -> bytes:
    return urlencode(fields).encode()


class TestJson:
    def test_the_answer_is_passed_on_as_it_is(self) -> None:
        translator = Answering()

        response = client_of(translator).request(
            "POST", "/translate", headers=JSON, content=b'{"query": "x"}'
        )

        assert response.status_code == 200
        assert response.content == b'{"id": 1}'
        assert response.headers["content-type"] == "application/json"
        assert response.headers["cache-control"] == "no-store"
        assert translator.asked == [(b'{"query": "x"}', Form.JSON)]

    @pytest.mark.parametrize(
        ("result", "status"),
        [(Result.INVALID, 400), (Result.UNTRANSLATABLE, 422), (Result.FAULT, 500)],
    )
    def test_each_result_has_its_status(self, result: Result, status: int) -> None:
        client = client_of(Answering(Answer(result, b'{"error": {}}')))

        response = client.request("POST", "/translate", headers=JSON, content=b"{}")

        assert (response.status_code, response.content) == (status, b'{"error": {}}')

    @pytest.mark.parametrize("error", [Unavailable("why"), Failed("why")], ids=str)
    def test_what_cannot_be_answered_now_says_so(self, error: Exception) -> None:
        client = client_of(Answering(error))

        response = client.request("POST", "/translate", headers=JSON, content=b"{}")

        assert response.status_code == 503
        assert response.json()["error"]["message"] == "why"
        assert ("retry-after" in response.headers) == isinstance(error, Unavailable)

    @pytest.mark.parametrize(
        ("headers", "content", "status"),
        [
            (JSON, b"x" * 1001, 413),
            ({**JSON, "Transfer-Encoding": "chunked"}, b"x" * 1001, 413),
            (FORM, b"x" * 1001, 413),
            ({"Content-Type": "text/plain"}, b"{}", 415),
            ({"Content-Type": "multipart/form-data; boundary=x"}, b"{}", 415),
            ({}, b"{}", 415),
        ],
    )
    def test_what_is_too_long_or_of_another_type_is_refused_unread(
        self, headers: dict[str, str], content: bytes, status: int
    ) -> None:
        translator = Answering()

        response = client_of(translator).request(
            "POST", "/translate", headers=headers, content=content
        )

        assert response.status_code == status
        assert translator.asked == []


class TestAccess:
    def test_it_asks_for_the_operations_token(self) -> None:
        client = client_of(Answering(), Access(TOKEN))
        allowed = {"Authorization": f"Bearer {TOKEN}"}

        refused = [
            client.request("POST", "/translate", headers=JSON, content=b"{}"),
            client.request("POST", "/translate", headers=FORM, content=form_of(text="x")),
            client.get("/translate"),
        ]
        taken = [
            client.request("POST", "/translate", headers=JSON | allowed, content=b"{}"),
            client.request("POST", "/translate", headers=FORM | allowed, content=form_of(text="x")),
            client.get("/translate", headers=allowed),
        ]

        assert [each.status_code for each in refused] == [401, 401, 401]
        assert [each.headers["www-authenticate"].split()[0] for each in refused] == [
            "Bearer",
            "Basic",
            "Basic",
        ]
        assert [each.status_code for each in taken] == [200, 200, 200]

    def test_it_is_on_the_operations_port_where_there_is_one(self) -> None:
        operations = AsgiClient(
            create_operations_app(
                IdleDaemon(),
                registry=CollectorRegistry(),
                access=Access(has_own_port=True),
                translator=Answering(),
            )
        )
        public = AsgiClient(create_public_app(None, IdleDaemon()))

        found = [client.get("/translate").status_code for client in (operations, public)]

        assert found == [200, 404]

    def test_it_does_not_exist_unless_it_is_enabled(self) -> None:
        client = client_of(None)

        assert client.get("/translate").status_code == 404
        assert client.request("POST", "/translate", headers=JSON, content=b"{}").status_code == 404
        assert 'href="/translate"' not in client.get("/operations").text

    def test_the_dashboard_leads_to_it(self) -> None:
        assert 'href="/translate"' in client_of(Answering()).get("/operations").text

    @pytest.mark.parametrize("site", ["cross-site", "same-site"])
    def test_a_form_of_another_site_is_refused(self, site: str) -> None:
        translator = Answering()

        response = client_of(translator).request(
            "POST",
            "/translate",
            headers={**FORM, "Sec-Fetch-Site": site},
            content=form_of(text="SELECT 1"),
        )

        assert response.status_code == 403
        assert translator.asked == []


class TestPage:
    def test_it_needs_no_script_and_keeps_the_policy_of_other_pages(self) -> None:
        response = client_of(Answering()).get("/translate")

        assert response.headers["content-type"].startswith("text/html")
        assert "default-src 'none'" in response.headers["content-security-policy"]
        assert '<form action="/translate" method="post">' in response.text
        assert "<script" not in response.text
        assert "http://" not in response.text

    def test_it_offers_every_dialect_and_target(self) -> None:
        page = client_of(Answering()).get("/translate").text

        dialects = re.findall(r"<option(?: selected)?>([a-z]+)</option>", page)
        targets = re.findall(
            r'<option value="([a-z]+)"(?: selected)?>\1(?:: [a-z ]+)?</option>', page
        )
        assert dialects == [*DIALECTS]
        assert sorted(targets) == sorted(TARGETS)

    @pytest.mark.parametrize(
        ("fields", "question"),
        [
            ({"text": "SELECT 1\r\nAS x"}, {"query": "SELECT 1\nAS x"}),
            ({"relation": " a.b "}, {"relation": "a.b"}),
            ({"text": "-- all\n create VIEW …"}, {"ddl": ["-- all\n create VIEW …"]}),
            ({"text": "created"}, {"query": "created"}),
            # Each part of the comments would end at many places for a matcher that tries them all.
            ({"text": "/**/" * 60 + "X"}, {"query": "/**/" * 60 + "X"}),
            ({"text": "CREATE …", "relation": "a.b"}, {"ddl": ["CREATE …"], "relation": "a.b"}),
        ],
    )
    def test_what_is_filled_in_is_the_question(
        self, fields: dict[str, str], question: dict[str, object]
    ) -> None:
        translator = Answering(Answer(Result.OK, b"SELECT", ("It needs <b>.",)))
        body = form_of(dialect="spark", to="pig", **fields)

        response = client_of(translator).request(
            "POST", "/translate", headers={**FORM, "Sec-Fetch-Site": "same-origin"}, content=body
        )

        assert response.status_code == 200
        ((asked, form),) = translator.asked
        assert json.loads(asked) == {"dialect": "spark", "to": "pig", **question}
        assert form is Form.TEXT
        assert "<option selected>spark</option>" in response.text
        assert '<option value="pig" selected>pig</option>' in response.text
        assert "<li>It needs &lt;b&gt;.</li>" in response.text

    def test_nothing_asked_is_told(self) -> None:
        translator = Answering()

        response = client_of(translator).request(
            "POST", "/translate", headers=FORM, content=form_of(text=" \r\n ")
        )

        assert response.status_code == 400
        assert "write a query, or name a relation" in response.text
        assert translator.asked == []

    @pytest.mark.parametrize("body", [b"\xff", b"&".join(b"a%d=1" % n for n in range(100))])
    def test_what_the_page_does_not_send_is_refused(self, body: bytes) -> None:
        response = client_of(Answering()).request("POST", "/translate", headers=FORM, content=body)

        assert response.status_code == 400
        assert "the form is not the one of this page" in response.text

    @pytest.mark.parametrize("result", list(Result), ids=str)
    def test_everything_that_is_shown_is_escaped(self, result: Result) -> None:
        said = HOSTILE.encode("utf-8", "replace")
        translator = Answering(Answer(result, said, (HOSTILE,)))
        hostile = HOSTILE.encode("utf-8", "replace").decode()
        body = form_of(text=hostile, relation=hostile, dialect=hostile, to=hostile)

        response = client_of(translator).request("POST", "/translate", headers=FORM, content=body)

        assert "<script" not in response.text
        assert "alert(1)" in response.text
        assert response.text.count("</textarea>") == 1
        assert "onfocus='" not in response.text

    def test_a_relation_may_be_named_in_the_address(self) -> None:
        page = client_of(Answering()).get("/translate", params={"relation": 'a"b'}).text

        assert 'value="a&#34;b"' in page

    @pytest.mark.parametrize("error", [Unavailable("why"), Failed("why")], ids=str)
    def test_what_was_written_stays_where_there_is_no_answer(self, error: Exception) -> None:
        response = client_of(Answering(error)).request(
            "POST", "/translate", headers=FORM, content=form_of(text="SELECT mine")
        )

        assert response.status_code == 503
        assert "SELECT mine" in response.text
        assert "why" in response.text
