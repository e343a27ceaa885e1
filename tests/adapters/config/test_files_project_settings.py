"""Settings that a project may set, and those that only the user may."""

import json
import time
from pathlib import Path

import pytest

from hardwon.adapters.config.reader import older_index_path, read_settings
from hardwon.adapters.config.table import flag, variables
from hardwon.domain.model.settings import NETWORK_EMBEDDERS
from tests.adapters.config.project import DEFAULTS, resolve, write

ADDRESSES = [
    "../../x",
    "http://evil.example/x",
    "//evil.example/x",
    "a/../b",
    "x?y=1",
    "x#y",
    "a%2e%2e",
    "x" * 10_000,
    "a b",
]
WIDE = 10**9


NETWORK = sorted(NETWORK_EMBEDDERS)
FILES = ["local_md", "tlc", "config"]


def say(root: Path, file: str, **settings: object) -> None:
    """Write *settings* into that *file* of the project."""
    values = {f"memory_{field}": value for field, value in settings.items()}
    lines = "".join(f"{key}: {value}\n" for key, value in values.items())
    write(root, **{file: lines if file == "local_md" else json.dumps(values)})


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("provider", NETWORK)
def test_a_project_chooses_no_provider_on_the_network(
    tmp_path: Path, file: str, provider: str
) -> None:
    say(tmp_path, file, embedding_provider=provider)
    found = resolve(tmp_path, {"OPENAI_API_KEY": "k", "GEMINI_API_KEY": "k"})

    assert found.settings == DEFAULTS
    [line] = found.warnings
    name = {"local_md": ".claude/iflow-dev.local.md", "tlc": ".tlc.json", "config": "config.jsonc"}[
        file
    ]
    assert line == (
        f"memory_embedding_provider in {name} is ignored: only --embedding-provider and HARDWON_EMBEDDING_PROVIDER"
        f" may name {provider!r}, or run: hardwon embed --provider {provider}"
        "; a project that you trust may choose it: hardwon trust"
    )


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("provider", NETWORK)
def test_a_project_may_choose_the_provider_that_its_user_named(
    tmp_path: Path, file: str, provider: str
) -> None:
    say(tmp_path, file, embedding_provider=provider)
    asked = list[str]()

    def named(store: str) -> str:
        asked.append(store)
        return provider

    found = resolve(tmp_path, {"HARDWON_STORE": "~/mine"}, named=named)

    assert (found.settings.embedding_provider, found.warnings) == (provider, ())
    assert asked == ["/home/u/mine"]
    assert resolve(tmp_path, named=lambda _: "other").settings.embedding_provider == "auto"


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("provider", ["auto", "local", "off"])
def test_a_project_may_keep_its_texts_here(tmp_path: Path, file: str, provider: str) -> None:
    say(tmp_path, file, embedding_provider=provider)

    def never(_: str) -> None:
        raise AssertionError("the store is opened for a provider on the network only")

    found = resolve(tmp_path, named=never)

    assert (found.settings.embedding_provider, found.warnings) == (provider, ())


def test_values_that_the_user_names_too_need_no_line(tmp_path: Path) -> None:
    write(
        tmp_path, tlc='{"memory_embedding_provider": "openai", "memory_embedding_model": "theirs"}'
    )
    named = {"HARDWON_EMBEDDING_PROVIDER": "voyage", "HARDWON_EMBEDDING_MODEL": "mine"}
    found = resolve(tmp_path, named)

    assert (found.settings.embedding_provider, found.settings.embedding_model) == ("voyage", "mine")
    assert found.warnings == ()


def test_a_refused_value_leaves_the_word_to_the_next_file(tmp_path: Path) -> None:
    say(tmp_path, "local_md", embedding_provider="openai")
    say(tmp_path, "tlc", embedding_provider="local")
    found = resolve(tmp_path)

    assert (found.settings.embedding_provider, found.origins["embedding_provider"]) == (
        "local",
        ".tlc.json",
    )
    assert len(found.warnings) == 1


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("embedding_model", "text-embedding-3-large"),
        ("embedding_dimensions", 256),
        ("keyword_provider", "haiku"),
        ("keyword_provider", "ollama"),
        ("keyword_model", "of-theirs"),
        ("workspace", "of-theirs"),
        ("global_store", "/elsewhere"),
        ("document_roots", "/etc"),
    ],
)
def test_a_project_names_no_model_no_labeler_no_workspace_and_no_folder(
    tmp_path: Path, file: str, field: str, value: object
) -> None:
    say(tmp_path, file, **{field: value})
    found = resolve(tmp_path, {"HARDWON_EMBEDDING_PROVIDER": "openai"}, named=lambda _: "openai")

    assert found.settings == DEFAULTS._replace(embedding_provider="openai")
    [line] = found.warnings
    assert line.startswith(f"memory_{field} in ")
    assert f"only {flag(field)} and {variables(field)[0]} may " in line


@pytest.mark.parametrize("labeler", ["auto", "claude", "off"])
def test_a_project_may_do_without_a_labeler(tmp_path: Path, labeler: str) -> None:
    write(tmp_path, tlc=json.dumps({"memory_keyword_provider": labeler}))
    found = resolve(tmp_path)

    assert (found.settings.keyword_provider, found.warnings) == (labeler, ())


