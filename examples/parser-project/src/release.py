"""What the release pipeline promotes, and where to."""

from dataclasses import dataclass

STAGES = ("staging", "canary", "production")


@dataclass(frozen=True)
class Release:
    """One image, named by its digest, and the stage it has reached."""

    digest: str
    stage: str = STAGES[0]

    def promoted(self) -> "Release":
        """Return the same image, one stage further."""
        following = STAGES.index(self.stage) + 1
        if following == len(STAGES):
            raise ValueError(f"{self.digest} is in {self.stage} already")
        return Release(self.digest, STAGES[following])
