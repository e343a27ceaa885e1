from typing import Protocol


class PlanFiles(Protocol):
    """The plans of the project's phases."""

    def of_phase(self, number: str) -> str | None:
        """Return the plan of the phase of that number, as a path from the project's folder; None when there is none."""
        ...
