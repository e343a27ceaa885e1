import json
from pathlib import Path

from tests.transcripts import WHEN, read


def codex(role: str, *texts: str, kind: str = "message") -> bytes:
    content = [
        {"type": "input_text" if role == "user" else "output_text", "text": text} for text in texts
    ]
    payload = {"type": kind, "role": role, "content": content}
    return json.dumps(
        {"timestamp": WHEN, "ordinal": 1, "type": "response_item", "payload": payload}
    ).encode()


def test_of_a_rollout_of_codex_what_both_said_is_kept(tmp_path: Path) -> None:
    rollout = [
        b'{"timestamp":"2026-11-21T09:29:00Z","type":"session_meta","payload":{"id":"x"}}',
        codex("developer", "Lessons that memory put in"),
        codex("user", "<environment_context>\n<cwd>/home/me/proj</cwd></environment_context>"),
        codex("user", "# AGENTS.md instructions for /home/me/proj"),
        codex("user", "<user_instructions>Be brief.</user_instructions>", "Fix /home/me/proj/a.py"),
        codex("assistant", "Which line?", kind="reasoning"),
        codex("assistant", "I look."),
        b'{"timestamp":"2026-11-21T09:31:00Z","type":"event_msg","payload":{"type":"user_message","message":"Fix"}}',
        codex("assistant", "Fixed."),
    ]

    [one] = read(tmp_path, b"\n".join(rollout))

    assert (one.exchange.user, one.exchange.assistant) == ("Fix a.py", "I look.\n\nFixed.")
