"""A session as a `memory-index.json` knows it."""

import attrs

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.entry_redaction import redact_entry
from hardwon.domain.model.files.file_entry import moment_of
from hardwon.domain.model.files.titles import beginning
from hardwon.domain.model.redaction import redact
from hardwon.domain.model.vector import Vector


@attrs.frozen(kw_only=True)
class IndexedMemory:
    """
    One of its memories.

    Attributes:
        path: Of the file, absolute with links resolved.
        tags: The user's own labels.
        keywords: Words of the description.
        mtime: When the file was changed, in Unix seconds; None when the index does not say.
        project: The name of its project or folder.
        filename: The file's own name.
        description: What it is about; None in indexes that do not hold it.
        vector: The vector it brings, as it is in the index; None where it brings no list of numbers.
        vector_trouble: Why it has no vector though it brings something in its place.

    """

    path: str
    tags: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    mtime: int | None = None
    project: str | None = None
    filename: str
    description: str | None = None
    vector: Vector | None = None
    vector_trouble: str = ""

    @property
    def brings_vector(self) -> bool:
        """Whether the index has something as its vector, usable or not."""
        return self.vector is not None or bool(self.vector_trouble)

    def to_session(self, description: str, mtime: int, file_hash: str | None, known: Entry | None) -> Entry:
        """
        Return the session it stands for, without secrets.

        Args:
            description: What it is about.
            mtime: When the file was changed.
            file_hash: sha256 of the file that *description* belongs to, None to let it be indexed again.
            known: The session as the store has it.

        Raises:
            InvalidEntryError: it breaks a rule of `Entry`.

        """
        clean = redact(description).strip()
        told = attrs.evolve(
            known or self._unknown(mtime),
            name=beginning(clean),
            description=clean,
            tags=self.tags,
            keywords=self.keywords,
            source_project=self.project,
            file_mtime=mtime,
            file_hash=file_hash,
        )
        is_as_known = known is not None and known.file_mtime == mtime
        return redact_entry(told if is_as_known else attrs.evolve(told, updated_at=moment_of(mtime)))

    def _unknown(self, mtime: int) -> Entry:
        return Entry(
            kind="session",
            name=self.filename,
            description=self.filename,
            file_path=self.path,
            source="import",
            created_at=moment_of(mtime),
            updated_at=moment_of(mtime),
        )
