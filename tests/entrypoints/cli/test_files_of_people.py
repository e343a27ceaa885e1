"""Files as people have them, at the commands that read them."""

import pytest

from tests.entrypoints.hook_process import World
from tests.entrypoints.programs import hardwon

TEXT = "Die Prüfsumme der Bürgerbüros kommt ohne Vorzeichen."
ENCODINGS = {
    "cp1252": (
        TEXT.encode("cp1252"),
        "it is read as Windows-1252, as it is not UTF-8: save it as UTF-8",
    ),
    "utf-16": (TEXT.encode("utf-16"), "it is read as UTF-16: save it as UTF-8"),
    "stray": (
        TEXT.encode().replace(b"Vorz", b"Vorz\xe4h"),
        "one byte of it, no UTF-8, read as Windows-1252: save it as UTF-8",
    ),
}
every_encoding = pytest.mark.parametrize(("data", "note"), ENCODINGS.values(), ids=ENCODINGS)


@every_encoding
def test_a_memory_file_in_another_encoding_is_read_with_one_line(
    world_by_word: World, data: bytes, note: str
) -> None:
    folder = world_by_word.project / "memory" / "gotchas"
    folder.mkdir(parents=True)
    (folder / "a.md").write_bytes(data)
    indexed = hardwon(world_by_word, "index")
    [(text,)] = world_by_word.query("SELECT description FROM entry_text")

    assert indexed.stderr.count(note) == 1
    assert "a.md" in indexed.stderr
    assert "Prüfsumme der Bürgerbüros" in text


@every_encoding
def test_a_bank_in_another_encoding_is_read_with_one_line(
    world_by_word: World, data: bytes, note: str
) -> None:
    folder = world_by_word.project / "docs" / "knowledge-bank"
    folder.mkdir(parents=True)
    head = "### Sums\n".encode("utf-16" if note.startswith("it is read as UTF-16") else "ascii")
    (folder / "patterns.md").write_bytes(head + data.removeprefix(b"\xff\xfe"))
    imported = hardwon(world_by_word, "import")
    [(text,)] = world_by_word.query("SELECT description FROM entry_text")

    assert imported.stderr.count(note) == 1
    assert "patterns.md" in imported.stderr
    assert "Prüfsumme der Bürgerbüros" in text


def test_a_file_in_no_known_encoding_is_named_and_not_read(world_by_word: World) -> None:
    folder = world_by_word.project / "memory"
    folder.mkdir()
    (folder / "a.md").write_bytes("проверка кириллицы".encode("cp1251"))
    (folder / "b.md").write_text(TEXT, encoding="utf-8")
    indexed = hardwon(world_by_word, "index")

    assert indexed.stderr.count("a.md': its text is in no known encoding: save it as UTF-8") == 1
    assert world_by_word.query("SELECT description FROM entry_text") == [(TEXT,)]


def test_all_of_a_letterhead_and_unreadable_lines_of_a_head_are_found(world_by_word: World) -> None:
    folder = world_by_word.project / "memory" / "decisions"
    folder.mkdir(parents=True)
    (folder / "letter.md").write_text("---\nOkapi Ltd.\nTel: 555\n---\nDear Ann")
    (folder / "odd.md").write_text(
        "\n---\ntitle: Odd\ndescription: >\n  A quagga\n  line\nzebra here\n---\nA body"
    )
    assert hardwon(world_by_word, "index").code == 0

    for word, file in (
        ("okapi", "letter.md"),
        ("quagga", "odd.md"),
        ("zebra", "odd.md"),
        ("body", "odd.md"),
    ):
        assert file in hardwon(world_by_word, "recall", word).stdout
