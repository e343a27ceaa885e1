import json
import os
from pathlib import Path

import pytest

from hardwon.adapters.config.reader import read_settings
from hardwon.adapters.config.table import TABLE, flag, key, variables
from hardwon.domain.model.settings import ResolvedSettings, Settings
from tests.adapters.config.project import DEFAULTS, HOME, LOCAL_MD, resolve, write


def test_the_table_names_every_setting() -> None:
    assert {*TABLE, "server"} == set(Settings._fields)  # a server is named in place of the folder


def test_nothing_set_gives_the_defaults(tmp_path: Path) -> None:
    assert resolve(tmp_path) == ResolvedSettings(
        DEFAULTS, dict.fromkeys(Settings._fields, "default"), ()
    )


@pytest.mark.parametrize(
    ("field", "text", "value", "warned"),
    [
        ("injection_enabled", "true", True, False),
        ("injection_enabled", "false", False, False),
        ("injection_enabled", "yes", False, True),
        ("injection_enabled", "True", False, True),
        ("injection_enabled", "1", False, True),
        ("semantic_enabled", "true", True, False),
        ("semantic_enabled", "TRUE", False, True),
        ("keyword_search", "false", False, False),
        ("keyword_search", "no", True, True),
        ("injection_limit", "5", 5, False),
        ("injection_limit", "0", 0, False),
        ("injection_limit", "-3", -3, False),
        ("injection_limit", "abc", 20, True),
        ("injection_limit", "20.5", 20, True),
        ("injection_limit", "+5", 20, True),
        ("injection_limit", "٣", 20, True),
        ("injection_limit", "9" * 5000, 20, True),
        ("embedding_provider", "ollama", "ollama", False),
        ("embedding_provider", "off", "off", False),
        ("embedding_provider", "Gemini", "auto", True),
        ("embedding_provider", "evil.example", "auto", True),
        ("keyword_provider", "haiku", "haiku", False),
        ("keyword_provider", "gemini", "auto", True),
        ("embedding_model", "all-minilm", "all-minilm", False),
        ("embedding_model", "123", "123", False),
        ("decay_enabled", "false", False, False),
        ("decay_enabled", "off", True, True),
        ("decay_mode", "rates", "rates", False),
        ("decay_mode", "linear", "half-life", True),
        ("decay_floor", "0", 0.0, False),
        ("decay_floor", "0.5", 0.5, False),
        ("decay_floor", "1.5", 0.1, True),
        ("decay_floor", "low", 0.1, True),
        ("decay_exempt_tiers", "critical,important", ("critical", "important"), False),
        ("decay_exempt_tiers", "none", (), False),
        ("decay_exempt_tiers", "vital", ("constitutional", "critical"), True),
        ("trigger_phrases", "save-it,keep-it", ("save-it", "keep-it"), False),
        ("default_tier", "critical", "critical", False),
        ("default_tier", "vital", "normal", True),
        ("default_context_type", "research", "research", False),
        ("default_context_type", "prose", "general", True),
    ],
)
@pytest.mark.parametrize("source", ["flag", "environment", "local_md", "tlc", "config"])
def test_a_value_reads_the_same_in_every_source(
    tmp_path: Path, source: str, field: str, *, text: str, value: object, warned: bool
) -> None:
    environ, flags = {}, {}
    reserved = TABLE[field].reserved
    if source not in {"flag", "environment"} and reserved and reserved(text):
        pytest.skip("only its user may say that")
    match source:
        case "flag":
            flags[flag(field)] = text
        case "environment":
            environ[variables(field)[0]] = text
        case "local_md":
            write(tmp_path, local_md=f"{key(field)}: {text}\n")
        case _:
            write(tmp_path, **{source: json.dumps({key(field): text})})
    resolved = resolve(tmp_path, environ, flags)

    assert getattr(resolved.settings, field) == value
    assert len(resolved.warnings) == warned
    refused = warned and value == getattr(DEFAULTS, field)
    assert (resolved.origins[field] == "default") == refused


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (True, True),
        (False, False),
        ("true", True),
        (1, False),
        (None, True),
        ([True], True),
        ({}, True),
    ],
)
def test_json_values_count_as_their_text(tmp_path: Path, value: object, *, expected: bool) -> None:
    write(tmp_path, tlc=json.dumps({"memory_injection_enabled": value}))

    assert resolve(tmp_path).settings.injection_enabled is expected


def test_json_numbers_are_numbers(tmp_path: Path) -> None:
    write(
        tmp_path,
        tlc='{"memory_injection_limit": 7, "memory_vector_weight": 1, '
        '"memory_keyword_weight": 0, "memory_prominence_weight": 0.0}',
    )
    found = resolve(tmp_path)

    assert found.settings[3:7] == (7, 1.0, 0.0, 0.0)
    assert found.warnings == ()


