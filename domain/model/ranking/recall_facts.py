import datetime as dt
from typing import NamedTuple

from hardwon.domain.model.ranking.facts import RankingFacts
from hardwon.domain.model.vocabulary import Kind, Tier


class RecallFacts(NamedTuple):
    """
    What the policies of recall read of an entry.

    Attributes:
        ranking: What every policy reads; its category is None for what is no learning.
        kind: What it is.
        project: Where it comes from; None for a universal one.
        workspace: The folder of projects it comes from.
        branch: The git branch it comes from.
        permanent: Whether it is kept for good.
        content_hash: Two entries with the same one say the same.
        words: How long its texts are.
        tier: How much it matters.
        importance_weight: At 1 it does not decay.
        created_at: Drives decay; to the second.
        anchor_id: The section of a file it stands for; empty for a whole file.
        file_path: That file; None for a learning.

    """

    ranking: RankingFacts
    kind: Kind
    project: str | None
    workspace: str | None
    branch: str | None
    permanent: bool
    content_hash: str
    words: int
    tier: Tier
    importance_weight: float
    created_at: dt.datetime
    anchor_id: str
    file_path: str | None = None
