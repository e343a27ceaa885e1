import pytest

from tests.entrypoints.folders import UNTRUSTED, Repositories
from tests.entrypoints.hook_process import World

NOT_YOURS = "*This repository is not yours yet: what is learned here is shown here only; hardwon trust changes that.*"


@pytest.fixture
def places(world_by_word: World) -> Repositories:
    return Repositories(world_by_word).with_store()


def test_lessons_of_a_foreign_project_speak_elsewhere_once_it_is_trusted(
    places: Repositories,
) -> None:
    strange, own = places.make("strange", UNTRUSTED, "Strange lesson"), places.make("own")
    places.start(strange)
    before = places.shows(own, "Strange lesson")

    done = places.run(strange, "trust")

    assert not before
    assert done.code == 0
    assert done.stdout.startswith("Trusted: strange: ")
    assert "hardwon trust --revoke" in done.stdout
    assert places.shows(own, "Strange lesson")


def test_revoked_trust_silences_also_a_project_of_the_users_own_commits(
    places: Repositories,
) -> None:
    one, other = places.make("one", lesson="Own lesson"), places.make("other")
    places.start(one)
    before = places.shows(other, "Own lesson")

    done = places.run(one, "trust", "--revoke")

    assert before
    assert done.stdout.startswith("Not trusted: one: ")
    assert not places.shows(other, "Own lesson")
    assert places.shows(one, "Own lesson")


def test_a_folder_below_which_all_is_trusted_holds_for_later_projects(places: Repositories) -> None:
    own = places.make("own")
    (places.folder("src")).mkdir()

    assert places.run(own, "trust", str(places.folder("src")), "--below").code == 0
    strange = places.make("src/strange", UNTRUSTED, "Strange lesson")
    places.start(strange)

    assert places.shows(own, "Strange lesson")
    assert places.project(strange)["reason"] == "below"

    assert places.run(own, "trust", str(places.folder("src")), "--below", "--revoke").code == 0
    assert not places.shows(own, "Strange lesson")


def test_a_folder_that_was_never_trusted_is_not_revoked(places: Repositories) -> None:
    done = places.run(places.make("own"), "trust", ".", "--below", "--revoke")

    assert (done.code, done.stdout) == (1, "")
    assert "nothing is trusted because it is below" in done.stderr


def test_the_list_says_why(places: Repositories) -> None:
    own, strange, revoked = (
        places.make("own"),
        places.make("strange", UNTRUSTED),
        places.make("revoked"),
    )
    places.project(own)
    places.project(strange)
    places.run(revoked, "trust", "--revoke")

    done = places.run(own, "trust", "--list")
    document = places.run(own, "trust", "--list", "--json").document

    assert "own: you committed to it" in done.stdout
    assert "foreign: you never committed to it" in done.stdout
    assert "revoked: you said so" in done.stdout
    assert {item["reason"] for item in document["items"]} == {"own", "foreign", "revoked"}
    assert (document["trusted_folders"], document["mode"]) == ([], "own")


def test_the_list_goes_without_a_change(places: Repositories) -> None:
    done = places.run(places.make("own"), "trust", "--list", "--revoke")

    assert done.code == 1
    assert "--list" in done.stderr


def test_a_clone_joins_once_it_is_trusted_and_leaves_when_that_is_revoked(
    places: Repositories,
) -> None:
    source = places.make("source", UNTRUSTED)
    one, other = places.clone(source, "one"), places.clone(source, "other")
    places.run(one, "trust")
    assert places.run(one, "add", "Said in one clone", "--here").code == 0
    before = places.project(other)

    places.run(other, "trust")
    joined = places.project(other)
    shown = places.shows(other, "Said in one clone")
    places.run(other, "trust", "--revoke")

    assert before["joined"] == []
    assert joined["joined"] == [str(one)]
    assert shown
    assert places.project(other)["joined"] == []
    assert not places.shows(other, "Said in one clone")


def test_clones_find_another_head_when_the_first_is_revoked(places: Repositories) -> None:
    source = places.make("source", UNTRUSTED)
    one, other, third = (places.clone(source, name) for name in ("one", "other", "third"))
    for clone in (one, other, third):
        places.run(clone, "trust")

    places.run(one, "trust", "--revoke")

    assert places.project(one)["joined"] == []
    assert places.project(third)["joined"] == [str(other)]


