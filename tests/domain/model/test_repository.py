import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hardwon.domain.model.repository import one_spelling

NAMES = st.text("abcdefghijklmnopqrstuvwxyz0123456789-_.", min_size=1, max_size=12).filter(
    lambda name: name.strip(".") and not name.endswith((".git", "."))
)
HOSTS = st.lists(st.text("abcxyz09", min_size=2, max_size=6), min_size=1, max_size=3).map(".".join)

SPELLINGS = (
    "https://{host}/{path}.git",
    "https://{host}/{path}",
    "https://{host}/{path}/",
    "https://{host}/{path}.git/",
    "https://me@{host}/{path}.git",
    "https://me:word@{host}/{path}",
    "https://{host}:8443/{path}.git",
    "HTTPS://{upper}/{path}.git",
    "http://{host}/{path}.git",
    "git://{host}/{path}.git",
    "ssh://git@{host}/{path}.git",
    "ssh://git@{host}:2222/{path}.git",
    "git+ssh://git@{host}/{path}",
    "ssh://{upper}/{path}",
    "git@{host}:{path}.git",
    "git@{host}:{path}",
    "git@{host}:/{path}.git",
    "git@{upper}:{path}.git",
    "{host}:{path}",
    " git@{host}:{path}.git\n",
)


@given(HOSTS, st.lists(NAMES, min_size=1, max_size=3).map("/".join))
@example("example.org", "acme/app")
def test_every_spelling_of_an_address_is_one(host: str, path: str) -> None:
    written = {
        one_spelling(spelling.format(host=host, upper=host.upper(), path=path))
        for spelling in SPELLINGS
    }

    assert written == {f"{host}/{path}"}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://example.org/acme/app", "https://example.org/acme/app2"),
        ("https://example.org/acme/app", "https://example.org/globex/app"),
        ("https://example.org/acme/app", "https://example.com/acme/app"),
        ("git@example.org:acme/app", "/example.org/acme/app"),
        ("https://example.org/.git", "https://example.org/"),
        ("/srv/App", "/srv/app"),
    ],
)
def test_other_addresses_are_others(one: str, other: str) -> None:
    assert one_spelling(one) != one_spelling(other)


@pytest.mark.parametrize(
    ("address", "key"),
    [
        ("/srv/git/app.git/", "/srv/git/app"),
        ("file:///srv/git/app", "/srv/git/app"),
        ("../app.git", "../app"),
        ("C:/git/app.git", "C:/git/app"),
        ("./odd:name", "./odd:name"),
        ("", ""),
    ],
)
def test_a_folder_goes_by_its_path(address: str, key: str) -> None:
    assert one_spelling(address) == key
