"""
The Model Context Protocol: parsing of messages, checks, and forms of answers.

The SDK does the same, but its import takes fifty times a process's bare start. It serves HTTP; a
test holds both to the same answers. Standard library only.
"""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple, TypeAlias

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
UNSUPPORTED_VERSION = -32022

HANDSHAKE_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""Versions that begin with `initialize`."""

ENVELOPE_VERSIONS = ("2026-07-28",)
"""Versions without a handshake: each request names client and version in `_meta`."""

VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"
CLIENT_KEY = "io.modelcontextprotocol/clientInfo"
SERVER_KEY = "io.modelcontextprotocol/serverInfo"

LONGEST_SHOWN = 200

RequestId: TypeAlias = int | str


class RpcError(Exception):
    """
    An error that the client gets instead of a result.

    Attributes:
        code: Error code of JSON-RPC or the protocol.
    """

    def __init__(self, code: int, message: str, data: object = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data

    def document(self) -> dict[str, Any]:
        """Return the error as it goes over the wire."""
        data = {} if self.data is None else {"data": self.data}
        return {"code": self.code, "message": self.message, **data}


class MalformedError(RpcError):
    """A line that is no message."""

    def __init__(self, code: int, message: str, request_id: RequestId | None = None) -> None:
        super().__init__(code, message)
        self.request_id = request_id


class ToolError(Exception):
    """A tool call that fails, with a message for the model."""


def invalid_params() -> RpcError:
    """Return the error for invalid parameters, in the SDK's words."""
    return RpcError(INVALID_PARAMS, "Invalid request parameters", "")


class Request(NamedTuple):
    """A request of the client."""

    id: RequestId
    method: str
    params: Mapping[str, Any]


class Notification(NamedTuple):
    """A message of the client that gets no answer."""

    method: str
    params: Mapping[str, Any]


def read_message(line: bytes) -> Request | Notification | None:
    """Parse a line, None for a response of the client."""
    try:
        document = json.loads(line.decode())
    except (ValueError, RecursionError):
        reason = f"{_shown(line)!r} is not JSON: write one JSON-RPC message a line"
        raise MalformedError(PARSE_ERROR, reason) from None
    if fault := _fault(line, document):
        request_id = document.get("id") if isinstance(document, dict) else None
        reason = f"{_shown(line)!r} {fault}"
        raise MalformedError(INVALID_REQUEST, reason, request_id if _is_id(request_id) else None)
    if "method" not in document:
        return None
    message = Notification(document["method"], document.get("params") or {})
    return Request(document["id"], *message) if "id" in document else message


def _fault(line: bytes, document: object) -> str:
    """Return why *document* is refused, empty if it is not."""
    if not isinstance(document, dict) or not _is_message(document):
        return "is not a JSON-RPC 2.0 message with a method and an object as params"
    if _has_lone_surrogates(line, document):
        return "holds half a surrogate pair, which is not valid text: send the whole character"
    return ""


def _shown(line: bytes) -> str:
    return line.strip()[: 4 * LONGEST_SHOWN].decode(errors="replace")[:LONGEST_SHOWN]


def _is_message(document: Mapping[str, Any]) -> bool:
    if document.get("jsonrpc") != "2.0" or ("id" in document and not _is_id(document["id"])):
        return False
    if "method" in document:
        return isinstance(document["method"], str) and isinstance(
            document.get("params"), dict | None
        )
    return "id" in document and any(
        isinstance(document.get(name), dict) for name in ("result", "error")
    )


def _is_id(value: object) -> bool:
    return isinstance(value, int | str) and not isinstance(value, bool)


