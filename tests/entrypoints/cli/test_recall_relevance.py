"""`hardwon recall` tells an answer from what is merely nearest: the embedded model, a store of thirty mixed entries."""

import contextlib
import re
import unittest.mock
from collections.abc import Iterator
from pathlib import Path

import pytest

from hardwon.domain.model.vocabulary import Kind
from hardwon.entrypoints.cli.recall import NOTHING
from tests.entrypoints.hook_process import World
from tests.entrypoints.planted import memory
from tests.entrypoints.programs import hardwon, run
from tests.fakes.doors import Ran
from tests.strategies import lesson

NO_MATCH = "No relevant memories found for query"

LESSONS = (
    "Run database migrations in a transaction, or a failed one leaves half of the columns behind.",
    "Never retry a payment request without an idempotency key: the customer is charged twice.",
    "Read uploaded files as bytes and decode them strictly; errors=ignore loses the umlauts.",
    "Pin the versions of GitHub actions by commit, a moved tag broke the release.",
    "Mock the clock in tests of token expiry, real sleeps make them flaky.",
    "Keep worktrees apart: commands run in the main checkout changed the wrong branch.",
    "Validate webhook signatures before parsing the JSON body.",
    "Use connection pooling in front of Postgres, each lambda opened its own connection.",
    "Close the file handle before renaming on Windows, or the rename fails with access denied.",
    "Cache invalidation by key prefix deleted the sessions of every user.",
)
SESSIONS = (
    (
        "k8s",
        "Debugged kubernetes networking: DNS lookups from pods timed out because of a network policy",
        ("k8s", "dns"),
    ),
    (
        "login",
        "Implemented authentication with JWT and refresh tokens for the API gateway",
        ("auth",),
    ),
    (
        "helm",
        "Fixed helm chart configuration: values of the ingress were overwritten on upgrade",
        ("helm",),
    ),
    ("vite", "Moved the frontend build from webpack to vite", ()),
    ("csv", "Wrote the importer for partner CSV files with column errors", ("import",)),
    ("search", "Added full text search to the document list", ()),
    ("logs", "Set up structured logging and shipped logs to Loki", ("logging",)),
    ("types", "Made the mypy checks strict and fixed the remaining type errors", ()),
    ("queue", "Replaced the cron jobs by a job queue with retries", ("queue",)),
    ("css", "Cleaned up the stylesheets and removed the old grid", ()),
)
NOTES: tuple[tuple[Kind, str, str], ...] = (
    (
        "decision",
        "sqlite",
        "We use SQLite in WAL mode for the store, as several processes read while one writes.",
    ),
    ("decision", "rest", "The public API stays REST; GraphQL was rejected for its caching."),
    (
        "gotcha",
        "cors",
        "The browser hides the response body when the CORS header is missing on errors.",
    ),
    (
        "gotcha",
        "timezone",
        "Cron runs in UTC on the server, so the nightly report is made at the wrong hour.",
    ),
    ("preference", "commits", "Commit messages are conventional commits, in the imperative."),
    (
        "conversation",
        "parser",
        "We rewrote the parser as a state machine because the regular expressions backtracked.",
    ),
    (
        "document",
        "deploy",
        "Deployments go through staging; a canary gets five percent of the traffic for an hour.",
    ),
    (
        "document",
        "backup",
        "Backups of the database are made nightly and restored into a test instance each week.",
    ),
    (
        "document",
        "flags",
        "Feature flags are removed two releases after they are fully rolled out.",
    ),
    ("document", "ratelimit", "Rate limits are enforced per API key by a token bucket in Redis."),
)
UNRELATED = (
    "quantum chromodynamics lattice gauge",
    "medieval pottery glazing",
    "sourdough starter hydration",
    "migration routes of arctic terns",
    "baroque organ fugues",
    "pruning apple trees in winter",
    "volcanic eruptions in iceland",
    "wine to serve with roast duck",
    "leg before wicket in cricket",
    "symptoms of vitamin d deficiency",
    "history of the ottoman empire",
    "knitting a baby cardigan",
    "tango lessons in buenos aires",
    "who painted the sistine chapel",
    "recipe for vegetarian moussaka",
    "emperor penguin mating",
    "shakespeare sonnets",
    "sicilian defence in chess",
    "how deep is the mariana trench",
    "flurbish the grommelwick",
)
ANSWERED = {
    "why did a failed migration leave columns behind": "Run database migrations in a transaction,",
    "customers are charged twice when we retry": "Never retry a payment request",
    "which database mode lets many processes read": "decisions/sqlite.md",
    "why was the parser rewritten": "conversations/parser.md",
    "how are deployments rolled out": "documents/deploy.md",
    "the nightly report comes at the wrong hour": "gotchas/timezone.md",
    "when did I work on authentication?": "sessions/login.md",
}


