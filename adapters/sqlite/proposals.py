"""Proposed supersessions in the table `proposal`."""

from hardwon.adapters.sql.proposals import SqlProposals


class SqliteProposals(SqlProposals):
    """Pairs in the table `proposal`."""

    PROPOSE = """
        INSERT INTO proposal (older_seq, newer_seq, probability)
        SELECT older.seq, newer.seq, :probability FROM entry older, entry newer WHERE older.id = :older AND newer.id = :newer
        ON CONFLICT DO NOTHING
    """
    OPEN = """
        SELECT older.id, newer.id, p.probability
        FROM proposal p JOIN entry older ON older.seq = p.older_seq JOIN entry newer ON newer.seq = p.newer_seq
        WHERE NOT p.rejected AND older.retired = 0 AND newer.retired = 0
            AND older.superseded_by IS NULL AND newer.superseded_by IS NULL
        ORDER BY p.probability DESC, older.id, newer.id LIMIT :most
    """
    REJECT = """
        UPDATE proposal SET rejected = 1 WHERE NOT rejected
            AND older_seq = (SELECT seq FROM entry WHERE id = :older) AND newer_seq = (SELECT seq FROM entry WHERE id = :newer)
        RETURNING 1
    """