def test_the_strongest_source_wins(tmp_path: Path) -> None:
    write(
        tmp_path,
        local_md="memory_injection_limit: 3\n",
        tlc='{"memory_injection_limit": 4}',
        config='{"memory_injection_limit": 5}',
    )
    environ, flags = {"HARDWON_INJECTION_LIMIT": "2"}, {"--limit": "1"}
    seen = [resolve(tmp_path, environ, flags), resolve(tmp_path, environ), resolve(tmp_path)]
    for name in (LOCAL_MD, ".tlc.json", "config.jsonc"):
        (tmp_path / name).unlink()
        seen.append(resolve(tmp_path))

    assert [
        (reading.settings.injection_limit, reading.origins["injection_limit"]) for reading in seen
    ] == [
        (1, "--limit"),
        (2, "environment HARDWON_INJECTION_LIMIT"),
        (3, LOCAL_MD),
        (4, ".tlc.json"),
        (5, "config.jsonc"),
        (20, "default"),
    ]


@pytest.mark.parametrize("blank", ["", " ", "\t"])
def test_a_blank_value_is_absent(tmp_path: Path, blank: str) -> None:
    write(
        tmp_path, local_md=f"memory_injection_limit:{blank}\n", tlc='{"memory_injection_limit": ""}'
    )
    found = resolve(
        tmp_path, {"HARDWON_STORE": blank, "HARDWON_INJECTION_LIMIT": blank}, {"--limit": blank}
    )

    assert found.settings == DEFAULTS
    assert found.warnings == ()


def test_the_model_has_an_older_variable(tmp_path: Path) -> None:
    environ = {"TLC_EMBED_MODEL": "mxbai-embed-large"}
    newer = {**environ, "HARDWON_EMBEDDING_MODEL": "other"}

    assert resolve(tmp_path, environ).settings.embedding_model == "mxbai-embed-large"
    assert resolve(tmp_path, environ).origins["embedding_model"] == "environment TLC_EMBED_MODEL"
    assert resolve(tmp_path, newer).settings.embedding_model == "other"


@pytest.mark.parametrize(
    ("environ", "flags", "store"),
    [
        ({"HARDWON_STORE": "/s"}, {}, "/s"),
        ({"HARDWON_STORE": "~/s"}, {}, "/home/u/s"),
        ({"HARDWON_STORE": "~"}, {}, "/home/u"),
        ({"HARDWON_STORE": "/s"}, {"--global-store": "/f"}, "/f"),
        ({"HARDWON_STORE": "/with space\udcff"}, {}, "/with space\udcff"),
    ],
)
def test_the_user_sets_the_store(
    tmp_path: Path, environ: dict[str, str], flags: dict[str, str], store: str
) -> None:
    assert resolve(tmp_path, environ, flags).settings.global_store == store


def test_without_a_home_in_the_environment_the_system_knows_it(tmp_path: Path) -> None:
    found = read_settings(str(tmp_path), {}, {})

    assert found.settings.global_store == str(Path("~/.claude/iflow/memory").expanduser())


def test_a_project_never_sets_the_store(tmp_path: Path) -> None:
    write(
        tmp_path,
        local_md="memory_global_store: /evil\nmemory_store: /evil\nHARDWON_STORE: /evil\n",
        tlc='{"memory_global_store": "/evil"}',
        config='{"memory_global_store": "/evil"}',
    )
    found = resolve(tmp_path)

    assert found.settings == DEFAULTS
    assert len(found.warnings) == 3


@pytest.mark.parametrize("root", ["", "/nowhere/at all", "a\0b", "\ud800"])
def test_any_root_will_do(root: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    assert read_settings(root, HOME, {}).settings == DEFAULTS


def test_document_roots_are_absolute_folders_that_only_the_user_names(tmp_path: Path) -> None:
    given = os.pathsep.join(["/srv/docs", " ~/notes ", "", "relative"])
    resolved = resolve(tmp_path, {"HARDWON_DOCUMENT_ROOTS": given})
    assert resolved.settings.document_roots == ("/srv/docs", "/home/u/notes")
    assert [
        line.endswith("it must be absolute paths; the others are left out")
        for line in resolved.warnings
    ] == [True]

    write(tmp_path, tlc='{"memory_document_roots": "/etc"}')
    resolved = resolve(tmp_path)
    assert resolved.settings.document_roots == ()
    assert "only --document-roots and HARDWON_DOCUMENT_ROOTS may set it" in resolved.warnings[0]
