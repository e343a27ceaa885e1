import sqlite3


def run(connection: sqlite3.Connection, *scripts: str) -> None:
    """Run the statements of *scripts*, which end at the end of a line, within the transaction that is open."""
    for script in scripts:
        for statement in filter(str.strip, script.split(";\n")):
            connection.execute(statement)
