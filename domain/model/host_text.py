"""
The passages that a host writes in the user's place.

They are reminders, its commands, the shell's, its environment, notices of tasks, and messages of
other sessions and subagents: no words of the user, wherever they are read. Standard library only, for the hook, and no pattern is compiled at
import.
"""

import re
from bisect import bisect_left
from typing import NamedTuple

INJECTED_TAGS = (
    r"hardwon-memory|system-reminder|hook_context|local-command-\w+"
    r"|(?:user-prompt-submit|session-start|(?:pre|post)-tool-use)-hook"
)
"""
Tags of text injected anywhere.

One without an end goes on to the end of the text.
"""

MESSAGE_TAGS = (
    r"task-notification|bash-(?:input|stdout|stderr)|command-(?:name|message|args|contents)|ide_\w+"
    r"|environment_context|user_instructions|turn_aborted|user_shell_command|subagent_notification"
    r"|(?:agent|teammate|cross-session)-message|new-diagnostics"
)
"""
Tags of messages, or of passages that begin a line.

One without an end is text about the tag.
"""

_INJECTED = rf"(?s)<(?P<tag>{INJECTED_TAGS})\b[^<>\n]*>.*?(?:</(?P=tag)>|\Z)"
_BEFORE = r"Another \w{1,40} session sent a message[^<\n]{0,80}:\s*|[ \t]*"
_TAG = rf"(?m)(?P<begins>^(?:{_BEFORE}))?<(?P<closing>/?)(?P<name>{MESSAGE_TAGS})\b[^<>\n]*>"
_REST = (
    r"(?:\s*(?:Read the output file|Full transcript available at|This came from another \w{1,40} session"
    r"|That [\"\u201c]?other \w{1,40} session)\b[^\n]*)*\s*"
)
"""The lines after a notice or message, and white space."""

BANNER = "NOT USER INPUT]"
_BANNER = rf"(?m)^\[[A-Z][A-Z -]{{0,80}}{re.escape(BANNER)}[^\n]*(?:\n(?!<)[^\n]*\S[^\n]*)*"
"""A notice in words, up to a blank line or a tag."""


def without_host_text(text: str) -> str:
    """
    Remove the passages of the host, in linear time.

    Examples:
        >>> without_host_text("<task-notification><status>done</status></task-notification> Now fix the parser.")
        'Now fix the parser.'
        >>> without_host_text("Where does <bash-input> come from?")
        'Where does <bash-input> come from?'
    """
    if BANNER in text:
        text = re.sub(_BANNER, "", text)
    if "<" not in text:
        return text
    return _without_messages(re.sub(_INJECTED, "\n", text))


class _Place(NamedTuple):
    begin: int
    end: int


def _without_messages(text: str) -> str:
    tags = [*re.finditer(_TAG, text)]
    closings = dict[str, list[_Place]]()
    for tag in tags:
        if tag["closing"]:
            closings.setdefault(tag["name"], []).append(_Place(*tag.span()))
    kept, resumed = list[str](), 0
    for tag in tags:
        begins = tag["begins"] is not None or tag.start() == resumed
        ends = closings.get(tag["name"], [])
        place = bisect_left(ends, tag.end(), key=lambda end: end.begin)
        if begins and not tag["closing"] and tag.start() >= resumed and place < len(ends):
            kept.append(text[resumed : tag.start()])
            rest = re.compile(_REST).match(text, ends[place].end)
            resumed = rest.end() if rest else ends[place].end
    return "".join((*kept, text[resumed:]))
