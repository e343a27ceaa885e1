"""What comes up without a search: rules, and what phrases bring up."""

import json

from hardwon.adapters.sqlite.database import Database
from hardwon.adapters.sqlite.moments import from_text
from hardwon.adapters.sqlite.versions import content_version
from hardwon.domain.model.importance.constitutional import ConstitutionalText
from hardwon.ports.trigger_source import TriggerOwner

HERE = "e.retired = 0 AND (e.kind = 'learning' OR e.project = ?)"
"""Lessons hold everywhere, what stands for a file in its project."""

SELECT_RULES = f"""
    SELECT e.seq, e.id, e.kind, t.name, t.description, t.notes, e.importance_weight, t.created_at
    FROM entry e JOIN entry_text t ON t.entry_seq = e.seq WHERE e.tier = 'constitutional' AND {HERE} AND NOT EXISTS (
        SELECT 1 FROM entry_text file JOIN entry whole ON whole.seq = file.entry_seq
        WHERE t.anchor_id != '' AND file.file_path = t.file_path AND file.anchor_id = ''
            AND whole.tier = 'constitutional' AND whole.retired = 0
    )
"""
"""A section of a file that is a rule as a whole would say the same again."""

SELECT_OWNERS = f"""
    SELECT e.seq, e.id, e.kind, t.name, e.spec_folder, t.file_path, t.anchor_id, e.tier, t.trigger_phrases
    FROM entry e JOIN entry_text t ON t.entry_seq = e.seq WHERE t.trigger_phrases != '[]' AND {HERE} ORDER BY e.seq
"""


def constitutional(database: Database, project: str) -> list[ConstitutionalText]:
    """Return the rules that hold in *project*; the index by tier finds them."""
    rows = database.rows(SELECT_RULES, (project,))
    return [ConstitutionalText(*row)._replace(created_at=from_text(row[-1])) for row in rows]


class SqliteTriggerSource:
    """
    The trigger phrases in the store's tables.

    Args:
        database: The store.

    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def own_changes(self) -> int:
        """Return how many rows this connection has written."""
        return self._database.connection.total_changes

    def version(self) -> int:
        """Return a number that is another one after every change."""
        return content_version(self._database)

    def owners(self, project: str) -> list[TriggerOwner]:
        """Return the entries with trigger phrases that may come up in *project*."""
        rows = self._database.rows(SELECT_OWNERS, (project,))
        return [TriggerOwner(*row)._replace(phrases=tuple(json.loads(row[-1]))) for row in rows]
