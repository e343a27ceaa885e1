import json
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.adapters.config.jsonc import read_jsonc
from tests.adapters.config.project import resolve, write


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{}", {}),
        ('{"a": 1, // one\n "b": [1, 2,], /* two,\n } */ }', {"a": 1, "b": [1, 2]}),
        ('{"a": [1, // one\n], }', {"a": [1]}),
        ('{"a": "// no /* comment */ ,}"}', {"a": "// no /* comment */ ,}"}),
        (r'{"a": "\" // \\"}', {"a": r'" // ' + "\\"}),
    ],
)
def test_comments_and_trailing_commas_are_dropped(text: str, expected: dict[str, Any]) -> None:
    assert read_jsonc(text) == expected


@pytest.mark.parametrize("text", ["", "{", "[]", "1", '{"a": 1,,}', "/* {}", '{"a', "[" * 100_000])
def test_anything_else_is_an_error(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        read_jsonc(text)


@pytest.mark.parametrize("piece", ["/*", "/* ", '"', '\\"', "\\", ",", ", ", "/", "//", "[", '"\\'])
def test_a_hostile_file_is_not_slow(piece: str) -> None:
    start = time.process_time()

    with pytest.raises(ValueError, match=r"."):
        read_jsonc(piece * (2**20 // len(piece)) + "\\")
    assert time.process_time() - start < 5


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists))
def test_plain_json_is_read_as_it_is(value: object) -> None:
    assert read_jsonc(json.dumps({"a": value}, ensure_ascii=False)) == {"a": value}


@pytest.mark.parametrize(
    ("document", "field", "value"),
    [
        ({"memory": {"decay": {"enabled": False}}}, "decay_enabled", False),
        ({"memory.decay.enabled": False}, "decay_enabled", False),
        ({"memory": {"decay.enabled": False}}, "decay_enabled", False),
        ({"memory": {"decay": {"minFloor": 0.25}}}, "decay_floor", 0.25),
        ({"memory": {"decay": {"mode": "rates"}}}, "decay_mode", "rates"),
        (
            {"memory": {"decay": {"exemptTiers": ["critical", "important"]}}},
            "decay_exempt_tiers",
            ("critical", "important"),
        ),
        ({"memory": {"decay": {"exemptTiers": []}}}, "decay_exempt_tiers", ()),
        ({"memory": {"decay": True}}, "decay_enabled", True),
        ({"semantic": {"model": "openai", "dimensions": 768}}, "embedding_dimensions", 0),
        ({"semantic": {"model": "local", "dimensions": 768}}, "embedding_dimensions", 0),
        (
            {"triggers": {"phrases": ["keep that", "now, keep"]}},
            "trigger_phrases",
            ("keep that", "now  keep"),
        ),
        ({"triggers.phrases": ["keep that"]}, "trigger_phrases", ("keep that",)),
        ({"triggers": {"phrases": [1]}}, "trigger_phrases", ("save context", "document this")),
        ({"memory.decay.enabled": False, "memory_decay_enabled": True}, "decay_enabled", True),
    ],
)
def test_the_older_names_set_decay_and_phrases(
    tmp_path: Path, document: dict[str, Any], field: str, value: object
) -> None:
    write(tmp_path, config=json.dumps(document))

    assert getattr(resolve(tmp_path).settings, field) == value


@pytest.mark.parametrize(
    ("document", "provider"),
    [
        ({"semantic": {"enabled": False}}, "off"),
        ({"semantic": {"enabled": False, "model": "openai"}}, "off"),
        ({"semantic": {"enabled": True, "model": "local"}}, "local"),
        ({"semantic": {"model": "openai"}}, "auto"),
        ({"semantic.enabled": False}, "off"),
        ({"semantic.model": "local"}, "local"),
        ({"semantic": {"model": "nomic-embed-text"}}, "auto"),
        ({"semantic": {"model": ["local"]}}, "auto"),
        ({"semantic": {"enabled": True}}, "auto"),
        ({"semantic": "off"}, "auto"),
        ({"semantic": {"enabled": False}, "memory_embedding_provider": "local"}, "local"),
    ],
)
def test_the_older_names_choose_a_provider(
    tmp_path: Path, document: dict[str, Any], provider: str
) -> None:
    write(tmp_path, config=json.dumps(document))
    assert resolve(tmp_path).settings.embedding_provider == provider

    (tmp_path / "config.jsonc").rename(tmp_path / ".tlc.json")
    older = "memory_embedding_provider" not in document
    assert resolve(tmp_path).settings.embedding_provider == ("auto" if older else provider)


def test_a_provider_by_its_older_name_is_the_users_to_choose(tmp_path: Path) -> None:
    write(tmp_path, config=json.dumps({"semantic": {"model": "openai", "dimensions": 768}}))
    found = resolve(tmp_path, named=lambda _: "openai")

    assert (found.settings.embedding_provider, found.settings.embedding_dimensions) == ("openai", 0)
    assert [line.partition(" ")[0] for line in found.warnings] == ["memory_embedding_dimensions"]
