import attrs
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hardwon.domain.model.entry import redact_entry
from hardwon.domain.model.errors import InvalidEntryError
from hardwon.domain.model.identity import content_hash
from hardwon.domain.model.redaction import REDACTED, redact
from tests.strategies import lesson

# Put together here, so that no scanner mistakes this file for a leak.
SECRETS = {
    "AWS key id": "AKIA" + "IOSFODNN7EXAMPLE",
    "temporary AWS key id": "ASIA" + "IOSFODNN7EXAMPLE",
    "GitHub token": "ghp_" + "a1B2" * 9,
    "GitHub app token": "ghs_" + "a1B2" * 9,
    "fine-grained GitHub token": "github_pat_" + "11ABCDEFG0_" + "x1" * 20,
    "GitLab token": "glpat-" + "x1Y2z3W4v5-_" * 2,
    "OpenAI key": "sk-proj-" + "x1Y2z3W4" * 4,
    "Anthropic key": "sk-ant-api03-" + "x1Y2z3W4" * 4,
    "Stripe key": "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc",
    "Google key": "AIza" + "x1Y2z3W" * 5,
    "Slack token": "xoxb-" + "123456789012-abcdefABCDEF",
    "npm token": "npm_" + "a1B2" * 9,
    "PyPI token": "pypi-" + "AgEIcHlwaS5vcmc" * 4,
    "Hugging Face token": "hf_" + "aBcDeFgHiJ" * 4,
    "JSON web token": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N_XgL0",
    "private key": "-----BEGIN RSA PRIVATE KEY-----\n"
    + "MIIEow\n" * 3
    + "-----END RSA PRIVATE KEY-----",
    "private key without its end": "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkq",
}

VALUES = {
    "bearer": ("Authorization: Bearer ", "abcDEF123.456~789-+/xyz=="),
    "password in a URL": ("postgres://admin:", "hunter2"),
    "password": ("password: ", "correct-horse9"),
    "quoted password": ('"password": "', "correct-horse9"),
    "passwd": ("passwd=", "Tr0ub4dor&3"),
    "secret": ("secret = ", "s3cr3t-value"),
    "key": ("api_key=", "0123456789abcdef0123"),
    "access key": ("access-key: ", "0123456789abcdef0123"),
    "token": ("token: ", "0123456789abcdefABCD"),
    "password of the environment": ("DB_PASSWORD=", "correct-horse9"),
    "key of the environment": ("export OPENAI_API_KEY=", "0123456789abcdef0123"),
    "AWS secret": ("aws_secret_access_key = ", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
}

ORDINARY = [
    "",
    "Never log the password or the token; rotate the api key instead.",
    "password: see the vault",
    "The token: a word. The secret: patience.",
    "token budget: 4 characters per token",
    "secret=os.environ['SECRET']",
    "password = getpass.getpass('Password 2: ')",
    "token = tokens[3]",
    "Bearer tokens expire after 15 minutes.",
    "https://example.org:8080/path?x=1",
    "git clone ssh://git@example.org/repo.git",
    "task-runner and disk-usage and risk-free-but-long-hyphenated-words",
    "sk-learn",
    "commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
    "2026-03-01T12:30:00Z took 1234567890123456789012 ns",
    "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
    "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----",
    "a private matter, </private> closed but never opened",
    "privately < private",
]


@pytest.mark.parametrize("secret", SECRETS.values(), ids=SECRETS)
def test_every_kind_of_secret_goes_and_the_words_around_it_stay(secret: str) -> None:
    assert redact(secret) == REDACTED
    if "PRIVATE KEY" not in secret or "END" in secret:
        assert redact(f"Before {secret}\nafter") == f"Before {REDACTED}\nafter"


@pytest.mark.parametrize(("lead", "value"), VALUES.values(), ids=VALUES)
def test_a_value_given_to_a_secret_name_goes_and_the_name_stays(lead: str, value: str) -> None:
    rest = "@db.example.org/main" if "//" in lead else " and more"

    assert redact(f"use {lead}{value}{rest}") == f"use {lead}{REDACTED}{rest}"


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_text_about_tokens_and_passwords_is_untouched(text: str) -> None:
    assert redact(text) == text


@pytest.mark.parametrize(
    ("text", "public"),
    [
        ("a <private>b</private> c", "a  c"),
        ("a <PRIVATE>b\nb</Private> c", "a  c"),
        ("a <private>b", "a "),
        ("<private>a</private>b<private>c</private>", "b"),
        ("<pri<private>x</private>vate>a</private>b", "b"),
        ("a <private></private><private>b</private>", "a "),
        ("a <private>b <private>c</private> d</private> e", "a  e"),
    ],
)
def test_private_passages_are_cut_out(text: str, public: str) -> None:
    assert redact(text) == public


FRAGMENTS = [
    *SECRETS.values(),
    *(lead + value for lead, value in VALUES.values()),
    *(lead for lead, _ in VALUES.values()),
    *ORDINARY,
    "<private>",
    "</private>",
    "<pri",
    "vate>",
    "@host",
    "'",
    '"',
    " ",
    "\n",
    "1",
    "sk-",
    REDACTED,
]
texts_with_secrets = st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=6), max_size=8).map(
    "".join
)


