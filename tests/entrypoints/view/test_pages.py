"""The pages of `hardwon view`: what they show of a store, and as lists for programs."""

import contextlib
import csv
import datetime as dt
import io
import re

import attrs
import pytest

from hardwon.adapters.sqlite.opening import open_store
from hardwon.domain.model.cited_place import CitedPlace
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.filters import EVERYTHING
from hardwon.domain.model.injection.receipt import Outcome, Receipt, ReceiptEntry
from hardwon.domain.model.project import Identity, Project, Registry
from hardwon.domain.model.weeks import Weekly, weeks_until
from hardwon.entrypoints.view.charts import (
    line_chart,
    score_parts,
    sparkline,
    stacked_bars,
)
from hardwon.entrypoints.view.rendering import environment
from hardwon.entrypoints.view.words import read_search
from tests.contracts.worlds import world_of
from tests.entrypoints.hook_process import World
from tests.entrypoints.view.caller import Caller, opened, text_of
from tests.strategies import lesson, of_file

NOW = dt.datetime.now(dt.UTC)
DAY = dt.timedelta(days=1)
SHOP = Project("1", "shop", Identity("/src/shop/.git", "/src/shop", is_repository=True))
MINE = Project("2", "my app", Identity("/src/my app/.git", "/src/my app", is_repository=True))


def old(text: str, days: int) -> Entry:
    made = dt.datetime.now(dt.UTC) - days * DAY
    return attrs.evolve(lesson(text, name=text), created_at=made, updated_at=made)


@pytest.fixture
def caller(embedded_world: World) -> Caller:
    return opened(embedded_world)


def started(world: World, session: str = "s1") -> None:
    payload = {
        "session_id": session,
        "hook_event_name": "SessionStart",
        "cwd": str(world.project),
        "source": "startup",
    }
    assert world.hook(payload=payload).code == 0


def test_the_memory_lists_all_entries_with_facets_that_write_words(embedded_world: World) -> None:
    caller, page = opened(embedded_world), opened(embedded_world).get("/memory").text
    count = embedded_world.query("SELECT count(*) FROM entry")[0][0]

    assert f"Memory {count} entries" in caller.text("/memory")
    assert "q=category%3Apatterns" in page
    patterns = caller.items("/memory.json?q=category:patterns")
    assert {item["category"] for item in patterns} == {"patterns"}
    assert (
        len(patterns)
        == embedded_world.query("SELECT count(*) FROM entry WHERE category = 'patterns'")[0][0]
    )


@pytest.mark.parametrize("typed", ["repl", "replicati", "the+Repl", "复制槽", "槽"])
def test_a_word_that_is_being_typed_finds_its_entry_first(
    embedded_world: World, typed: str
) -> None:
    with contextlib.closing(open_store(str(embedded_world.store))) as database:
        world_of(database).add(lesson("The replication slot fills the disk (复制槽)", name="Slots"))

    assert opened(embedded_world).items(f"/memory.json?q={typed}")[0]["name"] == "Slots"


def test_a_search_gives_the_best_first_with_what_its_score_is_made_of(caller: Caller) -> None:
    first = caller.items("/memory.json?q=reading+a+file")[0]
    page = caller.text("/memory?q=reading+a+file")

    assert set(first) >= {"relevance", "meaning", "words", "name", "id"}
    assert f"relevance {first['relevance']:.2f}" in page
    assert f"meaning {first['meaning']:.2f}" in page
    assert "<mark>" in caller.get("/memory?q=reading+a+file").text


def test_a_list_is_the_same_as_json_and_csv(caller: Caller) -> None:
    items = caller.items("/memory.json")
    rows = [*csv.DictReader(io.StringIO(caller.get("/memory.csv").text))]

    assert [row["id"] for row in rows] == [item["id"] for item in items]
    assert caller.get("/memory.csv").headers["content-type"].startswith("text/csv")


