"""A member's absent files and deleted sections, on a server."""

from hardwon.adapters.sql.file_state import COLUMNS, STORED, SqlAbsences, SqlTombstones

OF_FILE = "tenant = %(tenant)s AND file_path = %(file_path)s"


class PostgresAbsences(SqlAbsences):
    """Absent files in the table `departed`."""

    INSERT = f"""
        INSERT INTO hardwon.departed (tenant, {", ".join(STORED)})
        VALUES (%(tenant)s, {", ".join(f"%({name})s" for name in STORED)})
    """
    DELETE_BEYOND = """
        DELETE FROM hardwon.departed WHERE tenant = %(tenant)s AND file_path IN (
            SELECT file_path FROM hardwon.departed WHERE tenant = %(tenant)s AND file_path != %(file_path)s
            GROUP BY file_path ORDER BY max(departed_at) DESC, file_path OFFSET %(others)s
        )
    """
    SELECT = f"""
        SELECT {", ".join(COLUMNS)} FROM hardwon.departed WHERE tenant = %(tenant)s AND file_path = (
            SELECT file_path FROM hardwon.departed WHERE tenant = %(tenant)s
                AND (file_path = %(file_path)s OR (file_hash = %(file_hash)s AND anchor_id = ''))
            ORDER BY file_path != %(file_path)s, departed_at DESC, file_path LIMIT 1
        ) ORDER BY anchor_id
    """
    FORGET = f"DELETE FROM hardwon.departed WHERE {OF_FILE}"


class PostgresTombstones(SqlTombstones):
    """Deleted sections in the table `tombstone`."""

    ADD = """
        INSERT INTO hardwon.tombstone (tenant, file_path, anchor_id, file_hash, buried_at)
        VALUES (%(tenant)s, %(file_path)s, %(anchor_id)s, %(file_hash)s, %(at)s)
        ON CONFLICT (tenant, owner, file_path, anchor_id)
        DO UPDATE SET file_hash = excluded.file_hash, buried_at = excluded.buried_at
    """
    DELETED = (
        f"SELECT anchor_id FROM hardwon.tombstone WHERE {OF_FILE} AND file_hash = %(file_hash)s"
    )
    FORGET = f"DELETE FROM hardwon.tombstone WHERE {OF_FILE}"
