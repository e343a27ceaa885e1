"""Injection at moments of action, on a store in memory with keyword search."""

from functools import partial
from typing import Any

import attrs
import pytest

from hardwon.domain.model.edit import Edit
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.failure import Failure
from hardwon.domain.model.injection.receipt import NO_ROOM, ContextWindow
from hardwon.domain.model.injection.verify import fits, injected_text, verdict
from hardwon.domain.model.moment import Moment, OpenedFile, Task
from hardwon.domain.use_cases.inject_at_moment import MOST, InjectAtMoment
from hardwon.domain.use_cases.weigh_entries import (
    NOTHING,
    Injection,
    dry_run,
)
from tests.fakes.models import PlantedEmbedder
from tests.fakes.session import InMemorySession, store
from tests.strategies import lesson, of_file, planted

LESSON = (
    "`ModuleNotFoundError: No module named 'yaml'` on CI: the cached venv is stale, bump the key."
)
ERROR = "ModuleNotFoundError: No module named 'yaml'"
FAILURE = Failure("pytest -q", f"Traceback (most recent call last):\n{ERROR}")


def test_a_lesson_that_names_the_error_is_printed_whole_with_its_date() -> None:
    entry = lesson(LESSON)
    printed = InMemorySession(store(entry)).at(FAILURE)

    assert printed.receipt is not None
    assert f"[memory {entry.entry_id}, kept {entry.created_at:%Y-%m-%d}]" in printed.text
    assert LESSON in printed.text
    assert (printed.receipt.event, printed.receipt.query) == ("failure", "pytest -q")
    assert printed.receipt.signature == "ModuleNotFoundError: No module named 'yaml'"


def test_nothing_is_printed_where_no_lesson_helps() -> None:
    other = lesson("`ModuleNotFoundError: No module named 'lxml'`: install libxml2 first.")

    assert not InMemorySession(store(other)).at(FAILURE).text
    assert not InMemorySession(store()).at(FAILURE).text
    assert InMemorySession(store(lesson(LESSON))).at(Failure("pytest", "")) == NOTHING


def test_a_lesson_is_printed_once_a_session_and_agent() -> None:
    session = InMemorySession(store(lesson(LESSON)))

    assert session.at(FAILURE).text
    assert not session.at(FAILURE).text
    assert session.at(FAILURE, agent="reviewer").text
    assert session.at(FAILURE, session_id="two").text


def test_a_window_that_was_emptied_starts_again() -> None:
    session = InMemorySession(store(lesson(LESSON)))
    session.at(FAILURE)
    windows = session.windows
    windows.empty(ContextWindow("one"))

    recorded = session.receipts.newest(session_id="one", limit=10)
    assert len(recorded) == 1
    assert windows.held(ContextWindow("one")).moments == 0


@pytest.mark.parametrize(("before", "is_printed"), [(MOST - 1, True), (MOST, False)])
def test_at_most_four_are_printed_in_a_window(before: int, *, is_printed: bool) -> None:
    names = [f"frobnicate{number}x" for number in range(before + 1)]
    session = InMemorySession(
        store(*(lesson(f"`ConfigError: {name} key missing`: set it.") for name in names))
    )
    for name in names[:-1]:
        assert session.at(Failure("run", f"ConfigError: {name} key missing")).text

    assert (
        bool(session.at(Failure("run", f"ConfigError: {names[-1]} key missing")).text) is is_printed
    )


def test_the_lesson_that_holds_the_signature_comes_first() -> None:
    near = lesson("No module named yaml yaml yaml pytest traceback: module named yaml, yaml.")
    [first, *_] = [InMemorySession(store(near, lesson(LESSON))).at(FAILURE)]

    assert LESSON in first.text


