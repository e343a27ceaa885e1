"""How often memory answers a fresh prompt, and how often it is right."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from bench.prompted_stores import STANDING_STILL, Asking, asking
from bench.quality.fresh import fresh_entries, fresh_items
from bench.quality.labelled import HALVES
from bench.quality.moments import HEADER, Item, Outcome, line, taken_out, vector_cache
from hardwon.adapters.evaluation.cache import VectorCache
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.injection.relevance_gate import WeighedEntries
from hardwon.domain.use_cases.inject_beside_prompt import InjectBesidePrompt, Prompt
from hardwon.entrypoints.bootstrap_retrieval import build_weigh_entries


def table() -> Iterator[str]:
    """Yield the figures of the fresh prompts, by author, language, length and sort."""
    with vector_cache() as cache:
        outcomes = [*fresh_prompt_outcomes(cache, HALVES)]
    yield HEADER.replace("moments", "prompts")
    for half in HALVES:
        of_half = [outcome for outcome in outcomes if outcome.item["half"] == half]
        yield line("all", half, of_half)
        for group in sorted({name for outcome in of_half for name in groups(outcome)}):
            yield line(group, half, [outcome for outcome in of_half if group in groups(outcome)])


def groups(outcome: Outcome) -> tuple[str, ...]:
    """Return the names of the groups of *outcome*."""
    item = outcome.item
    if not item["lessons"]:
        return ("hard" if item["hard"] else "ordinary", item["language"], item["length"])
    if not outcome.helpful:
        return ("taken out",)
    return (f"author {item['authors'][0]}", item["language"], item["length"])


def fresh_prompt_outcomes(
    cache: VectorCache | None, halves: Sequence[str], *, left_out: bool = True
) -> Iterator[Outcome]:
    """
    Yield the outcomes of the fresh prompts of *halves*.

    The store has all fresh lessons.
    """
    prompts = [item for item in fresh_items("prompts") if item["half"] in halves]
    yield from prompt_outcomes(cache, fresh_entries(), prompts, left_out=left_out)


def prompt_outcomes(
    cache: VectorCache | None,
    entries: Mapping[str, Entry],
    prompts: Iterable[Item],
    *,
    left_out: bool = True,
) -> Iterator[Outcome]:
    """
    Yield the outcomes of *prompts*, on a store of *entries*.

    With *left_out*, a prompt with a lesson is also asked of the store without it, unless that
    replaces an older one.
    """
    successors = {entry.superseded_by for entry in entries.values()}
    with asking([*entries.values()], cache) as store:
        for item in prompts:
            answers = [entries[label] for label in item["lessons"] if label in entries]
            helpful = {entry.entry_id for entry in answers}
            yield _outcome(store, item, helpful)
            if left_out and helpful and not helpful & successors:
                with taken_out(store, answers):
                    yield _outcome(store, item, set())


def _outcome(store: Asking, item: Item, helpful: set[str]) -> Outcome:
    watched = list[WeighedEntries]()
    weigh = build_weigh_entries(store.memory, store.memory.settings.global_store)
    inject = InjectBesidePrompt(weigh._replace(recall=store.recall, watch=watched.append))
    receipt = inject.text_for(Prompt(item["prompt"]), STANDING_STILL).receipt
    weighed = watched[0] if watched and watched[0].contenders else None
    return Outcome(
        item,
        next(iter(helpful), None),
        shown=_named(receipt.shown[0].entry_id, helpful) if receipt else None,
        first=_named(weighed.contenders[0].entry_id, helpful) if weighed else None,
        weighed=weighed,
        all_helpful=frozenset(helpful),
    )


def _named(entry_id: str, helpful: set[str]) -> str:
    """Return the first id of *helpful* for any of them."""
    return next(iter(helpful)) if entry_id in helpful else entry_id
