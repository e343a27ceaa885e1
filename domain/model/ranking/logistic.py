"""The logistic function."""

import math


def logistic(logit: float) -> float:
    """Return the probability whose logarithm of the odds is *logit*, in `[0, 1]`."""
    return 1 / (1 + math.exp(-logit)) if logit >= 0 else math.exp(logit) / (1 + math.exp(logit))
