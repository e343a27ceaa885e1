"""The address of a PostgreSQL server: what may be shown of it, and how a connection to it is secured."""

import ipaddress
import os
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import Conninfo

from hardwon.domain.model.errors import StorageError

ENCRYPTED = ("require", "verify-ca", "verify-full")
"""Modes of TLS without a fallback to plain text."""

PORTS = frozenset("0123456789,")


UNREADABLE = "the address of the server can't be read: write postgresql://ROLE@HOST/DATABASE"


def parameters_of(dsn: str) -> dict[str, Any]:
    """
    Return the parameters of a connection to *dsn*; one that leaves this machine is encrypted, and verified unless *dsn* says less.

    Raises:
        StorageError: the address can't be understood, or asks for plain text across a network.
    """
    try:
        given = {name: value for name, value in conninfo_to_dict(dsn).items() if value is not None}
    except Exception as error:
        raise StorageError(UNREADABLE) from error
    if not all(map(_is_name, str(given.get("host", "")).split(","))):
        raise StorageError(UNREADABLE)
    if any("@" in str(given.get(name, "")) for name in ("dbname", "host")) or set(str(given.get("port", ""))) - PORTS:
        raise StorageError(
            "the address of the server can't be read: write / as %2F, @ as %40, ? as %3F and # as %23 in a password,"
            " or keep it in ~/.pgpass"
        )
    if "service" in given or "PGSERVICE" in os.environ:
        raise StorageError("the address of the server is a service: name the host itself")
    if _stays_here({**_elsewhere_by_default(), **given}):
        return given
    mode = given.setdefault("sslmode", "verify-full")
    if mode not in ENCRYPTED:
        raise StorageError(
            f"sslmode={mode} would send memories over a network in plain text: use one of {', '.join(ENCRYPTED)}"
        )
    if mode == "verify-full":
        given.setdefault("sslrootcert", "system")
    return given


def with_database(dsn: str, name: str) -> str:
    """Return the address of another database on the same server."""
    return urlsplit(dsn)._replace(path=f"/{name}").geturl()


def shown(parameters: Mapping[str, Any]) -> str:
    """Return how messages name a server: without a password."""
    host = str(parameters.get("host") or "localhost")
    port = f":{parameters['port']}" if parameters.get("port") else ""
    user = f"{parameters['user']}@" if parameters.get("user") else ""
    return f"postgresql://{user}{host}{port}/{parameters.get('dbname') or ''}"


def _is_name(host: str) -> bool:
    """Return whether *host* can be looked up, or is a folder of sockets."""
    if not host.startswith("/"):
        try:
            host.encode("idna")
        except UnicodeError:
            return False
    return True


def _elsewhere_by_default() -> dict[str, str]:
    """Return what the environment says of the host, which libpq takes where an address names none."""
    return {
        option.keyword.decode(): option.val.decode()
        for option in Conninfo.get_defaults()
        if option.val and option.keyword in {b"host", b"hostaddr"}
    }


def _stays_here(parameters: Mapping[str, Any]) -> bool:
    hosts = str(parameters.get("hostaddr") or parameters.get("host") or "").split(",")
    return all(_is_here(host.strip()) for host in hosts)


def _is_here(host: str) -> bool:
    if not host or host == "localhost" or host.startswith(("/", "@")):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
