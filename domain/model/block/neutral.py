"""Stored text is data: none of its lines may read as part of the block's own frame."""

import re

from hardwon.domain.model.block.frame import TAG

_BREAK = r"[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]"
_FRAME_LINE = re.compile(rf"(?:^|(?<={_BREAK}))(?=[ \t]*(?:#{{2,3}}\s|-{{3}}[ \t]*(?:{_BREAK}|$)))")
_FRAME_TAG = re.compile(rf"<(?=\s*/?\s*{TAG})", re.IGNORECASE)


def neutral(text: str) -> str:
    """
    Return *text* with a backslash before lines that look like our headings or `---`.

    The tag that frames the block loses its bracket; nothing else is touched.
    """
    return _FRAME_TAG.sub("&lt;", _FRAME_LINE.sub("\\\\", text))