def test_long_lists_have_pages(world_by_word: World) -> None:
    world_by_word.remember(
        *(lesson(f"Lesson {number}.", name=f"L{number}") for number in range(51))
    )
    caller = opened(world_by_word)

    first, second = caller.items("/memory.json"), caller.items("/memory.json?page=2")

    assert (len(first), len(second), len({item["id"] for item in (*first, *second)})) == (50, 1, 51)
    assert "Next" in caller.text("/memory")
    assert "Previous" in caller.text("/memory?page=2")


def test_a_heading_tells_how_many_there_are_and_a_page_too_far_that_there_are_no_more(
    world_by_word: World,
) -> None:
    world_by_word.remember(
        *(lesson(f"Lesson of files {place}.", name=f"File {place}") for place in range(60))
    )
    caller = opened(world_by_word)

    assert "Memory 60 entries" in caller.text("/memory?q=lesson")
    assert len(caller.items("/memory.json?q=lesson&page=2")) == 10
    assert "Memory 60 entries" in caller.text("/memory?page=2")
    assert "There are no more entries." in caller.text("/memory?page=3")


def test_counts_and_facets_follow_the_search(embedded_world: World) -> None:
    embedded_world.remember(
        lesson("The replication slot fills the disk.", name="Slots", category="patterns"),
        lesson("Tabs break the makefile.", name="Tabs", category="heuristics"),
    )
    caller = opened(embedded_world)

    page = caller.text("/memory?q=replication+slot")

    assert "Memory 1 entry" in page
    assert "patterns 1" in page
    assert "heuristics" not in page


def test_a_search_that_nothing_answers_says_so_and_shows_the_three_nearest(
    embedded_world: World,
) -> None:
    caller = opened(embedded_world)

    page = caller.text("/memory?q=sourdough+starter+hydration")

    assert "Memory 0 entries" in page
    assert "Nothing found for sourdough starter hydration . The nearest:" in page
    assert caller.get("/memory?q=sourdough+starter+hydration").text.count('<li class="row') == 3
    assert caller.items("/memory.json?q=sourdough+starter+hydration") == []


def test_a_list_is_sorted_by_what_its_address_names(world_by_word: World) -> None:
    world_by_word.remember(old("Slots fill.", 3), old("Slots leak.", 1), old("Slots rot.", 2))
    world_by_word.query(
        "INSERT INTO recall (entry_seq, recall_count, last_recalled_at)"
        " SELECT entry_seq, 4, '2026-11-01T00:00:00+00:00' FROM entry_text WHERE name = 'Slots rot.'"
    )
    caller = opened(world_by_word)

    def names(path: str) -> list[str]:
        return [item["name"] for item in caller.items(path)]

    assert names("/memory.json") == ["Slots leak.", "Slots rot.", "Slots fill."]
    assert names("/memory.json?sort=oldest") == names("/memory.json")[::-1]
    assert names("/memory.json?sort=name") == ["Slots fill.", "Slots leak.", "Slots rot."]
    assert "1 day" not in caller.text("/memory")
    for ago in ("yesterday", "2 days ago", "3 days ago"):
        assert ago in caller.text("/memory?sort=name")
    for path in ("/memory.json?sort=most+shown", "/memory.json?q=slots&sort=most+shown"):
        assert names(path)[0] == "Slots rot."
    for sort in ("newest", "oldest", "name", "last changed"):
        assert names(f"/memory.json?q=slots&sort={sort}") == names(f"/memory.json?sort={sort}")
    assert caller.get("/memory?sort=best").status_code == 400
    assert caller.get("/memory?sort=closest").status_code == 400  # closest to what?


def test_entries_that_helped_come_first_and_all_others_follow(world_by_word: World) -> None:
    entries = [old(f"Slots, rule {days}.", days) for days in range(55)]
    world_by_word.remember(*entries)
    for place, times in ((50, 1), (30, 2)):
        helped(world_by_word, entries[place], times)
    caller = opened(world_by_word)

    pages = [caller.items(f"/memory.json?sort=most+helpful&page={page}") for page in (1, 2, 3)]

    others = [f"Slots, rule {days}." for days in range(55) if days not in {30, 50}]
    listed = [item["name"] for page in pages for item in page]
    assert listed == ["Slots, rule 30.", "Slots, rule 50.", *others]
    assert [len(page) for page in pages] == [50, 5, 0]
    assert "shown 2 helped 2" in caller.text("/memory?sort=most+helpful")
    found = caller.items("/memory.json?q=slots&sort=most+helpful")
    assert [item["helped"] for item in found[:3]] == [2, 1, 0]
    assert caller.items("/memory.json?q=shown:no&sort=most+helpful")[0]["name"] == others[0]


