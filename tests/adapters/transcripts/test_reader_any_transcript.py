"""Whatever a transcript holds, however it grows."""

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hardwon.domain.model.conversation.session import Exchange
from tests.transcripts import GOOD, WHEN, make_transcript, plain, prompts, read

MADE = make_transcript(60, seed=3).text.encode()


@example(steps=[1])
@given(steps=st.lists(st.integers(0, len(MADE)), max_size=6).map(sorted))
def test_reading_a_file_while_it_grows_is_reading_it_at_one_go(
    steps: list[int], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder, known, position = tmp_path_factory.mktemp("growing"), list[Exchange](), 0
    for written in (*steps, len(MADE)):
        found = read(folder, MADE[:written], position)
        if known and found:
            assert found[0].exchange.continues(known.pop())
        known += [turn.exchange for turn in found]
        position = found[-1].begins_at if found else position

    assert known == [turn.exchange for turn in read(folder, MADE)]


KEYS = """type message content role text isMeta isSidechain timestamp sessionId toolUseResult answers questions question
options label id tool_use_id name input payload user assistant model""".split()
WORDS = """user assistant response_item text tool_use tool_result AskUserQuestion message image Which? x <command-name>/a</command-name>
<command-message> <private> <synthetic> 2026-11-21T09:30:00Z 2026-11-21 9999-12-31T23:59:59-14:00""".split()
leaves = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=3)
    | st.sampled_from(WORDS)
)
documents = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(KEYS) | st.text(max_size=2), inner)
    ),
    max_leaves=12,
)
messages = st.fixed_dictionaries(
    {
        "type": st.sampled_from(["user", "assistant", "response_item"]) | documents,
        "message": st.fixed_dictionaries({"content": documents | st.lists(documents)}) | documents,
    },
    optional={
        "timestamp": st.just(WHEN) | documents,
        "payload": documents,
        "toolUseResult": documents,
        "user": documents,
    },
)


@given(made=st.lists(messages | documents, max_size=4))
def test_whatever_types_the_fields_have_the_other_lines_are_read(
    made: list[Any], tmp_path_factory: pytest.TempPathFactory
) -> None:
    around = [json.loads(GOOD), *made, json.loads(plain(user="The last"))]
    data = "\n".join(map(json.dumps, around)).encode()

    turns = read(tmp_path_factory.mktemp("any"), data)

    assert [prompts(turns)[0], prompts(turns)[-1]] == ["A prompt", "The last"]