def test_files_in_the_users_home_are_the_users_own(tmp_path: Path) -> None:
    write(tmp_path, tlc='{"memory_embedding_provider": "openai", "memory_embedding_model": "mine"}')
    found = resolve(tmp_path, {"HOME": str(tmp_path)})

    assert (found.settings.embedding_provider, found.settings.embedding_model) == ("openai", "mine")
    assert found.warnings == ()


@pytest.mark.parametrize("field", ["embedding_model", "keyword_model"])
@pytest.mark.parametrize("text", [*ADDRESSES, "evil.example/owner/model"])
def test_a_model_is_no_address_and_no_path(tmp_path: Path, field: str, text: str) -> None:
    write(tmp_path, tlc=json.dumps({f"memory_{field}": text}))
    found = resolve(tmp_path)

    assert found.settings == DEFAULTS
    assert len(found.warnings) == 1


@pytest.mark.parametrize("text", ADDRESSES)
def test_the_user_names_no_address_for_a_model_either(tmp_path: Path, text: str) -> None:
    assert resolve(tmp_path, {"HARDWON_EMBEDDING_MODEL": text}).settings == DEFAULTS


def test_only_the_user_says_where_a_model_comes_from(tmp_path: Path) -> None:
    name = "hf.example/owner/model:Q4"

    assert resolve(tmp_path, {"HARDWON_EMBEDDING_MODEL": name}).settings.embedding_model == name


def test_a_project_asks_for_a_thousand_entries_at_most(tmp_path: Path) -> None:
    write(tmp_path, local_md=f"memory_injection_limit: {WIDE}\n")
    found = resolve(tmp_path)

    assert (found.settings.injection_limit, len(found.warnings)) == (1_000, 1)
    assert resolve(tmp_path, flags={"--limit": str(WIDE)}).settings.injection_limit == WIDE


@pytest.mark.parametrize("file", ["local_md", "tlc", "config"])
def test_the_store_the_roots_and_all_addresses_are_the_users(tmp_path: Path, file: str) -> None:
    wanted = {
        "memory_global_store": "/elsewhere",
        "memory_document_roots": "/etc",
        "memory_base_url": "http://evil.example",
        "memory_ollama_host": "http://evil.example",
        "OLLAMA_HOST": "http://evil.example",
        "GOOGLE_GEMINI_BASE_URL": "http://evil.example",
        "GEMINI_API_KEY": "of-theirs",
        "HARDWON_STORE": "/elsewhere",
    }
    text = (
        "".join(f"{key}: {value}\n" for key, value in wanted.items())
        if file == "local_md"
        else json.dumps(wanted)
    )
    write(tmp_path, **{file: text})
    found = resolve(tmp_path)

    assert found.settings == DEFAULTS
    assert [line.partition(" ")[0] for line in found.warnings] == [
        "memory_global_store",
        "memory_document_roots",
    ]


def test_a_link_to_a_file_of_the_users_shows_nothing_of_it(tmp_path: Path) -> None:
    secret = tmp_path / "id_rsa"
    secret.write_text("-----BEGIN KEY-----\nc2VjcmV0: of the user\n", "utf-8")
    root = tmp_path / "project"
    (root / ".claude").mkdir(parents=True)
    for name in (".claude/iflow-dev.local.md", ".tlc.json", "config.jsonc"):
        (root / name).symlink_to(secret)
    found = resolve(root)

    assert found.settings == DEFAULTS
    assert not any("c2VjcmV0" in line or "of the user" in line for line in found.warnings)


@pytest.mark.parametrize(
    "text", ["{" * 100_000, "/*" * 100_000, '"' + "\\" * 200_000, "," * 200_000, "memory_" * 50_000]
)
def test_texts_made_to_take_long_are_read_in_time(tmp_path: Path, text: str) -> None:
    before = time.process_time()
    write(tmp_path, local_md=text, tlc=text, config=text)

    assert resolve(tmp_path).settings == DEFAULTS
    assert time.process_time() - before < 20  # what is not linear takes hours


def test_an_older_index_outside_the_project_is_none(tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    (tmp_path / "index.db").touch()
    (root / "link.db").symlink_to(tmp_path / "index.db")
    for path in ("../index.db", str(tmp_path / "index.db"), "link.db", "a\0b", "../nothing.db"):
        lines = list[str]()
        write(root, config=json.dumps({"semantic": {"indexPath": path}}))

        assert older_index_path(str(root), lines.append) is None
        assert [line.count("leads out of the project") for line in lines] == [1] * path.endswith(
            ("index.db", "link.db")
        )


@pytest.mark.parametrize(
    ("file", "text"),
    [
        (
            ".claude/iflow-dev.local.md",
            "---\nmemory_capture_enable: false\nmemory_poem: x\ncapture: y\n---\n",
        ),
        (".tlc.json", '{"memory_semantic_enabled": true, "memory_capture_enable": false}'),
        ("config.jsonc", '{\n  "memory_capture_enable": false // off\n}'),
    ],
)
def test_a_misspelt_setting_is_reported_with_the_nearest_name(
    tmp_path: Path, file: str, text: str
) -> None:
    (tmp_path / ".claude").mkdir()
    (tmp_path / file).write_text(text)

    warnings = read_settings(str(tmp_path), {}, {}).warnings

    assert warnings == (
        f"memory_capture_enable in {file} is no setting: did you mean memory_capture_enabled?",
    )
