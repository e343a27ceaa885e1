"""Only the browser that opened the printed address gets anything, and no page can do harm."""

import csv
import io
import re

import pytest

from hardwon.domain.model.entry import Entry
from hardwon.entrypoints.view.guard import HEADERS
from hardwon.entrypoints.view.rendering import as_csv
from hardwon.entrypoints.view.site import FORMS, LISTS, MAX_FORM_BYTES, PAGES
from tests.entrypoints.hook_process import World
from tests.entrypoints.view.caller import HOST, ORIGIN, Caller, opened, text_of
from tests.strategies import lesson

POLICY = "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
HOSTILE = (
    '<script>alert(1)</script><img src=x onerror=alert(2)><svg onload=alert(3)><a href="javascript:alert(4)">x</a>'
    '"\'><iframe src="//evil.example"></iframe>{{ 7 * 7 }}</textarea></title>\u202e'
)
FORMULAS = ("=1+1", "+1", "-1", "@SUM(A1)")


@pytest.fixture
def world(world_by_word: World) -> World:
    world_by_word.remember(lesson("A number without its unit is misread.", name="Name the unit"))
    return world_by_word


def entry_of(world: World) -> str:
    return str(world.query("SELECT id FROM entry LIMIT 1")[0][0])


def state_of(world: World) -> list[tuple[object, ...]]:
    """Return every row of the store."""
    tables = [
        name
        for (name,) in world.query(
            "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
        )
    ]
    shadow = ("sqlite_", "keyword", "query_vector")
    return [
        (name, *row)
        for name in tables
        if not name.startswith(shadow)
        for row in world.query(f"SELECT * FROM {name}")
    ]


def pages(world: World) -> list[str]:
    paths = [
        *PAGES,
        *LISTS,
        *(f"{path}.json" for path in LISTS),
        *(f"{path}.csv" for path in LISTS),
    ]
    return [path.replace("{id}", entry_of(world)) for path in paths]


def test_the_address_works_once_and_the_cookie_is_for_the_page_alone(world: World) -> None:
    caller = Caller(world)

    first = caller.open()
    caller.client.cookies.clear()
    second = caller.open()

    assert (first.status_code, f'url={caller.guard.prefix}/"' in first.text) == (200, True)
    cookie = first.headers["set-cookie"].split("; ")
    assert cookie[1:] == [f"Path={caller.guard.prefix}", "HttpOnly", "SameSite=Strict"]
    assert len(caller.guard.prefix) > 30
    assert (second.status_code, "set-cookie" in second.headers) == (401, False)
    assert "works once" in text_of(second)
    assert "Name the unit" not in second.text


def test_a_browser_that_has_its_cookie_may_open_the_address_again(world: World) -> None:
    caller = opened(world)

    assert caller.open().status_code == 200
    assert "Name the unit" in caller.text("/memory")


def test_nothing_is_answered_without_the_cookie(world: World) -> None:
    caller = Caller(world)
    paths = [*pages(world), "/static/page.css", "/none"]

    answers = [caller.get(path) for path in paths]
    wrong = caller.get("/memory", cookie="hardwon=guess")
    broken = caller.get("/memory", cookie="hardwon=\x01;;=")
    forms = [caller.post(path.replace("{id}", entry_of(world))) for path in FORMS]

    assert {answer.status_code for answer in (*answers, wrong, broken, *forms)} == {401}
    assert all("Name the unit" not in answer.text for answer in answers)


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8765", "127.0.0.1", "localhost:1", ""]
)
def test_another_host_is_refused_before_anything_else(world: World, host: str) -> None:
    caller = opened(world)

    answer = caller.get("/memory", host=host)

    assert (answer.status_code, "Name the unit" in answer.text) == (421, False)


@pytest.mark.parametrize(
    ("site", "status"),
    [("cross-site", 403), ("same-site", 403), ("none", 200), ("same-origin", 200)],
)
def test_another_page_is_shown_nothing_even_where_its_browser_sends_the_cookie(
    world: World, site: str, status: int
) -> None:
    caller = opened(world)

    answer = caller.get("/memory", **{"sec-fetch-site": site})

    assert (answer.status_code, "Name the unit" in answer.text) == (status, status == 200)


