"""Version 5: the text that an injection's keyword search was made with."""

import sqlite3

from hardwon.adapters.sqlite.migrations.run import run


def keep_keyword_texts(connection: sqlite3.Connection) -> None:
    """Let a receipt hold the text that was searched by keyword; NULL where that is its query."""
    run(connection, "ALTER TABLE receipt ADD COLUMN keyword_text TEXT;")
