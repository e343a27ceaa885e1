"""Print entries relevant to a prompt, or dry-run the choice."""

from typing import NamedTuple

from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.filters import NOWHERE, Workplace
from hardwon.domain.model.injection.receipt import ContextWindow
from hardwon.domain.model.injection.relevance_gate import BESIDE_PROMPT
from hardwon.domain.model.keywords import LONGEST_PROMPT
from hardwon.domain.model.prompt_intent import is_worth_asking
from hardwon.domain.model.redaction import redact
from hardwon.domain.use_cases.weigh_entries import (
    NOTHING,
    Actor,
    Injection,
    Occasion,
    WeighedEntry,
    WeighEntries,
    dry_run,
)


class Prompt(NamedTuple):
    """
    A prompt of the user.

    Attributes:
        session_id: The id given by the host; without it, earlier injections are unknown.
    """

    text: str
    session_id: str = ""
    workplace: Workplace = NOWHERE


class InjectBesidePrompt(NamedTuple):
    """Search with the user's words, and print entries clearly relevant and new."""

    weigh: WeighEntries

    def text_for(self, prompt: Prompt, deadline: Deadline) -> Injection:
        """
        Return the text to print beside *prompt*, most often none.

        Args:
            prompt: The prompt; its secrets are neither searched for nor stored.
            deadline: The end of the time for searching.
        """
        if not is_worth_asking(prompt.text):
            return NOTHING
        public = redact(prompt.text[: 2 * LONGEST_PROMPT])[
            :LONGEST_PROMPT
        ]  # cut after redaction: a secret may cross the end
        window = ContextWindow(prompt.session_id)
        occasion = Occasion(
            event="prompt",
            text=public,
            actor=Actor(window, prompt.workplace),
            printing=BESIDE_PROMPT,
            query=public,
        )
        return self.weigh.injection_for(occasion, deadline)


class PromptDryRun(NamedTuple):
    """
    The outcome of a dry run.

    Attributes:
        entries: The best entries considered, best first; none if no entry is related to the prompt.
        degradations: The missing parts of the search with their reasons, one line each.
    """

    text: str
    entries: tuple[WeighedEntry, ...]
    worth_asking: bool
    degradations: tuple[str, ...] = ()


class TryPrompt(NamedTuple):
    """
    Dry-run a prompt: nothing is counted, no receipt is stored.

    Expired entries are retired, as by any search.
    """

    inject: InjectBesidePrompt

    def dry_run(self, prompt: Prompt, deadline: Deadline) -> PromptDryRun:
        """
        Return the text for *prompt* now, and the entries considered.

        Raises:
            StorageError: the store can't be read.
        """
        tried = dry_run(
            self.inject.weigh, lambda weigh: InjectBesidePrompt(weigh).text_for(prompt, deadline)
        )
        return PromptDryRun(
            text=tried.text,
            entries=tried.entries,
            worth_asking=is_worth_asking(prompt.text),
            degradations=tried.degradations,
        )
