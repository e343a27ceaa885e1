from hardwon.domain.model.formats.config_edit import FileChange


def test_a_change_is_told_in_one_word_and_by_the_lines_around_it() -> None:
    change = FileChange("/x", "1\n2\n3\n4\n", "1\n2\nnew\n3\n4\n")

    assert change.verb == "change"
    assert change.diff().splitlines() == ["@@ -2,2 +2,3 @@", " 2", "+new", " 3"]
    assert (FileChange("/x", None, "a").verb, FileChange("/x", "a", None).verb) == ("create", "remove")


def test_secrets_beside_the_change_are_not_shown() -> None:
    key = "sk-" + "ant-api03-" + "Ab1" * 20
    change = FileChange("/x", f'"KEY": "{key}"\n', f'"KEY": "{key}"\nnew\n')

    assert key not in change.diff()
    assert "+new" in change.diff()


def test_a_long_file_is_told_by_its_beginning_or_whole() -> None:
    change = FileChange("/x", None, "line\n" * 50 + "l" * 500)
    lines = change.diff(whole=False).splitlines()

    assert (len(lines), lines[-1]) == (13, "… and 40 more lines")
    assert change.diff().splitlines() == ["@@ -0,0 +1,51 @@", *["+line"] * 50, "+" + "l" * 500]
    assert FileChange("/x", None, "l" * 500).diff(whole=False).splitlines()[1] == "+" + "l" * 199 + "…"
