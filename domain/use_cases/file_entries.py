from hardwon.domain.model.entry import Entry
from hardwon.ports.entry_repository import EntryRepository


def put_in_place(repository: EntryRepository, entry: Entry) -> Entry:
    """
    Put *entry*, which stands for a file, in place of what stood for it as another kind; return what is stored.

    Raises:
        StorageError: the store can't be written now; nothing was changed.
    """
    with repository.transaction():
        earlier = repository.with_file(entry.file_path or "")
        if earlier and earlier.entry_id != entry.entry_id:
            repository.delete(earlier.entry_id)
        repository.put(entry)
        return repository.get(entry.entry_id) or entry