@pytest.mark.parametrize(
    ("moment", "gist"),
    [
        (
            Failure("pytest -q", f"the zebra of lines\n{ERROR}\nanother line"),
            "pytest q modulenotfounderror no module named yaml",
        ),
        (Failure("", "the zebra of lines\n✕ ?!"), "✕ ?!\nthe zebra of lines"),
        (Edit("db.py", "zebra = lock()", "zebra = lock()\nopen()"), "db.py\nopen()"),
    ],
    ids=["failure", "no words", "edit"],
)
def test_the_model_reads_the_gist_and_all_words_are_searched(moment: Moment, gist: str) -> None:
    embedder = PlantedEmbedder()
    session = InMemorySession(embedder=embedder)
    session.add(lesson(LESSON), planted(0.5))
    session.add(zebra := lesson("A zebra has lines that another lock opens."))
    at_moment = partial(
        InjectAtMoment.text_for,
        moment=moment,
        actor=session.actor(),
        deadline=session.clock.deadline(),
    )
    tried = dry_run(session.weigh, lambda weigh: at_moment(InjectAtMoment(weigh)))

    assert {*embedder.asked} == {(gist, "query")}
    assert zebra.entry_id in {entry.entry_id for entry in tried.entries}


def test_no_secret_of_an_output_is_kept() -> None:
    secret = "ghp_" + "a1B2" * 9
    failing = Failure(
        f"GH_TOKEN={secret} deploy --token {secret}",
        f"DeployError: token {secret} refused for zebra",
    )
    printed = InMemorySession(
        store(lesson("`DeployError` refused for zebra: deploy by tag only."))
    ).at(failing)

    assert secret not in repr(printed.receipt)


def test_an_edit_that_a_lesson_warns_of_is_answered() -> None:
    text = "Never call `session.commit_now()` in a request handler: the unit of work commits."
    session = InMemorySession(store(lesson(text)))
    edit = Edit(
        "src/api/orders.py", "", "def post(session):\n    session.commit_now()  # request handler"
    )

    printed = session.at(edit)
    assert printed.receipt is not None
    assert text in printed.text
    assert (printed.receipt.event, printed.receipt.query) == ("edit", "src/api/orders.py")
    assert not InMemorySession(store(lesson(text))).at(Edit("README.md", "", "# Shop")).text


@pytest.mark.large
def test_a_dry_run_prints_what_the_agent_gets() -> None:
    """Also where the words are common and only the signature decides."""
    long = lesson(" ".join((LESSON, *(f"word{number}" for number in range(80)))))
    common = ("pytest", "ModuleNotFoundError", "yaml", "module", "traceback")
    others = (lesson(f"{common[number % 5]} filler {number}") for number in range(3_000))
    state = store(long, *others)
    session = InMemorySession(state)
    inject, actor = InjectAtMoment(session.weigh), session.actor()
    deadline = session.clock.deadline()
    tried = dry_run(
        inject.weigh, lambda weigh: InjectAtMoment(weigh).text_for(FAILURE, actor, deadline)
    )

    assert tried.text
    assert inject.text_for(FAILURE, actor, deadline).text == tried.text


def test_a_lesson_too_long_for_a_moment_is_left_out() -> None:
    assert not InMemorySession(store(lesson(f"{LESSON} {'Read on. ' * 200}"))).at(FAILURE).text


POOL = OpenedFile("src/db/pool.py")


def citing(text: str, *references: str, **fields: Any) -> Entry:
    return attrs.evolve(lesson(text), references=references, **fields)


@pytest.mark.parametrize("reference", ["src/db/pool.py:40", "db/pool.py", "src/db/", "**/*.py"])
def test_a_lesson_that_cites_the_opened_file_is_printed_whole(reference: str) -> None:
    entry = citing("Close it before the fork.", reference)
    printed = InMemorySession(store(entry)).at(POOL)

    assert printed.receipt is not None
    assert f"[memory {entry.entry_id}, kept {entry.created_at:%Y-%m-%d}]" in printed.text
    assert entry.description in printed.text
    assert (printed.receipt.event, printed.receipt.query) == ("file", "src/db/pool.py")
    assert all(fits(printed.receipt, shown) for shown in printed.receipt.shown)


