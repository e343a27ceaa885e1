COMMAND_PHRASES = ("save context", "document this")
"""What a user says to have something remembered, unless configured otherwise (requirement D-C6)."""
