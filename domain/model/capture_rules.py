"""What capture goes by. Standard library only: settings, which the hooks read, are checked against it."""

BOUNDARY_COMMANDS = ("/tlc:plan", "/tlc:build", "/tlc:discuss")
"""What begins a new subject (requirement C-T3.3)."""

BUFFERED = 20
"""So many exchanges of a session are at hand (requirement C-T8.1)."""