@given(text=texts_with_secrets | st.text())
@example("password=secret=abc12345")
@example("token: password: abcdefgh1")
@example(SECRETS["Google key"] + SECRETS["AWS key id"])
def test_redacting_twice_changes_nothing_more(text: str) -> None:
    once = redact(text)

    assert redact(once) == once


@given(words=st.lists(st.sampled_from(FRAGMENTS)), secret=st.sampled_from(list(SECRETS.values())))
def test_no_secret_of_a_known_format_is_left(words: list[str], secret: str) -> None:
    assert secret not in redact(" ".join([*words, secret, *words]))


@given(inside=st.text(), before=st.text(), after=st.text())
def test_private_passages_are_ignored(inside: str, before: str, after: str) -> None:
    closed = inside.replace("<", "").replace(">", "")

    assert redact(f"{before} <private>{closed}</private> {after}") == redact(
        f"{before} <private></private> {after}"
    )


@pytest.mark.large
@pytest.mark.parametrize(
    "text",
    [
        "<private>" * 100_000,
        "-----BEGIN PRIVATE KEY-----" * 20_000,
        "word" * 50_000,
        "a." * 50_000,
        "eyJaaaaaaaa-" * 5_000,
        "password:" * 5_000,
    ],
)
def test_long_texts_of_one_pattern_take_no_quadratic_time(text: str) -> None:
    redacted = redact(text)

    assert redact(redacted) == redacted


def test_tags_that_cuts_join_again_and_again_are_all_cut() -> None:
    text = "<private></private>"
    for _ in range(100):
        text = f"<pri{text}vate></private>"

    assert redact(f"a {text} b") == "a  b"


def test_of_a_text_made_to_be_cut_without_end_nothing_is_kept() -> None:
    levels = 1_000

    assert redact("a " + "<pri" * levels + "<private></private>" + "vate></private>" * levels) == ""


def test_every_text_of_an_entry_is_redacted_and_the_id_follows() -> None:
    key = SECRETS["Google key"]
    entry = lesson(f"The key {key} leaked.", name=f"Leak of {key}")
    entry = type(entry)(
        name=entry.name,
        description=entry.description,
        reasoning=f"found {key}",
        notes=f"- seen: {key}",
        category=entry.category,
        keywords=(key, "leak"),
        references=(f"src/{key}.py",),
        created_at=entry.created_at,
        updated_at=entry.updated_at,
    )

    clean = redact_entry(entry)

    assert key not in repr(clean)
    assert clean.description == f"The key {REDACTED} leaked."
    assert clean.entry_id == content_hash(f"The key {REDACTED} leaked.")
    assert redact_entry(clean) == clean


def test_an_entry_of_which_nothing_public_is_left_is_refused() -> None:
    with pytest.raises(InvalidEntryError, match="description is blank"):
        redact_entry(lesson("<private>all of it</private>"))


def test_the_names_of_places_are_redacted_too() -> None:
    def clean(name: str | None) -> set[str | None]:
        entry = redact_entry(
            attrs.evolve(lesson("A lesson."), source_project=name, workspace=name, branch=name)
        )
        return {entry.source_project, entry.workspace, entry.branch}

    assert clean(f"x {SECRETS['GitLab token']}") == {"x [REDACTED]"}
    assert clean("<private>x</private>") == {None}
    assert clean(None) == {None}
