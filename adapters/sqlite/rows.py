"""Entries as rows, by hand: the hook's path has no time to import cattrs."""

import datetime as dt
import json
import math
from typing import TYPE_CHECKING

from hardwon.adapters.sqlite.database import Row, from_text, to_text
from hardwon.domain.model.identity import word_count
from hardwon.domain.model.injection.related_conversations import TOLD_CHARACTERS, ToldConversation
from hardwon.domain.model.ranking.candidates import RankingFacts, RecallFacts
from hardwon.domain.model.ranking.decay import NEVER_SEARCHED
from hardwon.domain.model.usage import Usage, Validations

if TYPE_CHECKING:
    from hardwon.domain.model.entry import Entry

SELECT_PRINTED = """
    SELECT e.seq, t.name, t.description, t.notes, e.category, e.observation_count, e.confidence
    FROM json_each(?) wanted JOIN entry e ON e.seq = wanted.value JOIN entry_text t ON t.entry_seq = e.seq
    ORDER BY wanted.key
"""
"""Its columns are the fields of `PrintedEntry`."""

TOLD_COLUMNS = f"e.seq, e.id, e.kind, t.name, substr(t.description, 1, {TOLD_CHARACTERS}), e.updated_at"
"""The fields of `ToldConversation`."""

SELECT_TOLD = f"""
    SELECT {TOLD_COLUMNS}
    FROM json_each(?) wanted JOIN entry e ON e.seq = wanted.value JOIN entry_text t ON t.entry_seq = e.seq
    ORDER BY wanted.key
"""

SELECT_TOLD_NEWEST = f"""
    SELECT {TOLD_COLUMNS}
    FROM entry e JOIN entry_text t ON t.entry_seq = e.seq WHERE {{within}}
    ORDER BY e.updated_at DESC, e.id LIMIT ?
"""

SELECT_ENTRY = """
    SELECT e.kind, t.name, t.description, t.reasoning, t.notes, e.category, t.keywords, t."references",
        e.observation_count, e.confidence, t.created_at, e.updated_at, t.source, e.project,
        coalesce(r.recall_count, 0), r.last_recalled_at, t.tags, e.workspace, e.branch, e.permanent,
        t.file_path, t.file_mtime, t.file_hash, t.anchor_id, e.tier, e.importance_weight, e.context_type,
        t.trigger_phrases, e.spec_folder, t.channel, t.session_id, coalesce(u.access_count, 0), u.last_accessed,
        coalesce(u.validation_count, 0), coalesce(u.useful_count, 0), t.own_tier, e.seq
    FROM entry e JOIN entry_text t ON t.entry_seq = e.seq LEFT JOIN recall r ON r.entry_seq = e.seq
        LEFT JOIN usage u ON u.entry_seq = e.seq
"""

FACT_COLUMNS = "e.seq, e.id, e.category, e.observation_count, e.confidence, e.updated_at"
"""What ranking reads, but for the recall count, which comes last."""

RANKING_VALUES = 7
"""How many values ranking reads, the recall count included."""

RECALL_COLUMNS = """
    e.kind, e.project, e.workspace, e.branch, e.permanent, e.content_hash, e.words,
    e.tier, e.importance_weight, e.created_at_epoch, t.anchor_id, t.file_path
"""
"""What only the policies of recall read."""

UPSERT_ENTRY = """
    INSERT INTO entry (id, kind, category, observation_count, confidence, updated_at, project, workspace, branch,
        permanent, content_hash, words, tier, importance_weight, context_type, spec_folder, created_at_epoch,
        expires_at, retired)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET category = excluded.category, observation_count = excluded.observation_count,
        confidence = excluded.confidence, updated_at = excluded.updated_at, project = excluded.project,
        workspace = excluded.workspace, branch = excluded.branch, permanent = excluded.permanent,
        content_hash = excluded.content_hash, words = excluded.words, tier = excluded.tier,
        importance_weight = excluded.importance_weight, context_type = excluded.context_type,
        spec_folder = excluded.spec_folder, expires_at = excluded.expires_at,
        retired = max(excluded.retired, entry.retired AND excluded.expires_at IS NOT NULL
            AND excluded.expires_at IS entry.expires_at)
    RETURNING seq, retired
"""

UPSERT_TEXT = """
    INSERT INTO entry_text (entry_seq, name, description, reasoning, notes, keywords, tags, "references", text_hash,
        created_at, source, file_path, file_mtime, file_hash, anchor_id, trigger_phrases, channel, session_id,
        own_tier)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (entry_seq) DO UPDATE SET name = excluded.name, description = excluded.description,
        reasoning = excluded.reasoning, notes = excluded.notes, keywords = excluded.keywords, tags = excluded.tags,
        "references" = excluded."references", text_hash = excluded.text_hash, source = excluded.source,
        file_path = excluded.file_path, file_mtime = excluded.file_mtime, file_hash = excluded.file_hash,
        trigger_phrases = excluded.trigger_phrases, channel = excluded.channel, session_id = excluded.session_id,
        own_tier = excluded.own_tier
"""