@pytest.mark.parametrize(
    "origin", [None, "null", "http://evil.example", f"https://{HOST}", "http://127.0.0.1:1"]
)
def test_a_change_asked_for_by_another_page_changes_nothing(
    world: World, origin: str | None
) -> None:
    caller, entry_id = opened(world), entry_of(world)
    fields = {"token": caller.guard.form_token(), "field": "importance_tier", "value": "critical"}
    headers = {} if origin is None else {"origin": origin}
    before = state_of(world)

    answer = caller.client.post(
        f"{caller.guard.prefix}/entry/{entry_id}/change", data=fields, headers=headers
    )

    assert (answer.status_code, state_of(world) == before) == (403, True)


@pytest.mark.parametrize("token", [None, "", "old.0123", "x" * 100, "é"])
def test_a_form_of_another_run_changes_nothing(world: World, token: str | None) -> None:
    caller, entry_id = opened(world), entry_of(world)
    before = state_of(world)
    fields = {"field": "importance_tier", "value": "critical"} | (
        {} if token is None else {"token": token}
    )

    answer = caller.client.post(
        f"{caller.guard.prefix}/entry/{entry_id}/change", data=fields, headers={"origin": ORIGIN}
    )

    assert (answer.status_code, state_of(world) == before) == (403, True)
    assert "Reload the page" in text_of(answer)


def test_a_form_sent_twice_is_done_once(world: World) -> None:
    caller, entry_id = opened(world), entry_of(world)
    fields: dict[str, object] = {"token": caller.guard.form_token(), "useful": "yes"}

    first, second = (caller.post(f"/entry/{entry_id}/judge", fields) for _ in range(2))

    assert (first.status_code, second.status_code) == (303, 400)
    assert "was sent before" in text_of(second)
    assert world.query("SELECT validation_count FROM usage") == [(1,)]


@pytest.mark.parametrize(
    "fields", [{"description": "x" * MAX_FORM_BYTES}, {str(name): "" for name in range(20_000)}]
)
def test_a_form_that_is_too_large_is_refused(world: World, fields: dict[str, object]) -> None:
    caller = opened(world)

    answer = caller.post(f"/entry/{entry_of(world)}/edit", fields)

    assert (answer.status_code, "4 MB" in text_of(answer)) == (413, True)


def test_every_answer_forbids_scripts_and_frames_of_others(world: World) -> None:
    caller = opened(world)
    answers = [caller.get(path) for path in (*pages(world), "/static/page.js", "/none", "/entry/0")]
    answers += [
        caller.get("/", host="evil.example"),
        caller.get("/memory", cookie="x=y"),
        caller.post("/forget"),
    ]

    for answer in answers:
        assert {name: answer.headers.get(name) for name in HEADERS} == HEADERS
    assert HEADERS["content-security-policy"] == POLICY


def test_looking_changes_nothing(world: World) -> None:
    caller = opened(world)
    caller.text("/review")
    before = state_of(world)

    for path in (
        *pages(world),
        "/memory?q=unit",
        f"/entry/{entry_of(world)}?whole=1",
        "/merge?older=a&newer=b",
    ):
        caller.get(path)
    changes = [
        caller.get(path.replace("{id}", entry_of(world))).status_code
        for path in FORMS
        if path not in PAGES
    ]

    assert (state_of(world), {*changes} - {404}) == (before, {405})


def hostile_entries() -> list[Entry]:
    return [
        lesson(f"{HOSTILE} number {number}", name=f"{formula} {HOSTILE}")
        for number, formula in enumerate(FORMULAS)
    ]


def test_texts_are_never_markup(world: World) -> None:
    world.remember(*hostile_entries())
    caller = opened(world)
    entries = [entry_id for (entry_id,) in world.query("SELECT id FROM entry")]
    paths = [
        *pages(world),
        *(f"/entry/{entry_id}{tail}" for entry_id in entries for tail in ("", "/edit")),
    ]
    paths += [
        f"/memory?q={HOSTILE.replace('#', '')}",
        "/memory?q=script alert",
        f"/merge?older={entries[1]}&newer={entries[2]}",
    ]

    for path in paths:
        answer = caller.get(path)
        if answer.headers["content-type"].startswith("text/html"):
            assert not re.search(
                r"<(script>|img|iframe|svg onload)|javascript:alert\(4\)\"", answer.text
            ), path
            assert "\u202e" not in answer.text
            assert "49" not in re.findall(r"iframe&gt;(\d+)", answer.text)
            assert not re.search(
                r"\son\w+=|style=", re.sub(r">[^<]*<|\"[^\"]*\"", "><", answer.text)
            ), path


