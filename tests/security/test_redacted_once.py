"""
A lesson is redacted once under all doors; behind that stands the net of the store alone.

The net looks at every text, and redacts again only what could hold a secret.
"""

import json
import sys
from collections import Counter
from pathlib import Path
from types import FrameType

from hardwon.domain.model.redaction import may_hold_secret, redact
from hardwon.entrypoints import writer
from tests.entrypoints.programs import COMPLETE, VALID

REDACT = redact.__code__
LESSON = {
    **VALID,
    **COMPLETE,
    "keywords": ["unit", "number", "misread"],
    "references": ["src/units.py"],
}


def test_each_text_of_a_lesson_is_redacted_once(tmp_path: Path) -> None:
    before_the_net, in_the_net = Counter[str](), Counter[str]()

    def notice(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code is REDACT:
            counted = in_the_net if is_of_an_adapter(frame.f_back) else before_the_net
            counted[frame.f_locals["text"]] += 1

    places = ["--global-store", str(tmp_path / "store"), "--project-root", str(tmp_path)]
    sys.setprofile(notice)
    try:
        code = writer.run(["--action", "upsert", *places, "--entry-json", json.dumps(LESSON)])
    finally:
        sys.setprofile(None)

    texts = [
        LESSON["name"],
        LESSON["description"],
        LESSON["reasoning"],
        *LESSON["keywords"],
        *LESSON["references"],
    ]
    assert code == 0
    assert before_the_net.keys() >= {*texts}
    assert [text for text, calls in before_the_net.items() if text and calls > 1] == []
    assert [text for text in in_the_net if not may_hold_secret(text)] == []


def is_of_an_adapter(frame: FrameType | None) -> bool:
    """Return whether *frame* is of an adapter, or of a comprehension in one."""
    return frame is not None and "/adapters/" in frame.f_code.co_filename
