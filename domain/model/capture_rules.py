"""Constants of capture. Standard library only: settings, which the hooks read, are checked against them."""

BOUNDARY_COMMANDS = ("/tlc:plan", "/tlc:build", "/tlc:discuss")
"""Slash commands that begin a new subject."""

BUFFERED = 20
"""Exchanges of a session that are at hand."""