def helped(world: World, entry: Entry, times: int) -> None:
    """Let *entry* have been shown, and help, so many times."""
    with world.opened(warn=pytest.fail) as memory:
        stored = memory.repository.by_id(entry.entry_id)
        assert stored
        for _ in range(times):
            receipt = Receipt(
                session_id="s1",
                event="failure",
                at=NOW,
                project="",
                query="make",
                space=None,
                policy="adaptive",
                digest="d",
                frame=("", ""),
                shown=(ReceiptEntry(entry.entry_id, "memory", "d"),),
                outcome=Outcome(1, passed=True),
            )
            memory.store.receipts.record(receipt)
            memory.store.usage.record_recall([stored.number or 0], NOW)


@pytest.mark.parametrize(
    ("name", "text", "snippet"),
    [
        (
            "Close the pool",
            "Close the pool: a fork keeps its sockets.",
            "a fork keeps its sockets.",
        ),
        ("Close the pool", "Close the pool\n\nA fork keeps its sockets.", "A fork keeps its"),
        (
            "Pools: Why close them",
            "Why close them\n\nA fork keeps its sockets.",
            "A fork keeps its",
        ),
        ("Close the pool before a fork", "Close the pool before a fork.", ""),
        (
            "\u0625\u063a\u0644\u0642 \u0627\u0644\u0645\u062c\u0645\u0639",
            "\u0625\u063a\u0644\u0642 \u0627\u0644\u0645\u062c\u0645\u0639: \u0642\u0628\u0644",
            "\u0642\u0628\u0644",
        ),
    ],
)
def test_a_snippet_goes_on_where_the_title_ends(
    world_by_word: World, name: str, text: str, snippet: str
) -> None:
    world_by_word.remember(lesson(text, name=name))

    [row] = re.findall('<p class="passage" dir="auto">(.*?)</p>', page_of(world_by_word)) or [""]

    assert row.startswith(snippet)
    assert bool(row) == bool(snippet)


def page_of(world: World) -> str:
    return opened(world).get("/memory").text


def test_a_title_of_4000_characters_is_cut_in_the_list(world_by_word: World) -> None:
    world_by_word.remember(lesson("The rest.", name="word " * 799 + "end"))

    page = page_of(world_by_word)

    assert page.count("word ") < 100
    assert "The rest." in page


def test_filters_are_taken_out_by_a_click(caller: Caller) -> None:
    page = caller.get("/memory?q=kind:learning+zebra-crossing&sort=name").text

    assert 'aria-label="Without the filter kind:learning"' in page
    assert 'href="' + caller.guard.prefix + '/memory?q=zebra-crossing&amp;sort=name"' in page
    assert "Nothing found for" in page
    assert "with these filters" in page


def test_an_entry_shows_its_text_facts_neighbours_and_sessions(embedded_world: World) -> None:
    started(embedded_world)
    caller = opened(embedded_world)
    [session] = caller.items("/sessions.json")
    shown = caller.items("/session.json?id=s1")[0]

    page = caller.text(f"/entry/{shown['id']}")

    assert (session["session_id"], session["starts"], session["delivered"]) == ("s1", 1, 1)
    assert shown["name"] in page
    assert "cosine" in page
    assert "in project: shown at a session start on" in page
    assert "No session used it" in page
    assert "History Kept from a knowledge bank" in page


