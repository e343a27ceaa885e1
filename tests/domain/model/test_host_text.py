import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hardwon.domain.model.host_text import without_host_text

HOSTS = [
    "<task-notification>\n<task-id>b1</task-id>\n<status>completed</status>\n</task-notification>",
    "<task-notification>done</task-notification>\nRead the output file to retrieve the result: /var/b1.output",
    "<bash-input>ls -l</bash-input>",
    "<bash-stdout>a.py</bash-stdout><bash-stderr></bash-stderr>",
    "<bash-stderr>No such file</bash-stderr>",
    "<local-command-stdout>Set model</local-command-stdout>",
    "<local-command-caveat>Caveat: the messages below</local-command-caveat>",
    "<command-name>/clear</command-name>\n<command-message>clear</command-message>\n<command-args></command-args>",
    "<system-reminder>\nAs you answer\n</system-reminder>",
    "<user-prompt-submit-hook>more</user-prompt-submit-hook>",
    "<session-start-hook>more</session-start-hook>",
    "<ide_opened_file>The user opened /a.py</ide_opened_file>",
    '<ide_selection path="/a.py">x = 1</ide_selection>',
    "<environment_context>\n<cwd>/a</cwd>\n</environment_context>",
    "<turn_aborted>The user interrupted</turn_aborted>",
    '<hardwon-memory note="x">A lesson</hardwon-memory>',
    '<teammate-message teammate_id="t1" summary="done > all">Report</teammate-message>',
    '<cross-session-message from="s1">Are you there?</cross-session-message>',
    'Another Claude session sent a message:\n<agent-message from="a1">\n[Subagent hand-back] The report.\n\nAll done.\n</agent-message>\n\nThis came from another Claude session: it was not typed by your user.',
    "[SYSTEM NOTIFICATION - NOT USER INPUT]\nThis is an automated event.\n<task-notification>done\n\nall</task-notification>",
    "<user_shell_command>ls</user_shell_command>",
    "<subagent_notification>done</subagent_notification>",
]


@pytest.mark.parametrize("passage", HOSTS)
def test_a_passage_of_the_host_is_cut_and_the_users_words_around_it_stay(passage: str) -> None:
    assert without_host_text(passage).strip() == ""
    assert without_host_text(f"{passage}\nFix the parser.").strip() == "Fix the parser."
    kept = without_host_text(f"Fix the parser.\n\n{passage}\n\nThen test it.")
    assert kept.split() == ["Fix", "the", "parser.", "Then", "test", "it."]


def test_a_notice_in_words_ends_at_a_blank_line() -> None:
    notice = "[SYSTEM NOTIFICATION - NOT USER INPUT]\nThis is an automated event.\nNobody typed it."

    assert without_host_text(notice) == ""
    assert without_host_text(f"{notice}\n\nFix the parser.").strip() == "Fix the parser."


@pytest.mark.parametrize(
    "text",
    [
        "Where does <bash-input> come from?",
        "<task-notification> is a tag of the host, isn't it?",
        "Cut `<bash-stdout>x</bash-stdout>` in the middle of a line?",
        "</bash-input> alone",
        "<bash-output>of another program</bash-output>",
        "List<User> and a < b",
        "<command-line>gcc</command-line>",
        "Another Claude session sent a message: what does that mean?",
        "What is [SYSTEM NOTIFICATION - NOT USER INPUT]?",
    ],
)
def test_a_text_about_a_tag_stays(text: str) -> None:
    assert without_host_text(text) == text


pieces = st.sampled_from(
    [
        *HOSTS,
        "<bash-input>",
        "</bash-input>",
        "<ide_a>",
        "</ide_a>",
        "\n",
        " ",
        "word",
        "<",
        ">",
        "<system-reminder>",
    ]
)


@given(text=st.lists(pieces, max_size=8).map("".join))
@example(text="<bash-input></bash-input>")
def test_no_words_are_added_and_a_text_without_tags_stays(text: str) -> None:
    left = without_host_text(text)

    assert left.count("word") <= text.count("word")
    assert len(left) <= len(text)


@pytest.mark.large
@pytest.mark.parametrize(
    "text",
    [
        "<bash-input>\n" * 50_000,
        "<bash-input>" * 50_000,
        " " * 500_000 + "<x",
        "<ide_a>\n</ide_b>" * 30_000,
    ],
)
def test_a_hostile_text_stays(text: str) -> None:
    assert without_host_text(text) == text
