"""Proposed supersessions of a tenant."""

from hardwon.adapters.postgres.query import number_of
from hardwon.adapters.sql.proposals import SqlProposals


class PostgresProposals(SqlProposals):
    """Pairs in the table `proposal` of a tenant."""

    PROPOSE = f"""
        INSERT INTO hardwon.proposal (tenant, older, newer, probability)
        SELECT older.tenant, older.number, newer.number, %(probability)s
        FROM hardwon.entry older JOIN hardwon.entry newer ON newer.tenant = older.tenant
        WHERE older.tenant = %(tenant)s AND older.number = {number_of("older")} AND newer.number = {number_of("newer")}
        ON CONFLICT DO NOTHING
    """
    OPEN = """
        SELECT older.id, newer.id, p.probability FROM hardwon.proposal p
        JOIN hardwon.entry older ON older.tenant = p.tenant AND older.number = p.older AND older.superseded_by IS NULL
        JOIN hardwon.entry newer ON newer.tenant = p.tenant AND newer.number = p.newer AND newer.superseded_by IS NULL
        WHERE p.tenant = %(tenant)s AND NOT p.rejected AND NOT older.retired AND NOT newer.retired
        ORDER BY p.probability DESC, older.id, newer.id LIMIT %(most)s
    """
    REJECT = f"""
        UPDATE hardwon.proposal SET rejected = true WHERE tenant = %(tenant)s AND NOT rejected
            AND older = {number_of("older")} AND newer = {number_of("newer")} RETURNING 1
    """