def test_an_entry_shows_what_came_of_it_and_the_state_of_what_it_cites(
    world_by_word: World,
) -> None:
    places = [
        CitedPlace("src/a.py:3", "changed", "src/a.py"),
        CitedPlace("src/b.py", "gone", "src/b.py"),
        CitedPlace("src/c.py", "moved", "lib/c.py"),
        CitedPlace("src/d.py", "unchanged", "src/d.py"),
    ]
    entry = attrs.evolve(
        lesson("Close the pool."),
        references=(*(place.text for place in places), "deploy feature"),
        citations=tuple(place.stored for place in places),
    )
    world_by_word.remember(entry)
    helped(world_by_word, entry, 3)

    page = opened(world_by_word).get(f"/entry/{entry.entry_id}")

    for words in ("src/a.py:3 changed since", "src/b.py gone", "src/c.py moved to lib/c.py"):
        assert words in text_of(page)
    assert "src/d.py unchanged deploy feature Edit" in text_of(page).replace("e Edit", "Edit")
    assert "at failures helped 3 of 3 times" in text_of(page)
    assert 'role="img" aria-label="Helped 3, did not 0"' in page.text


def test_an_entry_of_the_future_has_its_day(world_by_word: World) -> None:
    entry = old("Made tomorrow.", -2)
    world_by_word.remember(entry)
    caller = opened(world_by_word)
    day = f"{entry.created_at.astimezone():%b %Y}"

    for path in ("/memory", f"/entry/{entry.entry_id}"):
        assert day in caller.text(path)
        assert " ago" not in caller.text(path)


def test_a_session_shows_its_moments_beside_starts_and_prompts(world_by_word: World) -> None:
    error = "ConfigError: frobnicate key missing"
    world_by_word.remember(
        lesson(f"`{error}`: set it in app.toml."),
        *(lesson(f"filler number {number}") for number in range(60)),
    )
    failed = {
        "session_id": "s1",
        "agent_id": "a10f",
        "cwd": str(world_by_word.project),
        "hook_event_name": "PostToolUseFailure",
        "tool_name": "Bash",
        "tool_input": {"command": "serve --once"},
        "error": f"Exit code 1\n{error}",
    }
    assert error in world_by_word.hook(payload=failed).stdout
    caller = opened(world_by_word)
    [session], [shown] = caller.items("/sessions.json"), caller.items("/session.json?id=s1")
    page = caller.text("/session?id=s1")

    assert [session[name] for name in ("starts", "prompts", "moments", "delivered")] == [0, 0, 1, 1]
    assert "serve --once failed" in caller.text("/sessions")
    assert "1 of 1" in caller.text("/sessions")
    assert "No outcome was seen." in page
    assert (shown["event"], shown["agent"]) == ("failure", "a10f")
    assert (shown["query"], shown["signature"]) == ("serve --once", error)
    for text in ("Failed command of subagent a10f", "command serve --once", error):
        assert text in page


def test_a_session_shows_why_each_entry_came_and_the_text_as_the_agent_got_it(
    embedded_world: World,
) -> None:
    payload = {
        "session_id": "s1",
        "hook_event_name": "SessionStart",
        "cwd": str(embedded_world.project),
    }
    block = embedded_world.hook(payload=payload).stdout
    caller = opened(embedded_world)

    page = caller.text("/session?id=s1")

    for part in ("meaning", "words", "delivery printed", "Session start"):
        assert part in page
    assert " ".join(block.split()) in page
    first, *_ = caller.items("/session.json?id=s1")
    assert first["score"] == pytest.approx(
        sum(first[term] for term in ("meaning", "words", "length", "subjects")), abs=1e-4
    )


def test_a_session_is_named_by_its_first_prompt_and_has_the_time_of_the_reader(
    world_by_word: World,
) -> None:
    world_by_word.remember(
        lesson("The parser keeps quotes of names.", name="Quotes"),
        *(lesson(f"filler number {number}", name=f"Filler {number}") for number in range(9)),
    )
    prompt = "The parser keeps which quotes?"
    payload = {
        "session_id": "s1",
        "hook_event_name": "UserPromptSubmit",
        "cwd": str(world_by_word.project),
        "prompt": prompt,
    }
    assert "Quotes" in world_by_word.hook(payload=payload).stdout
    started(world_by_word)
    caller = opened(world_by_word)

    [session] = caller.items("/sessions.json")

    assert session["title"] == prompt
    assert re.search(rf"{re.escape(prompt)} (just now|1 minute ago)", caller.text("/sessions"))
    page = caller.text("/session?id=s1")
    assert page.index(" Prompt ") < page.index(" Session start ")


