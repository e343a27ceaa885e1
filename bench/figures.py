from typing import Literal, NamedTuple


class Aim(NamedTuple):
    """The most that a figure's value, or its ratio, should be."""

    most: float
    of: Literal["value", "ratio"]


class Figure(NamedTuple):
    """
    One measured figure.

    Attributes:
        name: For scripts.
        title: For people: what was measured.
        entries: How many entries the store had.
        value: A median.
        unit: Of the value.
        ratio: The value over that of *ratio_to*, measured in the same run; None for none.
        ratio_to: The baseline.
        aim: The value it should have; None when nothing was promised.
        note: Problems while measuring.

    """

    name: str
    title: str
    entries: int
    value: float
    unit: str
    ratio: float | None = None
    ratio_to: str = "python -c pass"
    aim: Aim | None = None
    note: str = ""

    @property
    def met(self) -> bool | None:
        """
        Whether the aim is met, and nothing is noted.

        None without one.
        """
        if self.aim is None:
            return None
        measured = self.value if self.aim.of == "value" else self.ratio
        return not self.note and measured is not None and measured <= self.aim.most


SIZES = (1_000, 10_000, 100_000, 1_000_000)


def aim_of(targets: tuple[float, ...], entries: int, of: Literal["value", "ratio"]) -> Aim | None:
    """
    Return the aim at the size *entries*, if there are *targets*.

    There is one for each of `SIZES`.
    """
    aims = dict(zip(SIZES, targets, strict=False))
    return Aim(aims[entries], of) if entries in aims else None