def titled(text: str) -> str:
    return " ".join(text.split()[:6])


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with contextlib.ExitStack() as cleanup:
        world = World(tmp_path_factory.mktemp("relevance") / "world", cleanup)
        world.remember(
            *(lesson(text, name=titled(text)) for text in LESSONS),
            *(
                memory(
                    "session", name, text, None, tags=tags, file_path=f"/m/sessions/{name}.md"
                ).entry
                for name, text, tags in SESSIONS
            ),
            *(
                memory(kind, name, text, None, file_path=f"/m/{kind}s/{name}.md").entry
                for kind, name, text in NOTES
            ),
        )
        world.embed()
        yield world


@pytest.fixture(scope="module")
def lonely(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with contextlib.ExitStack() as cleanup:
        world = World(tmp_path_factory.mktemp("lonely") / "world", cleanup)
        world.remember(lesson(LESSONS[0], name=titled(LESSONS[0])))
        world.embed()
        yield world


@pytest.mark.parametrize("query", UNRELATED)
def test_a_question_about_something_else_has_no_answer(world: World, query: str) -> None:
    assert hardwon(world, "recall", query) == (0, f"Searching 30 memories...\n{NO_MATCH}\n", "")


@pytest.mark.parametrize(("query", "where"), ANSWERED.items())
def test_an_answer_comes_first_in_the_frame_of_the_screen(
    world: World, query: str, where: str
) -> None:
    done = hardwon(world, "recall", query)

    assert (done.code, done.stderr) == (0, "")
    first, *lines, last = done.stdout.splitlines()
    hits = "\n".join(lines).split("\n\n")
    assert first == "Searching 30 memories..."
    assert last == f"Found {len(hits)} relevant memories (threshold: 0.5)"
    for rank, hit in enumerate(hits, 1):
        place, passage, *tags = hit.splitlines()
        found = re.fullmatch(rf"{rank}\. \[([01]\.\d\d)\] \S.*", place)
        assert found
        assert 0.5 <= float(found[1]) <= 1
        assert re.fullmatch(r' {3}".+"', passage)
        assert len(tags) <= 1
        assert all(re.fullmatch(r" {3}Tags: \w+(, \w+)*", line) for line in tags)
    assert where in hits[0].splitlines()[0]
    scores = [
        float(score) for score in re.findall(r"^\d+\. \[(\d\.\d\d)\]", done.stdout, re.MULTILINE)
    ]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("host", ["", "CLAUDECODE"])
@pytest.mark.parametrize("query", ANSWERED)
def test_a_person_gets_the_id_of_each_answer_and_an_agent_the_bare_frame(
    world: World, query: str, host: str
) -> None:
    with unittest.mock.patch.dict(world.variables, {host: "1"} if host else {}):
        printed = hardwon(world, "recall", query).stdout
        items = hardwon(world, "recall", query, "--json").items
    headings = re.findall(r"^\d+\. \[\d\.\d\d\] (.*)$", printed, re.MULTILINE)

    assert len(headings) == len(items)
    for heading, item in zip(headings, items, strict=True):
        assert heading.endswith(f" [{item['id'][:8]}]") == (not host)
    shown = hardwon(world, "show", items[0]["id"][:8], "--json").document
    assert shown["id"] == items[0]["id"]


def test_tags_are_printed_where_there_are_some(world: World) -> None:
    assert (
        "\n   Tags: k8s, dns\n" in hardwon(world, "recall", "kubernetes dns network policy").stdout
    )


def test_the_score_is_a_relevance_that_compares_between_questions(world: World) -> None:
    near = hardwon(world, "recall", "--json", "SQLite in WAL mode for several processes").items[0][
        "score"
    ]
    far = hardwon(world, "recall", "--json", "--min-score", "0", "shakespeare sonnets").items[0][
        "score"
    ]

    assert far < 0.5 < near <= 1


@pytest.mark.parametrize(
    "query", ["?", "a", "\x00\x01\x02", "\udcff", "🦥", "x" * 100_000, "the of and", "zq " * 40_000]
)
def test_a_question_that_says_nothing_has_no_answer_and_no_traceback(
    world: World, query: str
) -> None:
    done = run(world, "hardwon", "recall", "-", stdin=query.encode("utf-8", "surrogateescape"))

    assert done.code in {0, 1}
    assert "Traceback" not in done.stderr
    assert not re.search(r"^\d+\. ", done.stdout, re.MULTILINE)


def test_a_store_of_one_entry_answers_what_it_is_about_and_nothing_else(lonely: World) -> None:
    assert (
        "1. [" in hardwon(lonely, "recall", "failed database migration left columns behind").stdout
    )
    for query in UNRELATED[:6]:
        assert hardwon(lonely, "recall", query).stdout == f"Searching 1 memories...\n{NO_MATCH}\n"


@pytest.mark.parametrize("query", UNRELATED[:3])
def test_conversations_have_no_answer_to_a_question_about_something_else(
    world: World, query: str
) -> None:
    assert hardwon(world, "recall", "--in", "conversations", query).stdout == f"{NOTHING}\n"
    assert (
        len(
            hardwon(world, "recall", "--in", "conversations", "--json", "browser cors header").items
        )
        == 5
    )


def test_words_alone_have_a_floor_too(world: World) -> None:
    world.variables["HARDWON_EMBEDDING_PROVIDER"] = "off"
    found, nothing = (
        hardwon(world, "recall", query) for query in ("SQLite in WAL mode", "tango in buenos aires")
    )
    del world.variables["HARDWON_EMBEDDING_PROVIDER"]

    assert "decisions/sqlite.md" in found.stdout.splitlines()[1]
    assert nothing.stdout == f"Searching 30 memories...\n{NO_MATCH}\n"


def sessions(world: World, *query: str) -> Ran:
    return hardwon(world, "recall", "--in", "sessions", *query)


@pytest.mark.parametrize(
    ("query", "file"),
    [
        (("kubernetes", "network", "debugging"), "k8s.md"),
        (("when did I work on authentication?",), "login.md"),
        (("helm", "chart", "configuration", "issues"), "helm.md"),
    ],
)
def test_the_customers_own_questions_find_their_session(
    world: World, query: tuple[str, ...], file: str
) -> None:
    done = sessions(world, *query)

    assert re.match(rf"1\. \[0\.[5-9]\d\] project/{re.escape(file)}$", done.stdout.splitlines()[1])
    assert done.stdout.splitlines()[-1] == "Found 1 relevant memories (threshold: 0.5)"


def test_words_that_only_frame_a_question_weigh_nothing(world: World) -> None:
    framed, bare = (
        sessions(world, query, "--json").items for query in ("when did I work on vite?", "vite?")
    )

    assert framed == bare
    assert Path(framed[0]["source"]).name == "vite.md"
