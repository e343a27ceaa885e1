"""
The first damage of a database.

Imported for a check only.
"""

import re
import sqlite3

RULE = re.compile(r"\bCHECK\s*(?=\()", re.IGNORECASE)
QUOTED_OR_BRACKET = re.compile(r"""'[^']*'|"[^"]*"|[()]""")
COMMENT = re.compile(r"--|/\*")
TABLES = """
    SELECT name, sql FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'
"""


def damage_of(connection: sqlite3.Connection) -> str:
    """
    Return the first damage of a database, empty if sound.

    A query checks the rules of a table in a quarter of the time that SQLite's check takes,
    which makes the lists in them again for each row. That one names damage where there is some.
    """
    if _has_sound_structure(connection) and _keeps_rules(connection):
        return ""
    [(found, *_)] = connection.execute("PRAGMA quick_check(1)").fetchall()
    return (
        ""
        if found == "ok"
        else " ".join(str(found).removeprefix("*** in database main ***").split())
    )


def _has_sound_structure(connection: sqlite3.Connection) -> bool:
    connection.execute("PRAGMA ignore_check_constraints = ON")
    try:
        return connection.execute("PRAGMA quick_check(1)").fetchall() == [("ok",)]
    finally:
        connection.execute("PRAGMA ignore_check_constraints = OFF")


def _keeps_rules(connection: sqlite3.Connection) -> bool:
    """Return whether all rows surely keep the rules of their tables."""
    try:
        return not any(
            connection.execute(
                f'SELECT 1 FROM "{table}" NOT INDEXED WHERE NOT {" OR NOT ".join(rules)} LIMIT 1'
            ).fetchall()
            for table, sql in connection.execute(TABLES).fetchall()
            if (rules := rules_of(sql))
        )
    except sqlite3.DatabaseError:  # a rule about JSON fails where it is malformed
        return False


def rules_of(sql: str) -> list[str]:
    """Return the conditions of a table's CHECK constraints, false if comments may hide one."""
    if COMMENT.search(sql):
        return ["(false)"]
    return [sql[rule.end() : _end_of_brackets(sql, rule.end())] for rule in RULE.finditer(sql)]


def _end_of_brackets(sql: str, begin: int) -> int:
    depth = 0
    for token in QUOTED_OR_BRACKET.finditer(sql, begin):
        depth += {"(": 1, ")": -1}.get(token[0], 0)
        if not depth:
            return token.end()
    return len(sql)
