"""The pages over HTTP: routes, and the guard before them."""

import itertools
import os
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qs

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hardwon.domain.model.errors import (
    HardwonError,
    InvalidEntryError,
    InvalidQueryError,
    StorageError,
    UnknownEntryError,
)
from hardwon.entrypoints.unforeseen import log_unforeseen
from hardwon.entrypoints.view import changes, writing
from hardwon.entrypoints.view.desk import (
    Answer,
    Desk,
    DeskThread,
    Page,
    PageRequest,
    Redirect,
    Reply,
)
from hardwon.entrypoints.view.entry_pages import edit_page, entry_page
from hardwon.entrypoints.view.guard import HEADERS, Guard, Refusal
from hardwon.entrypoints.view.memory_pages import memory_page
from hardwon.entrypoints.view.rendering import address, as_csv, as_json, environment
from hardwon.entrypoints.view.review_page import review_page
from hardwon.entrypoints.view.session_pages import session_page, sessions_page
from hardwon.entrypoints.view.start_page import start_page
from hardwon.entrypoints.view.time_page import time_page
from hardwon.entrypoints.view.topics_page import topics_page

STATIC = os.path.join(os.path.dirname(__file__), "static")
MAX_FORM_BYTES = 32 * 1024 * 1024
"""An entry of 4 MB, every character escaped."""

MAX_FIELDS = 10_000
LONGEST_TOKEN = 1_000
"""Bytes of the form that opens the page."""

KEPT_NOTICES = 100
SENT_BEFORE = (
    "This form was sent before, and what it asked for was done then. Nothing was changed now."
)
TOO_LARGE = "The form is too large, so nothing was changed: an entry has 4 MB at most."

LISTS: Mapping[str, Answer] = {
    "/start": start_page,
    "/memory": memory_page,
    "/sessions": sessions_page,
    "/session": session_page,
    "/topics": topics_page,
    "/time": time_page,
    "/review": review_page,
}
"""Pages that are also served as `.json` and `.csv`."""

PAGES: Mapping[str, Answer] = {
    "/": start_page,
    "/entry/{id}": entry_page,
    "/entry/{id}/edit": edit_page,
    "/merge": writing.merge_page,
    "/new": writing.new_page,
}

FORMS: Mapping[str, Answer] = {
    "/entry/{id}/edit": writing.edit,
    "/entry/{id}/change": changes.change,
    "/entry/{id}/undo": changes.undo,
    "/entry/{id}/judge": changes.judge,
    "/entry/{id}/merge": writing.begin_merge,
    "/entry/{id}/take-over": changes.take_over,
    "/entries": changes.change_chosen,
    "/new": writing.add,
    "/forget": changes.forget,
    "/merge": writing.merge,
    "/pair": changes.decide,
    "/project/{id}/trust": changes.trust,
    "/repair/{id}": changes.decide_on_repair,
    "/review/decide": changes.decide_on_lesson,
    "/review/all": changes.decide_on_group,
}


