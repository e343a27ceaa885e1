import pytest

from hardwon.adapters.threads import Threads
from hardwon.domain.model.errors import EmbedderUnavailableError
from hardwon.domain.model.evaluation.baselines import MEASURED
from hardwon.domain.model.evaluation.eval_set import EvalQuery, EvalSet, JudgedQuery, document_entry
from hardwon.domain.model.ranking.prominence import SignalWeights
from hardwon.domain.use_cases.embed_pending import EmbedPending
from hardwon.domain.use_cases.evaluate import STANDING_STILL, Evaluate, Stage
from hardwon.domain.use_cases.recall import Recall
from hardwon.domain.use_cases.retrieve import Retrieve, SemanticSearch
from hardwon.ports.models import Embedder
from tests.fakes.clock import FixedClock
from tests.fakes.entries import InMemoryEntryRepository
from tests.fakes.models import PlantedEmbedder, UnreliableEmbedder
from tests.fakes.searches import InMemoryKeywordIndex, InMemoryVectorIndex
from tests.fakes.state import State
from tests.fakes.vectors import InMemoryVectorStore
from tests.strategies import planted

EVERY = list(MEASURED)
QUIETLY: Stage = lambda *_: None  # noqa: E731  # a value to hand over
TEXTS = {"a": "parser retry", "b": "deploy lock", "c": "cache socket"}


def eval_set(**groups: str) -> EvalSet:
    documents = {
        key: document_entry(key, text, group=groups.get(key)) for key, text in TEXTS.items()
    }
    queries = (
        JudgedQuery(EvalQuery("q-a", "retry a parser", groups.get("a")), {"a": 1.0}),
        JudgedQuery(EvalQuery("q-b", "cache", groups.get("b")), {"b": 2.0, "c": 1.0}),
    )
    return EvalSet("planted", {key: entry for key, entry in documents.items() if entry}, queries)


def evaluate(embedder: Embedder | None, *, words: bool = True) -> Evaluate:
    """Return the use case on an empty store in memory."""
    state, clock = State(), FixedClock()
    repository, vectors = InMemoryEntryRepository(state), InMemoryVectorStore(state)
    semantic = [SemanticSearch(embedder, vectors, InMemoryVectorIndex(vectors))] if embedder else []
    retrieve = Retrieve(semantic, InMemoryKeywordIndex(state, available=words), Threads())
    recall = Recall(repository, retrieve, clock, SignalWeights())
    embed = EmbedPending(embedder, vectors) if embedder else None
    return Evaluate(repository, embed, recall, clock.monotonic)


def planted_embedder() -> PlantedEmbedder:
    near, far = planted(0.9), planted(0.1)
    same = {"retry a parser": planted(1.0), "cache": planted(1.0)}
    return PlantedEmbedder({**same, "parser retry": near, "deploy lock": far, "cache socket": far})


def test_policies_are_measured_by_their_results() -> None:
    run = evaluate(planted_embedder())
    report = run.measure(eval_set(), EVERY, QUIETLY)

    assert list(report.policies) == EVERY
    assert report.policies["keyword"].few_hit == 1.0
    assert report.queries["q-a"].ndcg == dict.fromkeys(EVERY, 1.0)
    assert report.queries["q-b"].ndcg["keyword"] == pytest.approx(1 / (2 + 1 / 1.5849625))
    assert report.degradations == ()


def test_a_query_with_a_group_searches_its_own_only() -> None:
    run = evaluate(planted_embedder())
    report = run.measure(eval_set(a="one", b="two", c="one"), EVERY, QUIETLY)

    # b, the only one of its group, can be found by meaning; c holds the word, but is of another
    # group
    assert report.queries["q-b"].ndcg["vector"] == pytest.approx(2 / (2 + 1 / 1.5849625))
    assert report.queries["q-b"].ndcg["keyword"] == 0


def test_every_question_is_embedded_before_the_first_is_timed() -> None:
    embedder = planted_embedder()
    run = evaluate(embedder)
    reported, asked_before_queries = list[tuple[str, int, int]](), list[int]()

    def stage(what: str, done: int, total: int) -> None:
        reported.append((what, done, total))
        if (what, done) == ("embedding", 5):
            asked_before_queries.append(len(embedder.asked))

    run.measure(eval_set(), ["rrf"], stage)
    assert asked_before_queries == [5]
    assert reported[-1] == ("queries", 2, 2)
    assert [done for what, done, _ in reported if what == "embedding"] == [3, 4, 5]


def test_without_an_embedder_words_alone_are_measured() -> None:
    run = evaluate(None)

    assert run.measure(eval_set(), ["keyword"], QUIETLY).policies["keyword"].few_hit == 1.0


def test_an_embedder_that_gives_up_stops_the_run() -> None:
    run = evaluate(UnreliableEmbedder(planted_embedder(), failing={1}))

    with pytest.raises(EmbedderUnavailableError):
        run.measure(eval_set(), EVERY, QUIETLY)


def test_missing_signals_are_reported_once() -> None:
    run = evaluate(planted_embedder(), words=False)
    report = run.measure(eval_set(), EVERY, QUIETLY)

    assert len(report.degradations) == 1


def test_the_same_set_gives_the_same_report() -> None:
    first, second = evaluate(planted_embedder()), evaluate(planted_embedder())

    assert first.measure(eval_set(), EVERY, QUIETLY) == second.measure(eval_set(), EVERY, QUIETLY)


def test_no_search_is_late_however_busy_the_machine_is() -> None:
    assert not STANDING_STILL.within(0.001).passed()
