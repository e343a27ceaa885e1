"""The trigger phrases of a store in memory."""

from hardwon.domain.model.filters import EntryFilter
from hardwon.ports.keyword_index import TriggerOwner, TriggerSource
from hardwon.ports.override import override
from tests.fakes.state import State


class InMemoryTriggerSource(TriggerSource):
    """Says how often it was asked; `elsewhere` stands for changes by other processes."""

    def __init__(self, state: State) -> None:
        self._state = state
        self.elsewhere = 0
        self.looks = 0

    @override
    def own_changes(self) -> int:
        return hash(tuple(self._state.entries.values()))

    @override
    def version(self) -> int:
        self.looks += 1
        return hash((self.elsewhere, self.own_changes()))

    @override
    def owners(self, only: EntryFilter) -> list[TriggerOwner]:
        within = {*self._state.within(only._replace(ranked=True))}
        return [
            TriggerOwner(
                number,
                entry.entry_id,
                entry.kind,
                entry.name,
                entry.spec_folder,
                entry.file_path,
                entry.anchor_id,
                entry.tier,
                entry.trigger_phrases,
            )
            for number, entry in sorted(self._state.entries.items())
            if entry.trigger_phrases and number in within
        ]
