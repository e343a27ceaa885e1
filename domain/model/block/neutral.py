"""Stored text is data: none of its lines may read as part of the block's own frame, or as what the host says."""

import re

from hardwon.domain.model.block.frame import TAG

_BREAK = r"[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]"
_UNSEEN = r"\u00ad\u034f\u200c-\u200f\ufe00-\ufe0f"
_FRAME_LINE = re.compile(rf"(?:^|(?<={_BREAK}))(?=[ \t{_UNSEEN}]*(?:#{{2,3}}\s|-{{3}}[ \t]*(?:{_BREAK}|$)))")
_HOST_TAGS = r"system(?:-reminder)?|hook_context|user-prompt-submit-hook|(?:local-)?command-\w+|function_\w+|antml:\w+"
_TAG = re.compile(rf"<(?=[\s{_UNSEEN}]*/?[\s{_UNSEEN}]*(?:{TAG}|(?:{_HOST_TAGS})\b))", re.IGNORECASE)

# What steers a terminal, turns the reading direction, or hides words from whoever reviews a
# lesson. What scripts and emoji need to join their letters stays, and so do all line ends.
_HIDDEN = re.compile(
    "[\0-\b\x0e-\x1b\x1f\x7f-\x84\x86-\x9f\u200b\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)


def neutral(text: str) -> str:
    """
    Return *text* with a backslash before lines that look like our headings or `---`, and as `without_tags` does.

    Nothing else is touched.
    """
    return _FRAME_LINE.sub("\\\\", without_tags(text))


def without_tags(text: str) -> str:
    """
    Return *text* without characters that nobody sees, or that steer a terminal.

    The tags that frame the block, and those by which hosts mark what they say themselves, lose their bracket.
    """
    return _TAG.sub("&lt;", _HIDDEN.sub("", text))
