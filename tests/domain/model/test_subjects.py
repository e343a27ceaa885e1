"""The subjects of a text, by the words that belong to them."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hardwon.domain.model.keywords import words_of
from hardwon.domain.model.subjects import (
    LONGEST_TEXT,
    shared_subjects,
    subjects_of,
    words_of_subject,
)


@pytest.mark.parametrize(
    ("work", "lesson", "other"),
    [
        (
            "shell bash. nightly backup. scripts/backup.sh",
            "find -print0 | xargs -0, a folder with a space was removed",
            "The carousel jumped on hover; give each slide a fixed margin",
        ),
        (
            "c. measuring valve. firmware/valve.c",
            "The watchdog was fed in an interrupt and never reset the modem",
            "Rebase feature branches before the merge",
        ),
        (
            "order events. relay and outbox",
            "A kafka consumer was thrown out of its group",
            "npm ci deletes node_modules",
        ),
        (
            "ruby. monthly report. app/models/report.rb",
            "sidekiq ran it twice after a rails upgrade",
            "The liveness probe asked the database and restarted the pod",
        ),
        (
            "login flaps. log kid on failure",
            "A JWT was refused since a clock ran ahead, allow for it",
            "Write parquet in row groups of equal size",
        ),
        (
            "php composer. shop prices. src/Price.php",
            "phpunit needs its own laravel bootstrap",
            "swiftui previews crash in xcode with a keychain",
        ),
    ],
)
def test_texts_on_one_subject_share_it_without_a_common_word(
    work: str, lesson: str, other: str
) -> None:
    shared = shared_subjects(subjects_of(work), {1: subjects_of(lesson), 2: subjects_of(other)})

    assert not {*words_of(work)} & {*words_of(lesson)} - {"a", "and", "on"}
    assert shared[1] > 0.3
    assert shared[2] < 0.05


@pytest.mark.parametrize("text", ["", "zebra quux", "日本語の文", "12 34 5678"])
def test_of_a_text_without_a_known_subject_nothing_is_said(text: str) -> None:
    shell, unknown = subjects_of("cron and bash"), subjects_of(text)

    assert unknown == {}
    assert shared_subjects(unknown, {1: shell, 2: unknown}) == {1: 0.0, 2: 0.0}
    assert shared_subjects(shell, {1: shell, 2: unknown})[2] == 0.0
    assert words_of_subject(text) == ""


def test_where_all_are_on_one_subject_it_says_little() -> None:
    shell = subjects_of("cron and bash")

    few, many = (shared_subjects(shell, dict.fromkeys(range(n), shell))[0] for n in (5, 500))

    assert few > 0.7
    assert 0 < many < 0.1


@given(st.text(), st.lists(st.text(), min_size=1))
@example("bash", ["Bash, CRON", "docker image", "kubernetes pod"])
def test_the_more_alike_the_subjects_the_more_is_shared(work: str, texts: list[str]) -> None:
    subjects = subjects_of(work)
    known = {number: found for number, text in enumerate(texts) if (found := subjects_of(text))}
    shared = shared_subjects(subjects, {**known, len(texts): subjects})

    assert all(-1 <= value <= 1 for value in shared.values())
    assert max(shared.values()) == pytest.approx(shared[len(texts)])


def test_endings_and_letter_case_do_not_matter_and_repeated_words_count_once() -> None:
    assert subjects_of("Migrations, INDEXES") == subjects_of("migration index index")


def test_only_the_main_subject_gives_its_words() -> None:
    words = words_of_subject("a bash script in cron, and one pod").split()

    assert {"xargs", "ssh"} <= {*words}
    assert "kubectl" not in words


def test_the_beginning_of_a_long_text_counts() -> None:
    assert subjects_of("x " * LONGEST_TEXT + "bash") == {}
    assert [*subjects_of("bash " * LONGEST_TEXT)] == ["shell"]
