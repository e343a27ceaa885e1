"""Streamable HTTP on loopback, with a bearer token."""

import contextlib
import hmac
import socket
from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import Any

import uvicorn
from mcp import types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from pydantic import BaseModel

from hardwon.entrypoints.mcp.prompts import INSTRUCTIONS
from hardwon.entrypoints.mcp.protocol import RpcError
from hardwon.entrypoints.mcp.server import MemoryServer
from hardwon.entrypoints.mcp.stdio import LONGEST_LINE

PATH = "/mcp"
UNAUTHORISED = (
    b"send 'Authorization: Bearer ' and the token that hardwon-mcp found in HARDWON_MCP_TOKEN\n"
)

App = Callable[..., Awaitable[None]]


METHODS: Mapping[str, tuple[type[BaseModel], type[BaseModel]]] = {
    "tools/list": (types.PaginatedRequestParams, types.ListToolsResult),
    "tools/call": (types.CallToolRequestParams, types.CallToolResult),
    "resources/list": (types.PaginatedRequestParams, types.ListResourcesResult),
    "resources/templates/list": (types.PaginatedRequestParams, types.ListResourceTemplatesResult),
    "resources/read": (types.ReadResourceRequestParams, types.ReadResourceResult),
    "prompts/list": (types.PaginatedRequestParams, types.ListPromptsResult),
    "prompts/get": (types.GetPromptRequestParams, types.GetPromptResult),
}


def sdk_server(server: MemoryServer) -> Server[Any]:
    """
    Return an SDK server that answers as *server* does.

    The handshake is the SDK's.
    """
    info = server.info
    made: Server[Any] = Server(
        info["name"], title=info["title"], version=info["version"], instructions=INSTRUCTIONS
    )
    for method, (params, result) in METHODS.items():
        made.add_request_handler(method, params, _answering(server, method, result))
    return made


def _answering(
    server: MemoryServer, method: str, result: type[BaseModel]
) -> Callable[[Any, BaseModel], Awaitable[BaseModel]]:
    async def answer(context: ServerRequestContext[Any, Any], _: BaseModel) -> BaseModel:
        try:
            return result.model_validate(await server.answer(method, context.params or {}))
        except RpcError as error:
            raise MCPError(error.code, error.message, error.data) from error

    return answer


class BearerToken:
    """
    ASGI middleware that refuses requests without the token.

    The SDK's own check wants an OAuth server that issues tokens; a token that the user puts into
    the environment of both sides needs none.
    """

    def __init__(self, app: App, token: str) -> None:
        self._app = app
        self._expected = f"Bearer {token}".encode()

    async def __call__(self, scope: Mapping[str, Any], receive: App, send: App) -> None:
        """Answer one request."""
        given = dict(scope["headers"]).get(b"authorization", b"")
        if hmac.compare_digest(given, self._expected):
            await self._app(scope, receive, send)
            return
        headers = [(b"www-authenticate", b"Bearer"), (b"content-type", b"text/plain")]
        await send({"type": "http.response.start", "status": 401, "headers": headers})
        await send({"type": "http.response.body", "body": UNAUTHORISED})


class _HttpServer(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals alone: uvicorn would re-raise them, and not exit with 0."""
        yield


class LoopbackTransport:
    """
    HTTP on a loopback address.

    Args:
        listener: Listens there.
        host: A loopback name; the SDK refuses requests to any other.
        token: The secret that clients send.
        at_end: Called when the transport is stopped.

    """

    def __init__(
        self, listener: socket.socket, *, host: str, token: str, at_end: Callable[[], None]
    ) -> None:
        self._listener = listener
        self._host = host
        self._token = token
        self._at_end = at_end
        self._http: _HttpServer | None = None

    async def serve(self, server: MemoryServer) -> None:
        """Serve clients until the transport is stopped."""
        sdk = sdk_server(server)
        app = sdk.streamable_http_app(
            streamable_http_path=PATH, host=self._host, max_request_body_size=LONGEST_LINE
        )
        guarded = BearerToken(app, self._token)
        self._http = _HttpServer(
            uvicorn.Config(guarded, lifespan="off", ws="none", log_config=None, access_log=False)
        )
        async with server.open(), sdk.session_manager.run():
            server.begin_scan()
            await self._http.serve([self._listener])

    def stop(self) -> None:
        """End the transport, also from a signal handler."""
        self._at_end()
        if self._http:
            self._http.should_exit = True


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens on *host*."""
    return socket.create_server(
        (host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET
    )


def address(listener: socket.socket, host: str) -> str:
    """Return the server's URL."""
    return f"http://{f'[{host}]' if ':' in host else host}:{listener.getsockname()[1]}{PATH}"
