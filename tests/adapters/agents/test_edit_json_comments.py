"""Comments in JSON stay where they are, or the file is left alone."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.adapters.agents.agent import ConfiguredAgent
from hardwon.adapters.agents.edit_json import blanked, comments_in, edited, read_document
from hardwon.adapters.agents.table import GEMINI_CLI, Programs
from hardwon.domain.model.errors import UneditableFileError

OWN = """// mine
{
  /* ui */ "ui": {"theme": "//dark"}, // which
  // "off": 1,
  "mcpServers": {
    "mine": {"command": "x"} // the last
  } // end
}
// done
"""
COMMENTS = ["// mine", "/* ui */", "// which", '// "off": 1,', "// the last", "// end", "// done"]


def test_comments_stay_and_what_was_put_in_is_taken_out_without_a_trace(tmp_path: Path) -> None:
    gemini = ConfiguredAgent(
        GEMINI_CLI, str(tmp_path), {}, Programs("/b/hardwon-hook", "/b/hardwon-mcp"), {}
    )
    [target] = gemini.targets()
    text = target.with_managed(OWN)

    assert comments_in(text) == COMMENTS
    assert '"mine": {"command": "x"}, // the last\n    "hardwon": {' in text
    assert target.with_managed(text) == text
    assert target.without_managed(text) == OWN
    Path(target.path).parent.mkdir()
    Path(target.path).write_text(text)
    assert gemini.connection().ways == (target.path,)


@pytest.mark.parametrize(
    "text",
    [
        "// only",
        "{ /* nothing */ }",
        '{"a": 1 // x\n}',
        '{"new": 1 /* x */, "a": 1}',
        '{"a": 1, "b": {/* x */}}',
    ],
)
def test_an_edit_keeps_every_comment_or_is_refused(text: str) -> None:
    before = read_document(text, may_comment=True)
    for after in ({**before, "new": 2}, {"a": 1}, {"b": {"c": 1}}):
        try:
            done = edited(text, before, after, may_comment=True)
        except UneditableFileError as error:
            assert str(error) == "its comments would be lost"  # noqa: PT017  # one or the other
        else:
            assert (read_document(done, may_comment=True), comments_in(done)) == (
                after,
                comments_in(text),
            )


@pytest.mark.parametrize("text", ["{} /* no end", "{} /*/", '{"a": 1,} // x', "{} / x", '{"a // x'])
def test_text_that_is_no_json_without_its_comments_is_refused(text: str) -> None:
    with pytest.raises(UneditableFileError, match="not plain JSON"):
        read_document(text, may_comment=True)


@given(st.text(alphabet='{}"\\/*\r\n a,'))
def test_blanking_keeps_every_place_and_line(text: str) -> None:
    blank = blanked(text)

    assert len(blank) == len(text)
    assert all(new in (old, " ") for old, new in zip(text, blank, strict=True))
    assert [place for place, character in enumerate(text) if character in "\r\n"] == [
        place for place, character in enumerate(blank) if character in "\r\n"
    ]
