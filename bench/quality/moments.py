"""
How often memory speaks after a failed command or an edit, and is right.

Each labelled moment is what Claude Code sends to a hook. A store of the lessons of its set is asked:
with the lesson that helps, and once more without it.
"""

import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from typing import Any, NamedTuple

from bench.prompted_stores import STANDING_STILL, Asking, asking
from bench.quality.fresh import fresh_entries, fresh_moments
from bench.quality.labelled import HALVES, items
from bench.quality.lessons_store import NOW
from bench.quality.secrets import interval
from hardwon.adapters.evaluation.cache import VectorCache
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.filters import NOWHERE
from hardwon.domain.model.injection.receipt import ContextWindow
from hardwon.domain.model.injection.relevance_gate import AT_MOMENT, WeighedEntries
from hardwon.domain.model.redaction import redact
from hardwon.domain.use_cases.inject_at_moment import InjectAtMoment
from hardwon.domain.use_cases.weigh_entries import NOTHING, Actor, Injection, Occasion, WeighEntries
from hardwon.entrypoints.bootstrap_retrieval import build_embed_pending, build_weigh_entries
from hardwon.entrypoints.moments import moment_of

Item = Mapping[str, Any]
Ask = Callable[[WeighEntries, Item], Injection]

ACTOR = Actor(ContextWindow(""), NOWHERE)
FAMILIES = {
    "python": "pytest unittest python ruff uv pip mypy manage.py nbconvert",
    "javascript": "jest vitest tsc eslint npm node",
    "native": (
        "cargo gcc make cmake go swift west ctest twister xcodebuild arm-none-eabi-gcc cl.exe"
        " link.exe msbuild clang-format wasm-pack wasm-bindgen"
    ),
    "java": "gradle javac ktlint adb",
    "data": "psql sqlite3 dbt sqlfluff spark-submit airflow",
    "operations": "docker kubectl terraform helm aws ssh curl wget rsync sbatch sacct scontrol",
}
"""The tools of labelled errors. One of no family is `other`."""

HEADER = "moments            half  fitting  answered  right  first  without  wrong  upper limit"


class Outcome(NamedTuple):
    """
    The answer at a labelled moment.

    Attributes:
        item: The labelled moment.
        helpful: The id of the lesson that helps; None if the store has none.
        shown: The id of the printed lesson; None if there is none.
        first: The id of the lesson that was weighed first; None if there is none.
        weighed: The comparison; None if no lesson was found.
        all_helpful: The ids of all lessons that help.
    """

    item: Item
    helpful: str | None
    shown: str | None
    first: str | None
    weighed: WeighedEntries | None = None
    all_helpful: frozenset[str] = frozenset()


class Figures(NamedTuple):
    """
    The figures of a group of outcomes, as shares.

    Attributes:
        answered: Of the moments with a lesson that helps, those with a printed one.
        right: Of the lessons printed then, those that help; 1 if none was printed.
        first: Of the moments with a lesson that helps, those where it is weighed first.
        wrong: Of the moments without a lesson that helps, those with a printed one.
        limit: The upper end of the interval of 95 % of `wrong`.
    """

    answered: float
    right: float
    first: float
    wrong: float
    limit: float


def errors_table() -> Iterator[str]:
    """Yield the figures of failed commands, cleaned and as whole outputs."""
    with vector_cache() as cache:
        outcomes = [*error_outcomes(cache)]
        dev = _of_half(outcomes, HALVES[0])
        yield from _totals(outcomes)
        yield from _fresh(cache, "errors", ask_at_failure)
        yield from _groups(dev, _reason)
        yield from _groups(dev, _author)
        yield from _groups(dev, lambda outcome: family(outcome.item["tool"]))
        whole = [*error_outcomes(cache, ask_with_whole_output, HALVES[:1])]
        yield line("the whole output", HALVES[0], whole)


def edits_table() -> Iterator[str]:
    """Yield the figures of edits."""
    with vector_cache() as cache:
        outcomes = [*edit_outcomes(cache)]
        fresh = [*_fresh(cache, "edits", ask_after_edit)]
    dev = _of_half(outcomes, HALVES[0])
    yield from _totals(outcomes)
    yield from fresh
    yield from _groups(dev, _reason)
    yield from _groups(dev, _author)
    yield from _groups(dev, _in_common)


