def main() -> None:
    """Placeholder until the commands are there."""
