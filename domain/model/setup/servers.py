"""Our server in an agent's settings, beside the user's."""

from collections.abc import Callable

from hardwon.domain.model.errors import TakenNameError, UneditableFileError
from hardwon.domain.model.setup.hook_groups import Document

OURS = ("type", "command", "args")
"""What of a server's entry says how it is started; all else in it is the user's once it is there."""

IsServer = Callable[[object], bool]
"""Tells whether what stands under a name is a server of ours."""


def with_server(document: Document, place: str, name: str, server: Document, is_ours: IsServer) -> Document:
    """
    Return *document* with *server* under that name in the object *place*, all else as it was.

    Of a server of ours that is there already only what starts it is changed: the user can have added to it.

    Raises:
        TakenNameError: the user has another server of that name.
        UneditableFileError: *place* is no object.
    """
    servers = document.get(place, {})
    if not isinstance(servers, dict):
        raise UneditableFileError(f"{place!r} is no object")
    if name in servers and not is_ours(servers[name]):
        raise TakenNameError(f"{place!r} has a {name!r} of your own")
    present = servers.get(name)
    wanted = {**server, **present, **_start(server)} if isinstance(present, dict) else server
    return document if present == wanted else {**document, place: {**servers, name: wanted}}


def without_server(document: Document, place: str, name: str, is_ours: IsServer) -> Document:
    """Return *document* without our server, and without the object *place* when that held nothing else."""
    servers = document.get(place)
    if not isinstance(servers, dict) or name not in servers or not is_ours(servers[name]):
        return document
    if kept := {key: value for key, value in servers.items() if key != name}:
        return {**document, place: kept}
    return {key: value for key, value in document.items() if key != place}


def _start(server: Document) -> Document:
    return {key: value for key, value in server.items() if key in OURS}