class Site:
    """All pages, as an ASGI application."""

    def __init__(self, guard: Guard, thread: DeskThread, store: str) -> None:
        self._guard = guard
        self._thread = thread
        self._templates = environment(guard.prefix)
        self._store = store
        self._templates.globals["store"] = store
        self._notices = OrderedDict[str, Sequence[str]]()
        self._numbers = itertools.count(1)
        self.last_request = time.monotonic()

    def app(self) -> ASGIApp:
        """Return the application."""
        routes: list[Any] = [
            *(Route(path, self._page(answer)) for path, answer in (*PAGES.items(), *LISTS.items())),
            *(
                Route(f"{path}.json", self._list(answer, "application/json", as_json))
                for path, answer in LISTS.items()
            ),
            *(
                Route(f"{path}.csv", self._list(answer, "text/csv", as_csv))
                for path, answer in LISTS.items()
            ),
            *(Route(path, self._form(answer), methods=["POST"]) for path, answer in FORMS.items()),
            Mount("/static", StaticFiles(directory=STATIC)),
        ]
        inner = Starlette(
            routes=[Mount(self._guard.prefix, routes=routes)],
            exception_handlers={HTTPException: self._not_found, Exception: self._unforeseen},
        )
        opened_page = self._templates.get_template("opened.html").render()
        return _Guarded(
            inner,
            self._guard,
            refused=self._refused,
            note_request=self._note_request,
            opened_page=opened_page,
        )

    def _note_request(self) -> None:
        self.last_request = time.monotonic()

    def _page(self, answer: Answer) -> Callable[[Request], Any]:
        async def page(request: Request) -> Response:
            return await self._answered(request, lambda desk: answer(desk, _asked(request)))

        return page

    def _list(
        self,
        answer: Answer,
        media_type: str,
        written: Callable[[Sequence[Mapping[str, object]]], str],
    ) -> Callable[[Request], Any]:
        async def rows(request: Request) -> Response:
            try:
                reply = await self._thread.call(lambda desk: answer(desk, _asked(request)))
            except HardwonError as error:
                return Response(f"{error}\n", _status(error), media_type="text/plain")
            return Response(
                written(reply.rows or () if isinstance(reply, Page) else ()), media_type=media_type
            )

        return rows

    def _form(self, answer: Answer) -> Callable[[Request], Any]:
        async def form(request: Request) -> Response:
            body = await _body(request)
            if body is None:
                return self._problem(TOO_LARGE, HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
            try:
                fields = parse_qs(
                    body.decode("utf-8", "replace"),
                    keep_blank_values=True,
                    max_num_fields=MAX_FIELDS,
                )
            except ValueError:  # too many fields
                return self._problem(TOO_LARGE, HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
            if refusal := self._guard.admit_form(next(iter(fields.get("token", ())), "")):
                return self._refused(refusal)
            path = request.url.path

            def work(desk: Desk) -> Reply:
                if self._guard.was_sent(path, body):
                    raise InvalidEntryError(SENT_BEFORE)
                desk.count_again()
                reply = answer(desk, _asked(request)._replace(form=fields))
                if isinstance(reply, Redirect):
                    self._guard.note_sent(path, body)
                return reply

            return await self._answered(request, work)

        return form

    async def _answered(self, request: Request, work: Callable[[Desk], Reply]) -> Response:
        notice = self._notices.get(request.query_params.get("notice", ""), ())
        try:
            return await self._thread.call(lambda desk: self._rendered(desk, work(desk), notice))
        except HardwonError as error:
            return self._problem(str(error), _status(error))

    def _rendered(self, desk: Desk, reply: Reply, notice: Sequence[str]) -> Response:
        if isinstance(reply, Redirect):
            return RedirectResponse(self._with_notice(reply), HTTPStatus.SEE_OTHER)
        about = {"token": self._guard.form_token(), "notice": notice, "section": reply.template}
        badge = {"to_review": len(desk.recent_items()), "is_there": desk.memory.store.is_there}
        return HTMLResponse(
            self._templates.get_template(f"{reply.template}.html").render(
                **about, **badge, **reply.values
            )
        )

    def _with_notice(self, redirect: Redirect) -> str:
        name = str(next(self._numbers))
        self._notices[name] = redirect.notice
        while len(self._notices) > KEPT_NOTICES:
            self._notices.popitem(last=False)
        path, _, query = redirect.path.partition("?")
        fields = {key: values[0] for key, values in parse_qs(query).items() if key != "notice"}
        return address(self._guard.prefix, f"/{path.lstrip('/')}", {**fields, "notice": name})

    def _problem(self, text: str, status: int) -> Response:
        page = self._templates.get_template("problem.html").render(
            text=text, section="problem", is_refused=False
        )
        return HTMLResponse(page, status)

    def _refused(self, refusal: Refusal) -> Response:
        page = self._templates.get_template("problem.html").render(
            text=refusal.text, section="problem", is_refused=True
        )
        return HTMLResponse(page, refusal.status)

    async def _not_found(self, _: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else HTTPStatus.NOT_FOUND
        if status == HTTPStatus.METHOD_NOT_ALLOWED:
            return self._problem(
                "This address is asked in another way: go back and use the page's own buttons.",
                status,
            )
        return self._problem(
            "There is no such page. The address may be of an earlier run, or was typed by hand.",
            status,
        )

    async def _unforeseen(self, _: Request, error: Exception) -> Response:
        return self._problem(
            log_unforeseen("hardwon view", error, self._store), HTTPStatus.INTERNAL_SERVER_ERROR
        )


def _asked(request: Request) -> PageRequest:
    return PageRequest(values=request.path_params, query=dict(request.query_params))


async def _body(request: Request, most: int = MAX_FORM_BYTES) -> bytes | None:
    parts, size = list[bytes](), 0
    try:
        async for part in request.stream():
            size += len(part)
            if size > most:
                return None
            parts.append(part)
    except ClientDisconnect:
        return b""
    return b"".join(parts)


def _status(error: HardwonError) -> int:
    match error:
        case UnknownEntryError():
            return HTTPStatus.NOT_FOUND
        case InvalidEntryError() | InvalidQueryError():
            return HTTPStatus.BAD_REQUEST
        case StorageError():
            return HTTPStatus.SERVICE_UNAVAILABLE
        case _:
            return HTTPStatus.CONFLICT


class _Guarded:
    """Refuses requests of others, and adds the security headers to every answer."""

    def __init__(
        self,
        app: ASGIApp,
        guard: Guard,
        refused: Callable[[Refusal], Response],
        note_request: Callable[[], None],
        opened_page: str,
    ) -> None:
        self._app = app
        self._guard = guard
        self._refused = refused
        self._note_request = note_request
        self._opened_page = opened_page

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                extra = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
                message = {**message, "headers": [*message["headers"], *extra]}
            await send(message)

        answer: ASGIApp = await self._early_answer(Request(scope, receive)) or self._app
        await answer(scope, receive, send_guarded)

    async def _early_answer(self, request: Request) -> Response | None:
        """Return the answer to a request that reaches no page, None otherwise."""
        host = request.headers.get("host", "")
        if refusal := self._guard.admit_host(host):
            return self._refused(refusal)
        if request.url.path == f"{self._guard.prefix}/":
            if request.method == "GET" and "token" in request.query_params:
                return self._opened(request, request.query_params["token"])
            if request.method == "POST":
                return await self._opened_by_form(request, host)
        refusal = self._guard.admit_site(
            request.headers.get("sec-fetch-site", "")
        ) or self._guard.admit_cookie(request.headers.get("cookie", ""))
        if refusal:
            return self._refused(refusal)
        if request.method not in {"GET", "HEAD"} and (
            refusal := self._guard.admit_origin(request.headers.get("origin"), host)
        ):
            return self._refused(refusal)
        self._note_request()
        return None

    async def _opened_by_form(self, request: Request, host: str) -> Response:
        if refusal := self._guard.admit_opening(request.headers.get("origin"), host):
            return self._refused(refusal)
        body = await _body(request, LONGEST_TOKEN) or b""
        return self._opened(
            request, parse_qs(body.decode("utf-8", "replace")).get("token", [""])[0]
        )

    def _opened(self, request: Request, token: str) -> Response:
        """
        Give the browser its cookie for the token, unless it has it already.

        The answer is a page that refreshes to the memory: if another page opened this address, an
        HTTP redirect would carry no strict cookie.
        """
        if self._guard.admit_cookie(request.headers.get("cookie", "")) and (
            refusal := self._guard.exchange(token)
        ):
            return self._refused(refusal)
        self._note_request()
        return HTMLResponse(self._opened_page, headers={"set-cookie": self._guard.cookie_header()})
