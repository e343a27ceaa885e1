"""The output of a set-up: changes of files as a diff."""

from hardwon.adapters.agents.targets import WholeTarget
from hardwon.domain.use_cases.setup import SetupStep
from hardwon.entrypoints.cli.setup_output import diff


def step(before: str | None, after: str | None) -> SetupStep:
    return SetupStep(WholeTarget(path="/x", root="/", text=""), before, after, None)


def test_a_change_is_shown_by_one_word_and_the_lines_around_it() -> None:
    change = step("1\n2\n3\n4\n", "1\n2\nnew\n3\n4\n")

    assert change.verb == "change"
    assert diff(change).splitlines() == ["@@ -2,2 +2,3 @@", " 2", "+new", " 3"]
    assert (step(None, "a").verb, step("a", None).verb) == ("create", "remove")


def test_secrets_beside_the_change_are_not_shown() -> None:
    key = "sk-" + "ant-api03-" + "Ab1" * 20
    change = step(f'"KEY": "{key}"\n', f'"KEY": "{key}"\nnew\n')

    assert key not in diff(change)
    assert "+new" in diff(change)


def test_a_long_file_is_shown_truncated_or_whole() -> None:
    change = step(None, "line\n" * 50 + "l" * 500)
    lines = diff(change, whole=False).splitlines()

    assert (len(lines), lines[-1]) == (13, "… and 40 more lines")
    assert diff(change).splitlines() == ["@@ -0,0 +1,51 @@", *["+line"] * 50, "+" + "l" * 500]
    assert diff(step(None, "l" * 500), whole=False).splitlines()[1] == "+" + "l" * 199 + "…"
