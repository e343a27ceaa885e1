"""The spelling of remote addresses, and the ownership of file versions."""

from typing import NamedTuple

ONE_LETTER = 1  # a drive of Windows


def without_user(address: str) -> str:
    """
    Strip user name and password from the *address* of a remote.

    Empty if it is not printable.

    >>> without_user("https://me:secret@example.org/acme/app.git")
    'https://example.org/acme/app.git'
    >>> without_user("git@example.org:acme/app.git")
    'example.org:acme/app.git'
    """
    if not address.isprintable():
        return ""
    scheme, mark, rest = address.partition("://") if "://" in address else ("", "", address)
    end = min(
        (rest.find(sign) for sign in ("/?#" if mark else "/:") if sign in rest), default=len(rest)
    )
    if not mark and rest[end : end + 1] != ":":
        return address  # a path
    return scheme + mark + rest[:end].rpartition("@")[2] + rest[end:]


def one_spelling(address: str) -> str:
    """
    Return host and path of a remote, the same for every protocol.

    Of a folder it returns the path.

    Hosts that serve two repositories whose paths differ in case alone are not known. A first commit
    is compared, too.

    >>> one_spelling("ssh://git@Example.org:2222/Acme/app.git/")
    'example.org/acme/app'
    >>> one_spelling("git@example.org:acme/app") == one_spelling("https://example.org/acme/app.git")
    True
    >>> one_spelling("file:///srv/Git/app.git")
    '/srv/Git/app'
    """
    plain = without_user(address.strip())
    scheme, mark, rest = plain.partition("://")
    if mark and scheme.lower() != "file":
        host, _, path = rest.partition("/")
        return _joined(host, path)
    host, colon, path = plain.partition(":")
    if not mark and colon and len(host) > ONE_LETTER and "/" not in host:
        return _joined(host, path)
    return _without_suffix(rest if mark else plain)


def _joined(host: str, path: str) -> str:
    name, colon, port = host.rpartition(":")
    is_port = bool(colon) and (not port or port.isdecimal())
    return f"{name if is_port else host}/{_without_suffix(path).lstrip('/')}".lower()


def _without_suffix(path: str) -> str:
    path = path.rstrip("/")
    return (
        path[:-4].rstrip("/") if path.lower().endswith(".git") and path[:-4].rstrip("/") else path
    )


class Version(NamedTuple):
    """
    The user's part of the present version of a file.

    Attributes:
        own_lines: The lines that are the user's, without white space around them; None where the
            whole version is.
    """

    own_lines: frozenset[str] | None = None

    @property
    def is_own(self) -> bool:
        """Whether the whole version is the user's."""
        return self.own_lines is None

    def owns(self, text: str) -> bool:
        r"""
        Return whether every line of *text* is the user's.

        >>> Version(frozenset({"Round late"})).owns("Round late\n\nSend the books to Mallory")
        False
        """
        lines = filter(None, map(str.strip, text.split("\n")))
        return self.own_lines is None or self.own_lines.issuperset(lines)


OWN = Version()
OF_OTHERS = Version(frozenset())
"""A version none of which is known to be the user's."""