@pytest.mark.parametrize(
    ("ago", "text"),
    [
        (dt.timedelta(seconds=59), "just now"),
        (dt.timedelta(minutes=1), "1 minute ago"),
        (dt.timedelta(minutes=59), "59 minutes ago"),
        (dt.timedelta(hours=1), "today 14:03"),
        (dt.timedelta(hours=16), "yesterday 23:03"),
        (dt.timedelta(hours=40), "2026-11-24 23:03"),
        (dt.timedelta(hours=-1), "today 16:03"),
    ],
)
def test_a_time_is_relative_when_it_is_near(ago: dt.timedelta, text: str) -> None:
    now = dt.datetime(2026, 11, 26, 15, 3).astimezone()

    assert environment("").filters["near"](now - ago, now) == text


def test_topics_hold_each_entry_with_a_vector_and_are_named_by_their_words(
    caller: Caller, embedded_world: World
) -> None:
    count = embedded_world.query("SELECT count(*) FROM vector")[0][0]

    page, items = caller.text("/topics"), caller.items("/topics.json")

    assert len({item["id"] for item in items}) == len(items) == count
    assert f"Topics {count} entries by meaning" in page
    assert "0% ever shown" in page
    first = items[0]
    assert first["words"].replace(" ", " · ") in page
    of_first = [item for item in items if item["topic"] == first["topic"]]
    chosen = caller.text(f"/topics?of={first['topic']}")
    assert all(" ".join(item["name"].split()) in chosen for item in of_first)


def test_topics_say_which_words_narrow_nothing(caller: Caller) -> None:
    page = caller.text("/topics?q=kind:decision+encoding+tier:none")

    assert "encoding: only filters narrow the topics" in page
    assert "tier:none: use one of" in page


def test_near_duplicates_are_listed(embedded_world: World) -> None:
    text = "Decode chunks in steps, as a character can straddle two reads of a file."
    embedded_world.remember(
        lesson(text, name="Decode in steps"),
        lesson(f"{text} Always.", name="Decode in small steps"),
    )
    embedded_world.embed()

    page = opened(embedded_world).text("/topics")

    assert "Near duplicates Decode in steps · Decode in small steps" in page


def test_time_counts_weeks_and_names_what_was_not_shown_for_long(world_by_word: World) -> None:
    world_by_word.remember(
        old("Made today.", 0),
        old("Made long ago.", 89),
        old("Made 91 days ago.", 91),
        old("Made 181 days ago.", 181),
    )
    caller = opened(world_by_word)

    page, weeks = caller.text("/time"), caller.items("/time.json")

    assert "Not shown in 90 days 2 entries" in page
    assert "1 entry of 180 days and older was neither shown" in page
    assert sum(week["learning"] for week in weeks) == 3
    assert weeks[0]["learning"]
    assert weeks[-1]["learning"] == 1
    assert 13 <= len(weeks) <= 15
    table = caller.get("/time?as=table").text
    assert table.count("<tr>") >= len(weeks)
    assert '<table tabindex="0"' in table  # it scrolls in a narrow window
    listed = {item["name"] for item in caller.items("/memory.json?q=idle:90d")}
    assert listed == {"Made 91 days ago.", "Made 181 days ago."}


def test_an_empty_store_says_what_to_do(world_by_word: World) -> None:
    world_by_word.remember()
    caller = opened(world_by_word)

    for path in ("/", "/memory", "/sessions", "/topics", "/time", "/review"):
        assert "There is no store" not in caller.text(path)
    assert "hardwon import" in caller.text("/memory")
    assert "hardwon init" in caller.text("/sessions")
    assert "hardwon embed" in caller.text("/topics")


