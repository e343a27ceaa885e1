"""Lazy patterns find what compiled ones find, and are compiled at first use."""

import re
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.text import lazy

PATTERNS = (r"a+", r"(?P<letter>[ab])\s*", r"^b|a$", r"\w(?=a)")
FLAGS = (0, re.IGNORECASE, re.MULTILINE | re.DOTALL)


@given(st.sampled_from(PATTERNS), st.sampled_from(FLAGS), st.text("aAbB \n", max_size=20))
def test_it_finds_what_the_compiled_one_finds(pattern: str, flags: int, text: str) -> None:
    compiled, own = re.compile(pattern, flags), lazy(pattern, flags)
    for _ in range(2):
        assert own.findall(text) == compiled.findall(text)
        assert own.sub("-", text) == compiled.sub("-", text)
        assert (own.fullmatch(text) is None) == (compiled.fullmatch(text) is None)
    assert (own.pattern, own.flags) == (compiled.pattern, compiled.flags)


def test_it_is_compiled_when_it_is_first_used() -> None:
    broken = lazy("(")

    with pytest.raises(re.error):
        broken.fullmatch("")


def test_to_import_what_reads_outputs_compiles_nothing() -> None:
    lines = (
        "import re",
        "from hardwon.domain.model import context, keywords, prompt_terms, redaction",
        "re.compile = None",
        "from hardwon.domain.model.conversation import actions",
    )
    subprocess.run([sys.executable, "-c", "\n".join(lines)], check=True)
