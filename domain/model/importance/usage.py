import datetime as dt
from typing import NamedTuple

from hardwon.domain.model.importance.validation import Validations


class Usage(NamedTuple):
    """
    What searching and judging an entry has counted.

    Attributes:
        access_count: How often a search found it or somebody loaded it.
        last_accessed: When that was last.
        validations: What those who used it made of it.

    """

    access_count: int = 0
    last_accessed: dt.datetime | None = None
    validations: Validations = Validations()


UNUSED = Usage()
