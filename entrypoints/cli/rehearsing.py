"""How it is told what would stand beside a prompt."""

import time
from collections.abc import Iterator

from hardwon.domain.model.deadline import Deadline
from hardwon.domain.use_cases.injecting.rehearse import Rehearsal, Rehearse, Rehearsed
from hardwon.domain.use_cases.injecting.speak_up import Prompt
from hardwon.entrypoints.composition import Memory
from hardwon.entrypoints.composition.asking import ASKED_EMBED_SECONDS
from hardwon.entrypoints.hooking.composition import instructions_for
from hardwon.entrypoints.host_session import host_session
from hardwon.entrypoints.workplace import name_of

SEARCH_SECONDS = 10.0
"""Who tries a prompt waits longer than a prompt does."""

NOT_SEARCHED = "nothing would stand beside it: it says too little, or is no question or task, so nothing is searched"
NOTHING_FOUND = "nothing would stand beside it: nothing that is remembered has to do with it"
NOBODY_WINS = "nothing would stand beside it:"
SOMETHING = "beside it would stand:"
OFF = "switched off here: prompts are not answered (memory_prompt_enabled, memory_injection_enabled, memory_semantic_enabled)"


def rehearse(memory: Memory, text: str, project_root: str) -> Rehearsal:
    """Return what the prompt *text* would bring up in the project now, in the session this was started in, if in any."""
    try_prompt = Rehearse(memory.speak_up(instructions_for(project_root), ASKED_EMBED_SECONDS))
    prompt = Prompt(text, host_session(), name_of(project_root))
    return try_prompt(prompt, Deadline.after(SEARCH_SECONDS, time.monotonic))


def is_on(memory: Memory) -> bool:
    """Tell whether prompts are answered at all."""
    settings = memory.settings
    return settings.prompt_enabled and settings.injection_enabled and settings.semantic_enabled


def rehearsal_document(rehearsal: Rehearsal, *, on: bool) -> dict[str, object]:
    """Return it for JSON."""
    items = [_entry_document(each) for each in rehearsal.entries]
    return {"items": items, "on": on, "worth_asking": rehearsal.worth_asking, "text": rehearsal.text}


def rehearsal_lines(rehearsal: Rehearsal, *, on: bool) -> Iterator[str]:
    """Yield the lines that tell it to a person."""
    if not on:
        yield OFF
    yield _summary(rehearsal)
    for rank, each in enumerate(rehearsal.entries, 1):
        needed = f"{each.strength:.2f} {'>=' if each.strength >= each.least else '<'} {each.least:.4g}"
        yield f"{rank:>3}. strength {needed}  {each.name} ({each.entry_id}): {each.kept_out or 'shown'}"


def _summary(rehearsal: Rehearsal) -> str:
    if rehearsal.text:
        return SOMETHING
    if rehearsal.entries:
        return NOBODY_WINS
    return NOTHING_FOUND if rehearsal.worth_asking else NOT_SEARCHED


def _entry_document(entry: Rehearsed) -> dict[str, object]:
    told = entry._asdict()
    return {"id": told.pop("entry_id"), **told}
