"""Migration *n* (from 1) brings a store of version *n - 1* to version *n*."""

import sqlite3
from collections.abc import Callable

from hardwon.adapters.sqlite.migrations.documents import keep_documents
from hardwon.adapters.sqlite.migrations.files import keep_files
from hardwon.adapters.sqlite.migrations.keyword_texts import keep_keyword_texts
from hardwon.adapters.sqlite.migrations.learnings import keep_learnings
from hardwon.adapters.sqlite.migrations.own_tiers import keep_own_tiers
from hardwon.adapters.sqlite.migrations.receipts import keep_receipts

MIGRATIONS: tuple[Callable[[sqlite3.Connection], None], ...] = (
    keep_learnings,
    keep_files,
    keep_documents,
    keep_receipts,
    keep_keyword_texts,
    keep_own_tiers,
)