def _has_lone_surrogates(line: bytes, document: object) -> bool:
    """Return whether *document* can't be encoded as UTF-8, which only escapes cause."""
    if b"\\ud" not in line.lower():
        return False
    try:
        json.dumps(document, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False


class _Field(NamedTuple):
    """A parameter to be checked."""

    types: tuple[type, ...]
    is_required: bool = False


_OPTIONAL_TEXT = _Field((str, type(None)))
_TEXT = _Field((str,), is_required=True)
_PAGE = {"cursor": _OPTIONAL_TEXT}
_CLIENT = {"name": _TEXT, "version": _TEXT}

_SHARED: Mapping[str, Mapping[str, _Field]] = {
    "tools/list": _PAGE,
    "tools/call": {"name": _TEXT, "arguments": _Field((dict, type(None)))},
    "resources/list": _PAGE,
    "resources/templates/list": _PAGE,
    "resources/read": {"uri": _TEXT},
    "prompts/list": _PAGE,
    "prompts/get": {"name": _TEXT, "arguments": _Field((dict, type(None)))},
}
_HANDSHAKE: Mapping[str, Mapping[str, _Field]] = {
    "initialize": {
        "protocolVersion": _TEXT,
        "capabilities": _Field((dict,), is_required=True),
        "clientInfo": _Field((dict,), is_required=True),
    },
    "ping": {},
    **_SHARED,
}
_ENVELOPE: Mapping[str, Mapping[str, _Field]] = {"server/discover": {}, **_SHARED}
_CACHEABLE = frozenset(_ENVELOPE) - {"tools/call", "prompts/get"}


class ClientSession:
    """
    One client's connection, with a handshake or with an envelope per request.

    The first request decides which.
    """

    def __init__(self, server_info: Mapping[str, str]) -> None:
        self._server_info = server_info
        self._has_envelopes: bool | None = None
        self._has_shaken_hands = False

    def admit(self, request: Request) -> None:
        """Check that *request* can be answered now."""
        if self._has_envelopes is None:
            self._has_envelopes = request.method != "initialize" and _has_envelope(request.params)
        if self._has_envelopes:
            _check_envelope(request)
        else:
            self._check_handshake(request)

    def _check_handshake(self, request: Request) -> None:
        is_first = request.method == "initialize"
        if not is_first and _has_envelope(request.params):
            raise RpcError(
                INVALID_REQUEST,
                "this connection serves the handshake protocol era; "
                "requests carrying the 2026-07-28 envelope are not accepted on it",
            )
        _check_params(_HANDSHAKE, request)
        if is_first:
            _check_fields(_CLIENT, request.params["clientInfo"])
            self.begin()
        elif not self._has_shaken_hands and request.method != "ping":
            raise invalid_params()

    def begin(self) -> None:
        """Mark the handshake as done, when the client begins or completes it."""
        self._has_shaken_hands = True

    def complete(self, method: str, result: dict[str, Any]) -> dict[str, Any]:
        """Add to *result* the fields that the connection's version requires."""
        if not self._has_envelopes:
            return result
        cache = {"ttlMs": 0, "cacheScope": "private"} if method in _CACHEABLE else {}
        return {
            **result,
            **cache,
            "resultType": "complete",
            "_meta": {SERVER_KEY: self._server_info},
        }


def negotiated(version: str) -> str:
    """Return the version to use with a client that offers *version*."""
    return version if version in HANDSHAKE_VERSIONS else HANDSHAKE_VERSIONS[-1]


def _has_envelope(params: Mapping[str, Any]) -> bool:
    meta = params.get("_meta")
    return isinstance(meta, dict) and VERSION_KEY in meta


def _check_envelope(request: Request) -> None:
    if request.method == "initialize":
        version = request.params.get("protocolVersion")
        offered = {"requested": version} if isinstance(version, str) else {}
        reason = (
            "connection is serving the 2026-07-28 protocol; the initialize handshake is not"
            " accepted"
        )
        raise RpcError(UNSUPPORTED_VERSION, reason, {"supported": [*ENVELOPE_VERSIONS], **offered})
    meta = request.params.get("_meta")
    if not isinstance(meta, dict):
        reason = (
            f"params._meta must be an object carrying the required {VERSION_KEY!r} and"
            f" {CAPABILITIES_KEY!r} envelope keys"
        )
        raise RpcError(INVALID_PARAMS, reason)
    if missing := [key for key in (VERSION_KEY, CAPABILITIES_KEY) if key not in meta]:
        raise RpcError(
            INVALID_PARAMS,
            f"params._meta is missing the required envelope key(s): {', '.join(missing)}",
        )
    version = meta[VERSION_KEY]
    if not isinstance(version, str):
        raise RpcError(INVALID_PARAMS, "the protocol-version envelope value must be a string")
    if version not in ENVELOPE_VERSIONS:
        data = {"supported": [*ENVELOPE_VERSIONS], "requested": version}
        raise RpcError(UNSUPPORTED_VERSION, "Unsupported protocol version", data)
    _check_params(_ENVELOPE, request)
    client = meta.get(CLIENT_KEY)
    if not isinstance(meta[CAPABILITIES_KEY], dict) or not isinstance(client, dict | None):
        raise invalid_params()
    if client is not None:
        _check_fields(_CLIENT, client)


def _check_params(methods: Mapping[str, Mapping[str, _Field]], request: Request) -> None:
    if request.method not in methods:
        raise RpcError(METHOD_NOT_FOUND, "Method not found", request.method)
    _check_fields(methods[request.method], request.params)
    meta = request.params.get("_meta")
    if not isinstance(meta, dict | None) or (meta and not _is_id(meta.get("progressToken", ""))):
        raise invalid_params()


def _check_fields(fields: Mapping[str, _Field], given: Mapping[str, Any]) -> None:
    for name, field in fields.items():
        if field.is_required if name not in given else not isinstance(given[name], field.types):
            raise invalid_params()