def test_a_lesson_that_quotes_the_path_is_printed_and_another_one_is_not() -> None:
    quoting = lesson("The pool in `src/db/pool.py` is closed before the fork.")

    assert quoting.description in InMemorySession(store(quoting)).at(POOL).text
    assert not InMemorySession(store(quoting)).at(OpenedFile("src/db/pools.py")).text
    assert not InMemorySession(store(lesson("The pool, src db pool py, is closed."))).at(POOL).text


@pytest.mark.parametrize(
    ("reference", "opened"),
    [("src/db/", "web/db/row.py"), ("README.md", "web/README.md"), ("db/pool.py", "web/pool.py")],
)
def test_a_file_of_the_same_name_elsewhere_is_not_answered(reference: str, opened: str) -> None:
    assert not InMemorySession(store(citing("Close it.", reference))).at(OpenedFile(opened)).text


def test_a_file_is_answered_once_a_window_with_the_best_track_record() -> None:
    seldom, often = citing("Close it.", "src/db/"), citing("Lock it.", "*.py", observation_count=9)
    session = InMemorySession(store(seldom, often))
    first, second = session.at(POOL), session.at(POOL)

    assert often.description in first.text
    assert seldom.description not in first.text
    assert second == NOTHING
    assert seldom.description in session.at(OpenedFile("src/db/row.py")).text
    assert often.description in session.at(POOL, agent="reviewer").text
    session.windows.empty(ContextWindow("one"))
    assert first.receipt is not None
    assert [missed.why for missed in first.receipt.missed] == [NO_ROOM]


def test_a_lesson_shown_before_superseded_or_too_long_makes_room_for_another() -> None:
    shown = citing("`ModuleNotFoundError: No module named 'yaml'`: bump the key.", "src/db/pool.py")
    old = citing("Lock it.", "src/db/pool.py", superseded_by="0" * 16)
    long = citing(f"Close it. {'Read on. ' * 200}", "src/db/pool.py")
    last = citing("Bind it late.", "src/db/pool.py", confidence="low")
    session = InMemorySession(store(shown, old, long, last))

    assert session.at(FAILURE).text
    assert last.description in session.at(POOL).text


def test_lessons_of_other_projects_and_of_the_session_itself_are_silent() -> None:
    elsewhere = citing("Close it.", "src/db/pool.py", project="there")
    own = of_file("`src/db/pool.py` closes late.", kind="gotcha", session_id="one", project="here")
    session = InMemorySession(store(elsewhere, own))

    assert not session.at(POOL).text
    assert own.description in session.at(POOL, session_id="two").text


def test_without_a_keyword_index_no_file_is_answered() -> None:
    session = InMemorySession(store(citing("Close it.", "src/db/pool.py")), keyword_search=False)

    assert session.at(POOL) == Injection(degradations=("no keyword index here",))


def test_no_secret_of_a_path_is_kept() -> None:
    secret = "ghp_" + "a1B2" * 9
    printed = InMemorySession(store(citing("Rotate it.", "keys/"))).at(
        OpenedFile(f"keys/{secret}.txt")
    )

    assert printed.text
    assert secret not in repr(printed.receipt)


TASK = Task("Find out why CI says `ModuleNotFoundError: No module named 'yaml'` in pytest")
RULE = attrs.evolve(lesson("Write tests before code.", name="Tests first"), tier="constitutional")


def test_a_subagent_gets_the_rules_and_lessons_for_its_task() -> None:
    session = InMemorySession(store(RULE, lesson(LESSON)))
    printed = session.at(TASK, agent="explorer")

    assert printed.receipt is not None
    assert printed.text.index("Write tests before code.") < printed.text.index(LESSON)
    assert [shown.form for shown in printed.receipt.shown] == ["note", "memory"]
    assert (printed.receipt.event, printed.receipt.agent) == ("subagent", "explorer")
    assert len(printed.numbers) == 2
    assert assembled_again(session, printed) == printed.text


