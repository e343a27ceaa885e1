"""Let the store know what the knowledge banks say, before a retrospective counts."""

import attrs

from hardwon.domain.model.entry_checks import MAX_COUNT
from hardwon.domain.model.retro.bank_lesson import counts_of
from hardwon.domain.model.retro.banks import BankTexts
from hardwon.domain.use_cases.filing.import_knowledge import ImportKnowledge
from hardwon.ports.entry_repository import EntryRepository


@attrs.frozen
class TakeInBank:
    """
    Bring in the lessons that the store has not seen, and the counts that it has not heard of.

    A retrospective that was killed between the files and the store left them apart: an import does not read a heading
    again that it has seen (A-D9.2), so the counts are raised here.

    Attributes:
        import_knowledge: The import of these banks.
        repository: The entries.

    """

    import_knowledge: ImportKnowledge
    repository: EntryRepository

    def __call__(self, texts: BankTexts) -> tuple[str, ...]:
        """
        Take in the banks, whose files are held and say *texts*; return what was skipped, one line each.

        A count in the store is never lowered.

        Raises:
            StorageError: the store can't be written now; nothing was changed.

        """
        with self.repository.transaction():
            skipped = self.import_knowledge.everything().skipped
            for place, text in texts.items():
                for identity, count in counts_of(text, place.category).items():
                    self._raise_to(identity, min(count, MAX_COUNT))
        return skipped

    def _raise_to(self, identity: str, count: int) -> None:
        known = self.repository.get(identity)
        if known and known.observation_count < count:
            self.repository.put(attrs.evolve(known, observation_count=count))
