"""
The first damage of a database.

Imported for a check only.
"""

import re
import sqlite3

QUOTED = r"""'[^']*'|"[^"]*"|`[^`]*`|\[[^\]]*\]"""
QUOTED_OR_COMMENT = re.compile(rf"({QUOTED})|--[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
QUOTED_OR_RULE = re.compile(rf"{QUOTED}|\bCHECK\s*(\()", re.IGNORECASE)
QUOTED_OR_BRACKET = re.compile(rf"{QUOTED}|[()]")
TABLES = """
    SELECT name, sql FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'
"""


def damage_of(connection: sqlite3.Connection) -> str:
    """
    Return the first damage of a database, empty if sound.

    A query checks the rules of a table in a quarter of the time that SQLite's check takes,
    which makes the lists in them again for each row. That one names damage where there is some,
    but it knows no rules on a connection that can't write.
    """
    broken = ""
    if _has_sound_structure(connection) and not (broken := _broken_rule(connection)):
        return ""
    [(found, *_)] = connection.execute("PRAGMA quick_check(1)").fetchall()
    return (
        broken
        if found == "ok"
        else " ".join(str(found).removeprefix("*** in database main ***").split())
    )


def _has_sound_structure(connection: sqlite3.Connection) -> bool:
    connection.execute("PRAGMA ignore_check_constraints = ON")
    try:
        return connection.execute("PRAGMA quick_check(1)").fetchall() == [("ok",)]
    finally:
        connection.execute("PRAGMA ignore_check_constraints = OFF")


def _broken_rule(connection: sqlite3.Connection) -> str:
    for table, sql in connection.execute(TABLES).fetchall():
        try:
            if breaks_rule(connection, table, sql):
                return f"CHECK constraint failed in {table}"
        except sqlite3.DatabaseError as error:  # a rule about JSON fails where it is malformed
            return f"{error} in {table}"
    return ""


def breaks_rule(connection: sqlite3.Connection, table: str, sql: str) -> bool:
    """
    Return whether a row of *table* breaks a rule in its *sql*.

    Raises:
        DatabaseError: a rule can't be computed.
    """
    if not (rules := rules_of(sql)):
        return False
    broken = " OR NOT ".join(rules)
    query = f'SELECT 1 FROM "{table}" NOT INDEXED WHERE NOT {broken} LIMIT 1'
    return bool(connection.execute(query).fetchall())


def rules_of(sql: str) -> list[str]:
    """Return the conditions of a table's CHECK constraints."""
    plain = QUOTED_OR_COMMENT.sub(lambda found: found[1] or " ", sql)
    begins = [rule.start(1) for rule in QUOTED_OR_RULE.finditer(plain) if rule[1]]
    return [plain[begin : _end_of_brackets(plain, begin)] for begin in begins]


def _end_of_brackets(sql: str, begin: int) -> int:
    depth = 0
    for token in QUOTED_OR_BRACKET.finditer(sql, begin):
        depth += {"(": 1, ")": -1}.get(token[0], 0)
        if not depth:
            return token.end()
    return len(sql)