@pytest.mark.parametrize("command", [("import",), ("init", "--yes", "--no-import")])
def test_setting_a_foreign_project_up_trusts_it_and_says_so(
    places: Repositories, command: tuple[str, ...]
) -> None:
    strange = places.make("strange", UNTRUSTED, "Strange lesson")

    first, second = places.run(strange, *command), places.run(strange, *command)

    assert "Trusted: strange: " in first.stdout, first.stderr
    assert "Trusted: " not in second.stdout
    assert places.project(strange)["trust"] == "trusted"


def test_importing_in_an_own_project_says_nothing_of_trust(places: Repositories) -> None:
    assert "Trusted: " not in places.run(places.make("own", lesson="A lesson"), "import").stdout


def test_where_only_the_users_word_counts_own_commits_do_not(places: Repositories) -> None:
    places.world.variables["HARDWON_TRUST"] = "ask"
    one, other = places.make("one", lesson="Own lesson"), places.make("other")
    places.start(one)
    before = places.shows(other, "Own lesson")
    places.run(one, "trust")
    foreign_here = places.shows(other, "Own lesson")
    places.run(other, "trust")

    assert not before
    assert not foreign_here  # what is shown in an untrusted project is its own
    assert places.shows(other, "Own lesson")


def test_the_first_block_of_a_foreign_project_says_that_it_is_not_yours(
    places: Repositories,
) -> None:
    strange = places.make("strange", UNTRUSTED, "Strange lesson")

    first, second = places.start(strange), places.start(strange)

    assert first.count(NOT_YOURS) == 1
    assert first.index("*Memory: ") < first.index(NOT_YOURS) < first.index("### ")
    assert NOT_YOURS not in second


def test_an_own_project_gets_no_such_line(places: Repositories) -> None:
    assert "is not yours yet" not in places.start(places.make("own", lesson="A lesson"))


def test_a_foreign_project_without_anything_to_show_gets_no_block(places: Repositories) -> None:
    strange = places.make("strange", UNTRUSTED)

    assert places.start(strange) == ""
    places.learn(strange, "Strange lesson")
    assert NOT_YOURS not in places.start(strange)


def test_answers_name_the_project_of_a_lesson_from_another_one(places: Repositories) -> None:
    one, other = places.make("billing", lesson="Rounding halves"), places.make("other")
    places.run(one, "import")

    elsewhere = places.run(other, "recall", "rounding halves")
    at_home = places.run(one, "recall", "rounding halves")
    answer = places.run(other, "recall", "rounding halves", "--json").items[0]

    assert "   From: billing" in elsewhere.stdout.splitlines()
    assert "From: " not in at_home.stdout
    assert answer["origin"] == {"project": "billing", "door": "bank", "reach": "shared"}


def test_the_origin_of_an_entry_is_shown_and_listed(places: Repositories) -> None:
    one, other = places.make("billing", lesson="Rounding halves"), places.make("other")
    places.run(one, "import")
    [listed] = places.run(other, "list", "--origin", "billing", "--json").items

    shown = places.run(other, "show", listed["id"])

    assert listed["origin"]["project"] == "billing"
    assert "billing, by bank, shown everywhere while its project is trusted" in shown.stdout
    assert places.run(other, "list", "--origin", ".", "--json").items == []
    assert places.run(other, "list", "--origin", "nothing").code == 1


def test_a_lesson_can_be_kept_at_home_and_let_out_again(places: Repositories) -> None:
    one, other = places.make("billing", lesson="Rounding halves"), places.make("other")
    places.run(one, "import")
    [listed] = places.run(one, "list", "--json").items

    home = places.run(other, "update", listed["id"], "--here")
    kept = places.shows(other, "Rounding halves"), places.shows(one, "Rounding halves")
    everywhere = places.run(other, "update", listed["id"], "--everywhere")

    assert (home.code, everywhere.code) == (0, 0), home.stderr
    assert kept == (False, True)
    assert places.shows(other, "Rounding halves")


def test_doctor_tells_whether_the_project_is_trusted(places: Repositories) -> None:
    strange = places.make("strange", UNTRUSTED, "Strange lesson")
    places.start(strange)

    done = places.run(strange, "doctor")

    assert "project: strange, foreign: you never committed to it" in done.stdout
    assert "trust" in done.stdout


def test_why_names_the_project_of_a_lesson_from_another_one(places: Repositories) -> None:
    one, other = places.make("one", lesson="Own lesson"), places.make("other")
    places.start(one)
    places.block(other)

    [item] = places.run(other, "why", "--json").items
    assert [shown["from"] for shown in item["entries"]] == ["one"]
    assert "from one" in places.run(other, "why").stdout
