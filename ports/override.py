"""
`typing.override`, which Python 3.11 lacks.

Nothing is imported for it at run time.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

__all__ = ["override"]

Method = TypeVar("Method", bound=Callable[..., object])

if TYPE_CHECKING:
    from typing_extensions import override
else:

    def override(method: Method) -> Method:
        """Mark *method* as one that a port declares and documents."""
        return method
