"""A number that is another one after every change of an entry or a vector, for those who keep what they have read."""

from hardwon.adapters.sqlite.database import Database

KEY = "content_version"


def note_change(database: Database) -> None:
    """Let the version be another one; within the transaction of the change itself."""
    # Not one more than before: a transaction that failed would have used that number already.
    database.rows("INSERT OR REPLACE INTO _metadata VALUES (?, CAST(random() & 0x7fffffffffffffff AS TEXT))", (KEY,))


def content_version(database: Database) -> int:
    """Return the version, 0 for a store that nothing was ever put in."""
    return int(database.value("SELECT value FROM _metadata WHERE key = ?", (KEY,)) or 0)
