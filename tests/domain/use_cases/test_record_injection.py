from hardwon.domain.model.filters import LEARNINGS
from hardwon.domain.model.injection.receipt import Receipt
from hardwon.domain.use_cases.record_injection import RecordInjection
from tests.fakes.activity import InMemoryReceipts, InMemoryUsageLog
from tests.fakes.entries import InMemoryEntryRepository
from tests.strategies import NOW, lesson

RECEIPT = Receipt("one", "prompt", NOW, "here", "parser", None, "adaptive", "d", ("",))


def test_an_injection_is_counted_at_the_time_of_its_receipt_or_a_line_reports_the_loss() -> None:
    repository, receipts = InMemoryEntryRepository(), InMemoryReceipts()
    usage = InMemoryUsageLog(repository.state)
    repository.put(lesson("Split at commas."))
    record = RecordInjection(usage, receipts, repository.transaction)

    assert record.record(RECEIPT, [1]) == ()
    usage.busy = True
    [lost] = record.record(RECEIPT, [1])
    assert lost.startswith("recall not counted, no receipt kept: ")
    [entry] = repository.matching(LEARNINGS, limit=2)
    assert (entry.recall_count, entry.last_recalled_at) == (1, NOW)
    assert [receipt.number for receipt in receipts.newest(limit=2)] == [1]