def text_hash(text: str) -> str:
    """Return what identifies the text a vector was made of."""
    import hashlib  # noqa: PLC0415  # brings OpenSSL: not on the hook's path

    return hashlib.sha256(text.encode()).hexdigest()


def is_retired(entry: "Entry") -> bool:
    """Tell whether *entry* is in no index; what expires joins these when its time has come."""
    return entry.tier == NEVER_SEARCHED


def entry_row(entry: "Entry") -> tuple[object, ...]:
    """Return the values of `UPSERT_ENTRY`."""
    return (
        entry.entry_id,
        entry.kind,
        entry.category,
        entry.observation_count,
        entry.confidence,
        to_text(entry.updated_at),
        entry.source_project,
        entry.workspace,
        entry.branch,
        entry.permanent,
        entry.content_hash,
        word_count(entry.searchable_text()),
        entry.tier,
        entry.importance_weight,
        entry.context_type,
        entry.spec_folder,
        math.floor(entry.created_at.timestamp()),
        to_text(entry.expires_at) if entry.expires_at else None,
        is_retired(entry),
    )


def text_row(seq: int, entry: "Entry") -> tuple[object, ...]:
    """Return the values of `UPSERT_TEXT`."""
    return (
        seq,
        entry.name,
        entry.description,
        entry.reasoning,
        entry.notes,
        json.dumps(entry.keywords, ensure_ascii=False),
        json.dumps(entry.tags, ensure_ascii=False),
        json.dumps(entry.references, ensure_ascii=False),
        text_hash(entry.searchable_text()),
        to_text(entry.created_at),
        entry.source,
        entry.file_path,
        entry.file_mtime,
        entry.file_hash,
        entry.anchor_id,
        json.dumps(entry.trigger_phrases, ensure_ascii=False),
        entry.channel,
        entry.session_id,
        entry.own_tier,
    )


def to_entry(row: Row) -> "Entry":
    """Return the entry of a row of `SELECT_ENTRY`."""
    from hardwon.domain.model.entry import Entry  # noqa: PLC0415  # brings attrs: not on the hook's path

    kind, name, description, reasoning, notes, category, keywords, references, *rest = row
    count, confidence, created_at, updated_at, source, source_project, recalls, recalled_at, *rest = rest
    tags, workspace, branch, permanent, file_path, file_mtime, file_hash, *rest = rest
    anchor_id, tier, importance_weight, context_type, trigger_phrases, spec_folder, channel, session_id, *rest = rest
    accesses, accessed_at, validations, useful, own_tier, number = rest
    return Entry(
        kind=kind,
        name=name,
        description=description,
        reasoning=reasoning,
        notes=notes,
        category=category,
        keywords=tuple(json.loads(keywords)),
        references=tuple(json.loads(references)),
        observation_count=count,
        confidence=confidence,
        created_at=from_text(created_at),
        updated_at=from_text(updated_at),
        source=source,
        source_project=source_project,
        tags=tuple(json.loads(tags)),
        workspace=workspace,
        branch=branch,
        permanent=bool(permanent),
        file_path=file_path,
        file_mtime=file_mtime,
        file_hash=file_hash,
        anchor_id=anchor_id,
        tier=tier,
        own_tier=bool(own_tier),
        importance_weight=importance_weight,
        context_type=context_type,
        trigger_phrases=tuple(json.loads(trigger_phrases)),
        spec_folder=spec_folder,
        channel=channel,
        session_id=session_id,
        usage=Usage(accesses, from_text(accessed_at) if accessed_at else None, Validations(validations, useful)),
        number=number,
        recall_count=recalls,
        last_recalled_at=from_text(recalled_at) if recalled_at else None,
    )


def to_told(row: Row) -> ToldConversation:
    """Return the conversation of a row of `TOLD_COLUMNS`."""
    return ToldConversation(*row)._replace(updated_at=from_text(row[-1]))


def to_facts(row: Row) -> RankingFacts:
    """Return the facts of a row of `FACT_COLUMNS` and the recall count."""
    seq, entry_id, category, count, confidence, updated_at, recalls = row
    return RankingFacts(seq, entry_id, category, count, confidence, from_text(updated_at), recalls)


def to_recall_facts(row: Row) -> RecallFacts:
    """Return the facts of a row of `FACT_COLUMNS`, the recall count and `RECALL_COLUMNS`."""
    kind, project, workspace, branch, permanent, content_hash, words, *rest = row[RANKING_VALUES:]
    tier, weight, created_at, anchor_id, file_path = rest
    return RecallFacts(
        ranking=to_facts(row[:RANKING_VALUES]),
        kind=kind,
        project=project,
        workspace=workspace,
        branch=branch,
        permanent=bool(permanent),
        content_hash=content_hash,
        words=words,
        tier=tier,
        importance_weight=weight,
        created_at=dt.datetime.fromtimestamp(created_at, dt.UTC),
        anchor_id=anchor_id,
        file_path=file_path,
    )