def assembled_again(session: InMemorySession, printed: Injection) -> str | None:
    assert printed.receipt is not None
    known = {entry.entry_id: entry for entry in (RULE, *session.state.entries.values())}
    assert verdict(printed.receipt, known).verified
    return injected_text(printed.receipt, known)


@pytest.mark.parametrize(
    "task", ["", "go on", "Sort the zebras by their weight and height, please"]
)
def test_without_a_lesson_for_its_task_it_gets_the_rules_alone(task: str) -> None:
    printed = InMemorySession(store(RULE, lesson(LESSON))).at(Task(task), agent="explorer")

    assert printed.receipt is not None
    assert [shown.entry_id for shown in printed.receipt.shown] == [RULE.entry_id]
    assert LESSON not in printed.text
    assert InMemorySession(store()).at(Task(task), agent="explorer") == NOTHING


def test_each_subagent_gets_rules_and_lessons_once() -> None:
    session = InMemorySession(store(RULE, lesson(LESSON)))
    first = session.at(TASK, agent="explorer")

    assert session.at(TASK, agent="explorer") == NOTHING
    assert session.at(TASK, agent="reviewer").text == first.text
    assert not session.at(FAILURE, agent="explorer").text
    assert session.at(FAILURE).text


def test_a_task_may_begin_as_a_heading_and_keeps_no_secret() -> None:
    secret = "ghp_" + "a1B2" * 9
    task = Task(f"# {TASK.text}, with the token {secret}")
    printed = InMemorySession(store(lesson(LESSON))).at(task, agent="explorer")

    assert printed.receipt is not None
    assert LESSON in printed.text
    assert secret not in str(printed.receipt)


def test_at_most_two_lessons_are_printed_for_a_task() -> None:
    lessons = [
        lesson(LESSON),
        lesson("`ConfigError: frobnicate_key missing`: set it in app.toml before serve."),
        lesson("`LockTimeout: herd_lock` in zebra_quux: count the herd later."),
    ]
    others = (
        "serve says `ConfigError: frobnicate_key missing`. `LockTimeout: herd_lock` in zebra_quux."
    )
    printed = InMemorySession(store(*lessons)).at(Task(f"{TASK.text}. {others}"), agent="explorer")

    assert printed.receipt is not None
    assert len(printed.receipt.shown) == 2
    known = {entry.entry_id for entry in lessons}
    [left_out] = known - {shown.entry_id for shown in printed.receipt.shown}
    assert printed.receipt.missed[0].entry_id == left_out


FILLER = (
    "The nightly import of the partner feed keeps one transaction for each file of the drop. " * 9
)


def test_a_lesson_with_the_signature_is_found_however_many_others_match_better() -> None:
    signed = lesson(f"{FILLER}It ends in ModuleNotFoundError: No module named 'yaml'. Bump it.")
    others = [
        lesson(f"pytest -q: yaml, yaml module, ModuleNotFoundError of yaml, traceback {number}.")
        for number in range(12)
    ]

    assert FILLER in InMemorySession(store(signed, *others)).at(FAILURE).text


MOMENTS: tuple[Moment, ...] = (
    FAILURE,
    Edit("ci.yml", "", f"# {LESSON}"),
    Task(f"Repair CI: {LESSON}"),
)


@pytest.mark.parametrize("kind", ["conversation", "session", "document"])
@pytest.mark.parametrize("moment", MOMENTS, ids=["failure", "edit", "task"])
def test_only_lessons_are_shown_at_a_moment(kind: Any, moment: Moment) -> None:
    note, gotcha = (of_file(LESSON, kind=sort, project="here") for sort in (kind, "gotcha"))

    assert not InMemorySession(store(note)).at(moment).text
    assert LESSON in InMemorySession(store(gotcha)).at(moment).text