def error_outcomes(
    cache: VectorCache, ask: Ask | None = None, halves: Sequence[str] = HALVES
) -> Iterator[Outcome]:
    """Yield the outcomes of the labelled errors of *halves*."""
    errors, lessons = items("errors.jsonl"), items("error_lessons.jsonl")
    for name in ("A", "B"):
        moments = [error for error in errors if error["id"].startswith(name)]
        others = [lesson for lesson in lessons if lesson["set"] == name]
        yield from moment_outcomes(
            moments, stored_lessons(moments, others), ask or ask_at_failure, cache, halves
        )


def edit_outcomes(cache: VectorCache | None) -> Iterator[Outcome]:
    """Yield the outcomes of all labelled edits."""
    edits, others = items("edits.jsonl"), items("edit_lessons.jsonl")
    yield from moment_outcomes(edits, stored_lessons(edits, others), ask_after_edit, cache, HALVES)


def fresh_outcomes(
    cache: VectorCache, name: str, ask: Ask, halves: Sequence[str]
) -> Iterator[Outcome]:
    """Yield the outcomes of the fresh `errors` or `edits` of *halves*."""
    stored = [*fresh_entries().values()]
    yield from moment_outcomes(fresh_moments(name), stored, ask, cache, halves)


def moment_outcomes(
    moments: Sequence[Item],
    stored: Sequence[Entry],
    ask: Ask,
    cache: VectorCache | None,
    halves: Sequence[str],
) -> Iterator[Outcome]:
    """Yield the outcomes of *moments* of *halves*, on a store of the entries *stored*."""
    by_id = {entry.entry_id: entry for entry in stored}
    with asking(stored, cache) as store:
        for item in moments:
            if item["half"] not in halves:
                continue
            entry = by_id.get(lesson_entry(item["lesson"]).entry_id) if item["lesson"] else None
            if entry:
                yield outcome_of(store, item, entry.entry_id, ask)
                with taken_out(store, [entry]):
                    yield outcome_of(store, item, None, ask)
            else:
                yield outcome_of(store, item, None, ask)


def outcome_of(store: Asking, item: Item, helpful: str | None, ask: Ask) -> Outcome:
    """Return the outcome at *item*, for which the lesson *helpful* helps."""
    watched = list[WeighedEntries]()
    weigh = build_weigh_entries(store.memory, store.memory.settings.global_store)
    receipt = ask(weigh._replace(recall=store.recall, watch=watched.append), item).receipt
    weighed = watched[0] if watched and watched[0].contenders else None
    return Outcome(
        item,
        helpful,
        shown=receipt.shown[0].entry_id if receipt else None,
        first=weighed.contenders[0].entry_id if weighed else None,
        weighed=weighed,
        all_helpful=frozenset({helpful} if helpful else ()),
    )


def stored_lessons(moments: Sequence[Item], others: Sequence[Item]) -> list[Entry]:
    """Return the lessons of *moments*, and *others*."""
    needed = (item["lesson"] for item in moments if item["lesson"])
    return [*map(lesson_entry, (*needed, *others))]


@contextmanager
def taken_out(store: Asking, entries: Sequence[Entry]) -> Iterator[None]:
    """Remove *entries* for a while."""
    repository = store.memory.repository
    with repository.transaction():
        for entry in entries:
            repository.delete(entry.entry_id)
    yield
    with repository.transaction():
        for entry in entries:
            repository.put(entry)
    for embed in build_embed_pending(store.memory.spaces)[:1]:
        embed.embed(None, STANDING_STILL, lambda _: None)


def ask_at_failure(weigh: WeighEntries, item: Item) -> Injection:
    """Return what is printed at a labelled error."""
    output = item["output"]
    happened = (
        {
            "hook_event_name": "PostToolUseFailure",
            "error": f"Exit code {item['exit']}\n{output}",
        }
        if item["exit"]
        else {"hook_event_name": "PostToolUse", "tool_response": {"stdout": output}}
    )
    return _ask(
        weigh, {**happened, "tool_name": "Bash", "tool_input": {"command": item["command"]}}
    )


def ask_after_edit(weigh: WeighEntries, item: Item) -> Injection:
    """Return what is printed after a labelled edit."""
    changed = {"file_path": item["path"], "old_string": item["old"], "new_string": item["new"]}
    return _ask(
        weigh, {"hook_event_name": "PostToolUse", "tool_name": "Edit", "tool_input": changed}
    )


