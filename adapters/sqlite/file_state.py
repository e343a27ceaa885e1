"""Missing files and deleted sections in SQLite."""

from hardwon.adapters.sql.file_state import COLUMNS, STORED, SqlAbsences, SqlTombstones
from hardwon.adapters.sqlite.decoding import DECODERS, RowDecoder, text
from hardwon.adapters.sqlite.rows import encoded
from hardwon.domain.model.file_state import Standing
from hardwon.ports.override import override

LISTS = ("trigger_phrases", "keywords", "tags")


class SqliteAbsences(SqlAbsences):
    """Missing files, in the table `departed`."""

    INSERT = (
        f"INSERT INTO departed ({', '.join(STORED)}) VALUES"
        f" ({', '.join(f':{name}' for name in STORED)})"
    )
    DELETE_BEYOND = """
        DELETE FROM departed WHERE file_path IN (SELECT file_path FROM departed WHERE file_path != :file_path
            GROUP BY file_path ORDER BY max(departed_at) DESC, file_path LIMIT -1 OFFSET :others)
    """
    SELECT = f"""
        SELECT {", ".join(COLUMNS)} FROM departed WHERE file_path = (SELECT file_path FROM departed
            WHERE file_path = :file_path OR (file_hash = :file_hash AND anchor_id = '')
            ORDER BY file_path != :file_path, departed_at DESC, file_path LIMIT 1)
    """
    FORGET = "DELETE FROM departed WHERE file_path = :file_path"
    _decode = RowDecoder(COLUMNS, {**DECODERS, "file_path": text})

    @override
    def _values(self, standing: Standing) -> dict[str, object]:
        return {**super()._values(standing), **encoded(LISTS, standing)}


class SqliteTombstones(SqlTombstones):
    """Deleted sections in the table `tombstone`."""

    ADD = """
        INSERT INTO tombstone (file_path, anchor_id, file_hash, buried_at) VALUES (:file_path, :anchor_id, :file_hash, :at)
        ON CONFLICT DO UPDATE SET file_hash = excluded.file_hash, buried_at = excluded.buried_at
    """
    DELETED = (
        "SELECT anchor_id FROM tombstone WHERE file_path = :file_path AND file_hash = :file_hash"
    )
    FORGET = "DELETE FROM tombstone WHERE file_path = :file_path"
