"""How a command leaves: its exit code, and what is closed."""

from contextlib import ExitStack

OK, USERS_MISTAKE, OUR_FAILURE = 0, 1, 2
"""The exit codes of every command."""

at_end = ExitStack()
"""Closes what the command opened."""
