import re

from hypothesis import example, given
from hypothesis import strategies as st

from hardwon.domain.model.conversation.chunker import MAX_EXCHANGES, Chunker
from hardwon.domain.model.conversation.describe import described
from hardwon.domain.model.conversation.session import Exchange, SessionBuffer, chunk_identity
from hardwon.domain.model.topic_words import slug
from tests.conversations import exchanges, sessions
from tests.strategies import NOW, few_examples

TOPIC = re.compile(r"[^\W_]+(?: [^\W_]+)*")
SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")

chunkers = st.sampled_from([Chunker(), Chunker(boundaries=())])


@few_examples
@given(session=sessions(), chunker=chunkers)
def test_nothing_is_lost_doubled_or_moved(session: list[Exchange], chunker: Chunker) -> None:
    drafts = chunker.chunk(session)

    assert [exchange for draft in drafts for exchange in draft.exchanges] == session
    assert all(1 <= len(draft.exchanges) <= MAX_EXCHANGES for draft in drafts)
    assert all(draft.is_closed for draft in drafts[:-1])


@given(session=sessions(), chunker=chunkers, data=st.data())
def test_later_exchanges_change_no_closed_chunk(
    session: list[Exchange], chunker: Chunker, data: st.DataObject
) -> None:
    count = data.draw(st.integers(0, len(session)))
    drafts = chunker.chunk(session[:count])
    closed = tuple(draft for draft in drafts if draft.is_closed)
    for exchange in session[count:]:
        drafts = chunker.add(drafts, exchange)

    assert drafts == chunker.chunk(session)
    assert drafts[: len(closed)] == closed


@few_examples
@given(session=sessions(), chunker=chunkers)
def test_a_session_is_cut_alike_however_often_an_exchange_is_added(
    session: list[Exchange], chunker: Chunker
) -> None:
    drafts = chunker.chunk([])
    for exchange in session:
        drafts = chunker.add(chunker.add(drafts, exchange), exchange)

    assert drafts == chunker.chunk(session)


@few_examples
@given(session=sessions(), every=st.integers(1, 6))
def test_a_buffer_that_forgets_what_is_written_is_cut_alike(
    session: list[Exchange], every: int
) -> None:
    buffer, seen = SessionBuffer(session_id="s", project_root="/app"), dict[str, tuple[str, int]]()
    for place, exchange in enumerate(session):
        buffer = SessionBuffer(
            session_id="s", project_root="/app", drafts=Chunker().add(buffer.drafts, exchange)
        )
        seen |= {
            chunk_identity("app", d.exchanges[0]): (d.topic, len(d.exchanges))
            for d in buffer.drafts
        }
        buffer = buffer.all_written() if place % every == 0 else buffer

    whole = Chunker().chunk(session)
    assert seen == {
        chunk_identity("app", d.exchanges[0]): (d.topic, len(d.exchanges)) for d in whole
    }


@few_examples
@given(session=sessions(), chunker=chunkers)
@example(session=[Exchange("", "00\u00d8", NOW)], chunker=Chunker())
@example(session=[Exchange("\u4fee\u590d\u767b\u5f55", "", NOW)], chunker=Chunker())
def test_a_topic_is_a_few_words_that_fit_a_file_name(
    session: list[Exchange], chunker: Chunker
) -> None:
    for draft in chunker.chunk(session):
        assert TOPIC.fullmatch(draft.topic)
        assert SLUG.fullmatch(slug(draft.topic))
        assert len(draft.topic) <= 100


@few_examples
@given(session=sessions(), project=st.sampled_from(["app", "other"]))
def test_ids_differ_where_first_exchanges_do(session: list[Exchange], project: str) -> None:
    drafts = Chunker().chunk(session)
    ids = [described(draft, project, None).chunk_id for draft in drafts]

    assert ids == [described(draft, project, "s").chunk_id for draft in drafts]
    assert len(set(ids)) == len(drafts)


@few_examples
@given(any_order=st.lists(exchanges(), max_size=12))
def test_exchanges_in_any_order_of_time_are_cut_without_complaint(
    any_order: list[Exchange],
) -> None:
    drafts = Chunker().chunk(any_order)

    assert sum(len(draft.exchanges) for draft in drafts) <= len(any_order)
