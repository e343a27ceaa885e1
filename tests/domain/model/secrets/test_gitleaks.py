"""The public rules of gitleaks, the best known list of secrets, against ours."""

from pathlib import Path

from hardwon.domain.model.secrets.find import RULES

LIST = Path(__file__).with_name("gitleaks.txt")
PUBLIC_RULES = 222


def test_every_public_rule_of_gitleaks_has_a_counterpart_or_a_reason() -> None:
    rows = [line.split("\t") for line in LIST.read_text().splitlines() if not line.startswith("#")]
    ours = {rule.name for rule in RULES}

    assert len({theirs for theirs, _ in rows}) == len(rows) == PUBLIC_RULES
    assert [row for row in rows if row[1] not in ours and not row[1].startswith("- ")] == []
