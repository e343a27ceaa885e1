"""Scripts that measure the structure, check the words, and write files."""
