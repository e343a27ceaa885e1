"""Two members of one tenant on the same lessons and files."""

import datetime as dt
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, closing

import attrs
import pytest

from hardwon.adapters.postgres.database import PostgresDatabase
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.filters import EVERYTHING
from hardwon.domain.model.injection.receipt import Receipt, ReceiptEntry
from hardwon.domain.model.project import Conversations, Identity
from hardwon.ports.entries import Proposal
from tests.contracts.worlds import IN_TIME, World
from tests.postgres_server import member, world_of
from tests.strategies import DAY, NOW, lesson, of_file

pytestmark = pytest.mark.postgres

CHAT = of_file(
    "What was said of the parser.",
    kind="conversation",
    anchor_id="0123456789abcdef",
    source="session-capture",
)
"""A captured section, whose id is its anchor: it has the same one in every clone."""


@pytest.fixture
def two() -> Iterator[tuple[World, World]]:
    """Yield the worlds of Ann and Bob."""
    tenant = uuid.uuid4().hex
    with ExitStack() as stack:
        addresses = [stack.enter_context(member(tenant)) for _ in range(2)]
        ann, bob = (
            world_of(stack.enter_context(closing(PostgresDatabase(address))))
            for address in addresses
        )
        yield ann, bob


def index_chat(world: World, place: str, how: Conversations, at: dt.datetime = NOW) -> Entry:
    """Store the conversation as a member finds it in the working copy at *place*."""
    project = world.projects.add(Identity(place, place), "work")
    world.projects.put(project._replace(chosen=how))
    entry = attrs.evolve(CHAT, project=project.id, file_path=f"{place}/chat.md", updated_at=at)
    world.repository.put(entry)
    return entry


def seen(world: World) -> list[str | None]:
    return [entry.file_path for entry in world.repository.matching(EVERYTHING, limit=9)]


def test_a_shared_conversation_of_two_clones_is_one_that_its_first_member_keeps(
    two: tuple[World, World],
) -> None:
    ann, bob = two
    index_chat(ann, "/ann", "shared")
    index_chat(bob, "/bob", "shared")

    assert seen(ann) == seen(bob) == ["/ann/chat.md"]
    assert ann.repository.of_file("/ann/chat.md")
    assert bob.keywords.match(["parser"], "any", EVERYTHING, IN_TIME).count() == 1


def test_a_later_version_of_a_shared_conversation_counts(two: tuple[World, World]) -> None:
    ann, bob = two
    index_chat(ann, "/ann", "shared")
    index_chat(bob, "/bob", "shared", NOW + DAY)
    index_chat(ann, "/ann", "shared")

    assert seen(ann) == seen(bob) == ["/bob/chat.md"]


def test_conversations_that_two_members_come_to_share_are_one(two: tuple[World, World]) -> None:
    ann, bob = two
    kept: tuple[Conversations, ...] = ("private", "shared")
    for how in kept:
        index_chat(ann, "/ann", how)
        index_chat(bob, "/bob", how)

    assert seen(ann) == seen(bob)
    assert len(seen(ann)) == 1


def test_a_member_who_keeps_conversations_private_takes_none_from_the_others(
    two: tuple[World, World],
) -> None:
    ann, bob = two
    index_chat(ann, "/ann", "shared")
    index_chat(bob, "/bob", "private")

    assert seen(ann) == ["/ann/chat.md"]
    assert sorted(map(str, seen(bob))) == ["/ann/chat.md", "/bob/chat.md"]


def test_a_conversation_that_is_shared_and_made_private_again_keeps_what_is_known_of_it(
    two: tuple[World, World],
) -> None:
    ann, bob = two
    ann.add(lesson("Said of the parser."))
    other = lesson("Said of the parser.").entry_id
    ways: tuple[Conversations, ...] = ("private", "shared", "private")
    for how in ways:
        index_chat(ann, "/ann", how)
        number = ann.numbers()[CHAT.entry_id]
        ann.usage.record_access([number], NOW)
        ann.usage.record_recall([number], NOW)
        ann.projects.add_place(CHAT.entry_id, f"place {how}")
        ann.proposals.propose(Proposal(CHAT.entry_id, other, 0.5))
        is_shared = how == "shared"

        assert (number in bob.numbers().values()) == is_shared
        assert len(ann.proposals.open(9)) == 1
        assert len(bob.proposals.open(9)) == int(is_shared)
    kept = ann.repository.by_id(CHAT.entry_id)
    assert kept is not None
    assert (kept.usage.access_count, kept.recall_count) == (len(ways), len(ways))
    assert ann.projects.places_of(CHAT.entry_id) == ("place private", "place shared")
    assert bob.repository.by_id(CHAT.entry_id) is None


def test_a_lesson_that_another_member_rewords_keeps_what_was_shown_of_it(
    two: tuple[World, World],
) -> None:
    ann, bob = two
    before, after = lesson("Retry the deploy."), lesson("Retry the deploy with a backoff.")
    ann.repository.put(before)
    shown = (ReceiptEntry(before.entry_id, "lesson", "d"),)
    receipt = Receipt(
        "s",
        "prompt",
        NOW,
        "here",
        "q",
        None,
        "hybrid",
        "d",
        ("", ""),
        shown=shown,
        delivery="awaited",
    )
    bob.receipts.record(receipt)
    ann.repository.reword(before.entry_id, after)
    [awaited] = bob.deliveries.undelivered("s")

    assert [text.entry_id for text in bob.influences.shown_texts("s", 9)] == [after.entry_id]
    assert bob.deliveries.settle(awaited.number, "delivered")
    assert [entry.recall_count for entry in bob.repository.matching(EVERYTHING, limit=9)] == [1]


def test_trust_in_a_project_is_a_members_own(two: tuple[World, World]) -> None:
    ann, bob = two
    own = ann.projects.add(Identity("/ann", "/ann"), "work")
    ann.projects.put(own._replace(trust="trusted"))
    [of_ann] = bob.projects.known()

    assert of_ann.trust == "unsaid"
    bob.projects.put(of_ann._replace(trust="revoked"))
    assert [project.trust for project in bob.projects.known()] == ["revoked"]
    assert [project.trust for project in ann.projects.known()] == ["trusted"]
    bob.projects.trust_below("/shared", trusted=True)
    assert (bob.projects.trusted_folders(), ann.projects.trusted_folders()) == (("/shared",), ())
