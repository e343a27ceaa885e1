"""Decisions in the metadata of a tenant."""

from hardwon.adapters.sql.metadata import SqlMetadata

INSERT = "INSERT INTO hardwon.metadata (tenant, key, value) VALUES (%(tenant)s, %(key)s, %(value)s)"


class PostgresMetadata(SqlMetadata):
    """Decisions in the table `metadata`."""

    SELECT = "SELECT value FROM hardwon.metadata WHERE tenant = %(tenant)s AND key = %(key)s"
    ADD = f"{INSERT} ON CONFLICT (tenant, key) DO NOTHING"
    SET = f"{INSERT} ON CONFLICT (tenant, key) DO UPDATE SET value = excluded.value"
