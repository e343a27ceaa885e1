"""
Hashes of forgotten texts in the table `forgotten`.

They are keyed by a secret in the tenant's metadata.
"""

from collections.abc import Collection, Iterable

from hardwon.adapters.postgres.metadata import PostgresMetadata
from hardwon.adapters.sql.forgotten import SqlForgottenTexts
from hardwon.ports.override import override

OF_TENANT = "FROM hardwon.forgotten WHERE tenant = %(tenant)s"

KNOWN = f"SELECT DISTINCT tag {OF_TENANT} AND tag = ANY(%(tags)s::bytea[])"
LIFT = (
    f"DELETE {OF_TENANT} AND tag IN (SELECT tag {OF_TENANT} AND of = ANY(%(owners)s::bytea[]))"
    " RETURNING 1"
)


class PostgresForgottenTexts(SqlForgottenTexts):
    """Forgotten texts of a tenant, shared by all its members."""

    SELECT_SECRET = PostgresMetadata.SELECT
    SELECT_USED_SECRET = f"{SELECT_SECRET} AND EXISTS (SELECT 1 {OF_TENANT})"
    SET_SECRET = PostgresMetadata.SET
    ADD = """
        INSERT INTO hardwon.forgotten (tenant, tag, of, at) VALUES (%(tenant)s, %(tag)s, %(owner)s, %(at)s)
        ON CONFLICT DO NOTHING
    """
    SELECT = f"SELECT tag, of, at {OF_TENANT} ORDER BY tag, of"

    @override
    def _lift(self, owners: Collection[bytes]) -> bool:
        return bool(self._database.rows(LIFT, owners=[*owners]))

    @override
    def _among(self, tags: Collection[bytes]) -> Iterable[bytes]:
        return [bytes(tag) for (tag,) in self._database.rows(KNOWN, tags=[*tags])]
