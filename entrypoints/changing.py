"""What is told of a memory that was changed or judged: the same through every door."""

import datetime as dt

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.importance.constitutional import BUDGET_TOKENS
from hardwon.domain.model.importance.tiers import NEVER_SEARCHED
from hardwon.domain.model.token_budget import tokens
from hardwon.domain.use_cases.keeping.change_entry import Changed
from hardwon.domain.use_cases.keeping.validate_entry import Validated
from hardwon.entrypoints.streams import visible


def confirmation(changed: Changed) -> list[str]:
    """Return a line that names the entry, one for each changed field, and one on what its tier now means for it."""
    did = "Updated" if changed.changes else "Unchanged, it was so already"
    fields = [f"{field}: {old} -> {new}" for field, old, new in changed.changes]
    told = fate(changed.entry, is_searched=changed.is_searched)
    return [f"{did}: {named(changed.entry)}", *map(visible, fields), *told, *_of_sections(changed)]


def _of_sections(changed: Changed) -> list[str]:
    """Return a line on the sections that took the tier over, and one on those that kept their own."""
    followed, kept = changed.sections
    lines = {"Sections that took its tier over": followed, "Sections that keep a tier of their own": kept}
    return [f"{told}: {count}" for told, count in lines.items() if count]


def named(entry: Entry) -> str:
    """Return the title of *entry* with its number and its id."""
    return f"{visible(entry.name)} (number {entry.number}, id: {entry.entry_id})"


def judgement(validated: Validated) -> str:
    """Return the line that says how often an entry was of use."""
    total, useful = validations = validated.entry.usage.validations
    score = f"confidence score {validations.confidence_score:.2f}"
    return f"Validated: {named(validated.entry)}, useful {useful} of {total} times, {score}"


def moment(when: dt.datetime) -> str:
    """Return *when* to the minute, in UTC."""
    return f"{when.astimezone(dt.UTC):%Y-%m-%d %H:%M} UTC"


def fate(entry: Entry, *, is_searched: bool) -> list[str]:
    """Return the line that says what its tier means for *entry*, where that may surprise."""
    if entry.tier == "constitutional" and (size := tokens(entry.description)) > BUDGET_TOKENS:
        return [f"It has about {size} tokens, of rules {BUDGET_TOKENS} are shown: shorten it, or it never is"]
    if entry.tier == NEVER_SEARCHED:
        return ["It is deprecated: no search finds it any more, and it is kept until it is deleted"]
    if entry.expires_at is None:
        return []
    if is_searched:
        return [f"It is temporary: it expires {moment(entry.expires_at)}, 7 days after it was made"]
    return [
        f"It is temporary and was made {moment(entry.created_at)}: its 7 days are over, so no search finds it any more"
    ]