def ask_with_whole_output(weigh: WeighEntries, item: Item) -> Injection:
    """Return what the prompt's gate prints for the command and all of its output."""
    text = redact(f"{item['command']}\n{item['output']}")
    occasion = Occasion("prompt", text, ACTOR, printing=AT_MOMENT, query="")
    return weigh.injection_for(occasion, STANDING_STILL)


def _ask(weigh: WeighEntries, payload: Mapping[str, object]) -> Injection:
    moment = moment_of(payload, ".")
    return InjectAtMoment(weigh).text_for(moment, ACTOR, STANDING_STILL) if moment else NOTHING


def figures(outcomes: Sequence[Outcome]) -> Figures:
    """Return the figures of *outcomes*."""
    fitting = [outcome for outcome in outcomes if outcome.helpful]
    shown = [outcome for outcome in fitting if outcome.shown]
    without = [outcome for outcome in outcomes if not outcome.helpful]
    wrong = sum(bool(outcome.shown) for outcome in without)
    return Figures(
        answered=_share(len(shown), len(fitting)),
        right=_share(sum(outcome.shown == outcome.helpful for outcome in shown), len(shown), 1.0),
        first=_share(sum(outcome.first == outcome.helpful for outcome in fitting), len(fitting)),
        wrong=_share(wrong, len(without)),
        limit=interval(wrong, len(without))[1] if without else 0.0,
    )


def line(name: str, half: str, outcomes: Sequence[Outcome]) -> str:
    """Return the line of a table with the figures of *outcomes*."""
    fitting = sum(bool(outcome.helpful) for outcome in outcomes)
    without = len(outcomes) - fitting
    answered, right, first, wrong, limit = figures(outcomes)
    found = (
        f"{fitting:7}  {answered:8.0%}  {right:5.0%}  {first:5.0%}" if fitting else f"{0:7}{'':24}"
    )
    rest = f"{without:7}  {wrong:5.1%}  {limit:11.1%}" if without else f"{0:7}"
    return f"{name:17}  {half:4}  {found}  {rest}".rstrip()


def family(tool: str) -> str:
    """Return the family of *tool*."""
    return next((name for name, tools in FAMILIES.items() if tool in tools.split()), "other")


def _totals(outcomes: Sequence[Outcome]) -> Iterator[str]:
    yield HEADER
    for half in HALVES:
        yield line("all", half, _of_half(outcomes, half))


def _fresh(cache: VectorCache, name: str, ask: Ask) -> Iterator[str]:
    outcomes = [*fresh_outcomes(cache, name, ask, HALVES)]
    for half in HALVES:
        yield line("fresh", half, _of_half(outcomes, half))


def _groups(outcomes: Sequence[Outcome], name_of: Callable[[Outcome], str]) -> Iterator[str]:
    """Yield a line for each named group of *outcomes*, sorted."""
    groups = defaultdict[str, list[Outcome]](list)
    for outcome in outcomes:
        groups[name_of(outcome)].append(outcome)
    yield from (line(name, HALVES[0], groups[name]) for name in sorted(groups) if name)


def _author(outcome: Outcome) -> str:
    lesson = outcome.item["lesson"]
    return lesson["author"] if lesson else ""


def _reason(outcome: Outcome) -> str:
    """Return why no lesson helps, empty if one does."""
    if outcome.helpful:
        return ""
    return "taken out" if outcome.item["lesson"] else outcome.item["tier"]


def _in_common(outcome: Outcome) -> str:
    """Return what lesson and edit have in common, empty for none."""
    return outcome.item["tier"] if outcome.item["lesson"] else ""


def _of_half(outcomes: Iterable[Outcome], half: str) -> list[Outcome]:
    return [outcome for outcome in outcomes if outcome.item["half"] == half]


def lesson_entry(lesson: Item) -> Entry:
    """Return a labelled lesson as it is stored."""
    return Entry(
        name=lesson["name"],
        description=lesson["text"],
        category="patterns",
        created_at=NOW,
        updated_at=NOW,
    )


@contextmanager
def vector_cache() -> Iterator[VectorCache]:
    """Yield a cache of vectors that is gone afterwards."""
    with (
        tempfile.TemporaryDirectory(prefix="hardwon-quality-") as folder,
        closing(VectorCache(folder, print)) as cache,
    ):
        yield cache


def _share(part: int, whole: int, of_none: float = 0.0) -> float:
    return part / whole if whole else of_none