@pytest.mark.parametrize(
    ("typed", "fields"),
    [
        ("kind:decision", {"kinds": ("decision",)}),
        ("tier:critical used:no", {"tier": "critical", "used": False}),
        ("origin:retro shown:yes", {"source": "retro", "shown": True}),
        ("project:shop", {"origins": ("1",)}),
        ('project:"my app"', {"origins": ("2",)}),
        ("after:2026-01-01", {"since": dt.datetime(2026, 1, 1, tzinfo=dt.UTC)}),
        ("BEFORE:2026-11-01", {"until": dt.datetime(2026, 11, 1, tzinfo=dt.UTC)}),
        ("idle:90d", {"idle_since": NOW - 90 * DAY}),
        ("tag:x session:s", {"tag": "x", "session": "s"}),
    ],
)
def test_words_of_the_search_box_filter(typed: str, fields: dict[str, object]) -> None:
    search = read_search(f"{typed} how to deploy", Registry((SHOP, MINE)), NOW)

    assert (search.text, search.complaints) == ("how to deploy", ())
    assert search.only == EVERYTHING._replace(**fields)  # type: ignore[arg-type]
    assert read_search(search.with_word("tag", "y"), Registry((SHOP, MINE)), NOW).only.tag == "y"


@pytest.mark.parametrize(
    "typed",
    [
        "kind:x",
        "used:maybe",
        "before:soon",
        "project:none",
        "idle:-1",
        "idle:²",
        "tier:",
        "a:b",
        '"open',
    ],
)
def test_other_words_are_text_or_a_complaint_and_never_a_failure(
    world_by_word: World, typed: str
) -> None:
    search = read_search(typed, Registry(), NOW)
    caller = opened(world_by_word)

    assert search.only == EVERYTHING
    assert bool(search.complaints) != bool(search.text)
    assert caller.get(f"/memory?q={typed}").status_code == 200


def test_bars_are_stacked_to_their_sums() -> None:
    weeks = weeks_until(dt.date(2026, 3, 1), 3)
    chart = stacked_bars(
        Weekly.of({"a": {weeks[0]: 3, dt.date(2020, 1, 6): 99}, "b": {weeks[0]: 5}}, weeks)
    )

    assert weeks == [dt.date(2026, 2, 9), dt.date(2026, 2, 16), dt.date(2026, 2, 23)]
    first = chart.bars[0].segments
    assert [(part.name, part.y, part.height) for part in first] == [
        ("a", 125.0, 75.0),
        ("b", 0.0, 125.0),
    ]
    assert [bar.segments for bar in chart.bars[1:]] == [[], []]
    assert [(tick.value, tick.y) for tick in chart.ticks] == [
        (0, 200.0),
        (2, 150.0),
        (4, 100.0),
        (6, 50.0),
        (8, 0.0),
    ]


def test_lines_begin_with_the_data_and_their_labels_do_not_cover_each_other() -> None:
    weeks = weeks_until(dt.date(2026, 3, 1), 9)
    counted = {"shown": {weeks[4]: 40, weeks[8]: 2}, "helped": {weeks[8]: 2}, "repaired": {}}
    chart = line_chart(Weekly.of(counted, weeks).since_first(4))

    assert [(line.name, line.last) for line in chart.lines] == [("shown", 2), ("helped", 2)]
    assert chart.lines[0].points.startswith("0.0,0.0 180.0,200.0")
    assert chart.labels[0][1] == f"{weeks[4]:%d %b}"
    assert abs(chart.lines[0].y - chart.lines[1].y) >= 16


def test_parts_of_a_score_lie_side_by_side_and_negative_ones_have_no_width() -> None:
    parts = score_parts([("meaning", 2.0), ("length", -1.0), ("words", 2.0)], 4.0)

    assert [(part.x, part.width) for part in parts] == [(0.0, 80.0), (80.0, 0.0), (80.0, 80.0)]
    assert sparkline([0, 2]) == "0.0,15.0 72.0,1.0"


def test_a_document_is_shown_with_its_file(world_by_word: World) -> None:
    world_by_word.remember(of_file("Sign the image once.", path="sign.md"))
    caller = opened(world_by_word)
    [item] = caller.items("/memory.json?q=kind:decision")

    assert "/memory/decision/sign.md" in caller.text(f"/entry/{item['id']}")