def test_the_form_of_a_file_opens_the_page_once(world: World) -> None:
    caller = Caller(world)
    path, token = f"{caller.guard.prefix}/", {"token": caller.guard.token}

    refused = [
        caller.client.post(path, data=token, headers={"origin": "http://evil.example"}),
        caller.client.post(path, data=token, headers={"origin": "null", "host": "evil.example"}),
        caller.client.post(path, data={"token": "guess"}, headers={"origin": "null"}),
        caller.client.post(
            path, data={"token": caller.guard.token + " " * 2_000}, headers={"origin": "null"}
        ),
        caller.client.post(path, headers={"origin": "null"}),
    ]
    first = caller.client.post(
        path, data=token, headers={"origin": "null", "sec-fetch-site": "cross-site"}
    )
    change = caller.client.post(
        f"{path}forget", data={"token": caller.guard.form_token()}, headers={"origin": "null"}
    )
    caller.client.cookies.clear()
    second = caller.client.post(path, data=token, headers={"origin": "null"})

    assert [answer.status_code for answer in refused] == [403, 421, 401, 401, 401]
    assert not any("set-cookie" in answer.headers for answer in (*refused, second))
    assert (first.status_code, f'url={caller.guard.prefix}/"' in first.text) == (200, True)
    assert (change.status_code, second.status_code, caller.open().status_code) == (403, 401, 401)


FORMULA_CELLS = {
    "=1+1": "'=1+1",
    " @SUM(A1)": "' @SUM(A1)",
    "\t=1": "'\t'=1",
    "a;=1;b": "a;'=1;b",
    "a\t-2": "a\t'-2",
    "a;  +1": "a;'  +1",
    "\uff1d1+1": "'\uff1d1+1",
    "\u200b=1": "'=1",
    "a\n=1": "a\n'=1",
    "a\n- b\n- c": "a\n- b\n- c",
    "a=b; c - d": "a=b; c - d",
}


@pytest.mark.parametrize(("text", "cell"), FORMULA_CELLS.items(), ids=ascii)
def test_no_part_of_a_cell_is_a_formula(text: str, cell: str) -> None:
    written = as_csv([{"name": text, "number": -1, "list": ["=a"]}])

    assert [*csv.reader(io.StringIO(written, newline=""))] == [
        ["name", "number", "list"],
        [cell, "-1", '["=a"]'],
    ]
    assert written.startswith('"name","number","list"')
    assert f'"{cell}",-1,' in written


def test_cells_are_no_formulas(world: World) -> None:
    world.remember(*hostile_entries())
    caller = opened(world)

    for path in ("/memory.csv", "/memory.csv?q=number"):
        for line in caller.get(path).text.splitlines():
            assert not re.search(r'(^|,)"?[=+@]|(^|,)"?-\D', line), line
    assert any(item["name"].startswith("=1+1") for item in caller.items("/memory.json"))


def test_pages_ask_nothing_of_another_host(world: World) -> None:
    caller = opened(world)
    paths = [*pages(world), "/static/page.css", "/static/page.js", "/static/icon.svg"]

    for path in paths:
        found = re.findall(
            r"""(?:src|href|action|url\(|fetch\()\s*=?\s*["'(]?((?:https?:)?//[^"'\s)]+)""",
            caller.get(path).text,
        )
        assert found == [], path


def test_a_redirect_stays_on_the_page(world: World) -> None:
    caller, entry_id = opened(world), entry_of(world)

    for back in (
        "//evil.example/",
        "https://evil.example",
        "/\\evil.example",
        "javascript:alert(1)",
    ):
        answer = caller.post(f"/entry/{entry_id}/judge", {"useful": "yes", "back": back})
        assert answer.headers["location"].startswith(f"{caller.guard.prefix}/"), back
