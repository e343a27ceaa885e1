"""Requests to a page and its replies: values that know nothing of HTTP."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from hardwon.domain.model.errors import InvalidQueryError
from hardwon.entrypoints.view.desk import Desk


class Asked(NamedTuple):
    """
    A request.

    Attributes:
        values: The variable parts of the path.
        query: The first value of each parameter of the address.
        form: The values of each field of a form that was sent.
    """

    values: Mapping[str, str] = {}
    query: Mapping[str, str] = {}
    form: Mapping[str, Sequence[str]] = {}

    def given(self, name: str) -> str:
        """Return the first value of a field of the form; empty without one."""
        return next(iter(self.form.get(name, ())), "")

    def number(self, name: str, default: int, most: int = 2**31 - 1) -> int:
        """
        Return a number of the address, from 1.

        Raises:
            InvalidQueryError: it is none.
        """
        given = self.query.get(name, "")
        if not given:
            return default
        if not (given.isascii() and given.isdecimal() and len(given) <= len(str(most)) and 1 <= int(given) <= most):
            raise InvalidQueryError(f"{name}={given[:80]!r} in the address is no number from 1 to {most}")
        return int(given)

    def choice(self, name: str, allowed: Sequence[str]) -> str:
        """
        Return one of *allowed* as the address chooses it, the first by default.

        Raises:
            InvalidQueryError: it chooses something else.
        """
        given = self.query.get(name, "") or allowed[0]
        if given not in allowed:
            raise InvalidQueryError(f"{name}={given[:80]!r} in the address is not known: use {', '.join(allowed)}")
        return given


class Page(NamedTuple):
    """
    A page.

    Attributes:
        template: Its template, without `.html`.
        values: The variables of the template.
        rows: The same list for programs; None for a page without a list.
    """

    template: str
    values: Mapping[str, object]
    rows: Sequence[Mapping[str, object]] | None = None


class Redirect(NamedTuple):
    """
    The page to go to after a change.

    Attributes:
        path: Below the prefix, with a `/` at the beginning.
        notice: The outcome of the change, a line each.
    """

    path: str
    notice: Sequence[str] = ()


Reply: TypeAlias = Page | Redirect
Answer: TypeAlias = Callable[[Desk, Asked], Reply]
