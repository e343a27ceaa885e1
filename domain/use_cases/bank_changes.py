"""
Detect changed knowledge-bank files.

The import itself is in another module: `attrs` would slow down a session start.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hardwon.ports.file_state import ImportLedger
    from hardwon.ports.knowledge_bank import BankFile, KnowledgeBank


def changed_files(bank: "KnowledgeBank", ledger: "ImportLedger") -> "Iterator[BankFile]":
    """Yield the files whose fingerprint differs from that of their last import."""
    return (file for file in bank.files() if ledger.fingerprint(file.path) != file.fingerprint)
