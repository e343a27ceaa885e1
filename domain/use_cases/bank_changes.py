from collections.abc import Iterator

from hardwon.ports.import_ledger import ImportLedger
from hardwon.ports.knowledge_bank import BankFile, KnowledgeBank


def changed_files(bank: KnowledgeBank, ledger: ImportLedger) -> Iterator[BankFile]:
    """Yield the files of *bank* that are not as they were when they were last imported."""
    return (file for file in bank.files() if ledger.fingerprint(file.path) != file.fingerprint)
