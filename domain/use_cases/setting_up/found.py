import hashlib
from typing import NamedTuple

from hardwon.domain.model.setup.written import Written
from hardwon.ports.setup_target import SetupTarget


class Found(NamedTuple):
    """
    What a file holds before it is changed.

    Attributes:
        text: All of it; None where there is no file.
        without_us: What it would hold without us; None for no file.
        is_as_written: Whether it is what was written there last, to the last character.
        is_recorded: Whether something was written there and not taken out since.

    """

    text: str | None
    without_us: str | None
    is_as_written: bool
    is_recorded: bool


def look(target: SetupTarget, text: str | None, written: Written | None) -> Found:
    """
    Return what is known of a file.

    Args:
        target: The file.
        text: What it holds.
        written: What was written there last.

    Raises:
        UneditableFileError: it can't be edited safely.

    """
    if text is None:
        return Found(None, None, is_as_written=False, is_recorded=written is not None)
    is_as_written = written is not None and written.digest == digest(text)
    without_us = _before(target, text, written) if written and is_as_written else _rest(target, text, written)
    return Found(text, without_us, is_as_written, is_recorded=written is not None)


def with_ours(target: SetupTarget, found: Found) -> str:
    """
    Return what the file is to hold with what is ours; what the user wrote stays.

    Raises:
        TakenNameError: something of the user's has the name of ours.
        UneditableFileError: it can't be edited safely.
    """
    return target.with_ours(found.without_us if found.is_as_written else found.text)


def without_ours(target: SetupTarget, found: Found) -> str | None:
    """
    Return what the file is to hold without us; None for no file.

    Raises:
        TakenNameError: what was ours there is the user's own now.
        UneditableFileError: it can't be edited safely.
    """
    if found.is_recorded and found.text is not None and found.text == found.without_us:
        target.ensure_not_taken(found.text)
    return found.without_us


def digest(text: str) -> str:
    """Return what tells one text from another."""
    return hashlib.sha256(text.encode()).hexdigest()


def _before(target: SetupTarget, text: str, written: Written) -> str | None:
    """Return what the file held before *text*, which we wrote."""
    if not written.was_there:
        return None
    return written.original if written.original is not None else target.without_ours(text)


def _rest(target: SetupTarget, text: str, written: Written | None) -> str | None:
    """Return what the user wrote of *text*; None where that says nothing, in a file that we made."""
    left = target.without_ours(text)
    return None if left is not None and written and written.is_made and target.is_blank(left) else left
