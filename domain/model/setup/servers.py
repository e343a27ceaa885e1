"""Our server in an agent's settings, beside the user's."""

from collections.abc import Callable

from hardwon.domain.model.errors import TakenNameError, UneditableFileError
from hardwon.domain.model.setup.hook_groups import Document

IsServer = Callable[[object], bool]
"""Tells whether what stands under a name is a server of ours."""


def with_server(document: Document, place: str, name: str, server: Document, is_ours: IsServer) -> Document:
    """
    Return *document* with *server* under that name in the object *place*, all else as it was.

    Raises:
        TakenNameError: the user has another server of that name.
        UneditableFileError: *place* is no object.
    """
    servers = document.get(place, {})
    if not isinstance(servers, dict):
        raise UneditableFileError(f"{place!r} is no object")
    if name in servers and not is_ours(servers[name]):
        raise TakenNameError(f"{place!r} has a {name!r} of your own")
    return document if servers.get(name) == server else {**document, place: {**servers, name: server}}


def without_server(document: Document, place: str, name: str, is_ours: IsServer) -> Document:
    """Return *document* without our server, and without the object *place* when that held nothing else."""
    servers = document.get(place)
    if not isinstance(servers, dict) or name not in servers or not is_ours(servers[name]):
        return document
    if kept := {key: value for key, value in servers.items() if key != name}:
        return {**document, place: kept}
    return {key: value for key, value in document.items() if key != place}
