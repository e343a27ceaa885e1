"""Scripts that look at the house: figures of its structure, and a list of words that it does without."""
