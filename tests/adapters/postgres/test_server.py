"""Addresses of servers: which of them cross a network, and what is shown of them."""

from pathlib import Path

import pytest

from hardwon.adapters.postgres.server import parameters_of, shown
from hardwon.domain.model.errors import StorageError
from hardwon.domain.model.settings import ServerAddress

WORD = "Pa-ss-word"
VARIABLES = ("PGHOST", "PGHOSTADDR", "PGSERVICE", "PGSERVICEFILE", "PGSSLMODE")


@pytest.fixture(autouse=True)
def no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    "dsn",
    [
        "postgresql:///memory",
        "postgresql://ann@localhost/memory",
        "postgresql://ann@127.0.0.1:5433/memory",
        "postgresql://ann@[::1]/memory",
        "postgresql://ann@/memory?host=/var/run/postgresql",
    ],
)
def test_a_connection_that_stays_here_may_be_plain(dsn: str) -> None:
    assert "sslmode" not in parameters_of(dsn)


@pytest.mark.parametrize(
    "dsn", ["postgresql://ann@db.example.org/memory", "postgresql://ann@10.0.0.1,localhost/memory"]
)
def test_a_connection_across_a_network_is_verified(dsn: str) -> None:
    parameters = parameters_of(dsn)

    assert (parameters["sslmode"], parameters["sslrootcert"]) == ("verify-full", "system")


@pytest.mark.parametrize("mode", ["disable", "allow", "prefer"])
def test_plain_text_across_a_network_is_refused(mode: str) -> None:
    with pytest.raises(
        StorageError, match=f"sslmode={mode} would send memories over a network in plain text"
    ):
        parameters_of(f"postgresql://ann@db.example.org/memory?sslmode={mode}")


@pytest.mark.parametrize("name", ["PGHOST", "PGHOSTADDR"])
def test_a_host_of_the_environment_counts(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "192.0.2.2")

    assert parameters_of("postgresql:///memory")["sslmode"] == "verify-full"
    assert "sslmode" not in parameters_of("postgresql://ann@/memory?host=/tmp&hostaddr=127.0.0.1")
    with pytest.raises(StorageError, match="plain text"):
        parameters_of("postgresql:///memory?sslmode=disable")


def test_a_service_is_refused_as_its_host_is_not_known(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "services"
    file.write_text("[far]\nhost=192.0.2.2\n")
    monkeypatch.setenv("PGSERVICEFILE", str(file))
    with pytest.raises(StorageError, match="name the host itself"):
        parameters_of("postgresql:///memory?service=far")
    monkeypatch.setenv("PGSERVICE", "far")
    with pytest.raises(StorageError, match="name the host itself"):
        parameters_of("postgresql:///memory")


BROKEN = [
    f"postgresql://ann:{WORD}/{WORD}@db.example.org/memory",
    f"postgresql://ann:{WORD}@{WORD}@db.example.org/memory",
    f"postgresql+psycopg://ann:{WORD}@db.example.org/memory",
    f"Postgresql://ann:{WORD}@db.example.org/memory",
    f"postgresql:/ann:{WORD}@db.example.org/memory",
    f"mysql://ann:{WORD}@db.example.org/memory",
]


@pytest.mark.parametrize("dsn", BROKEN)
def test_an_address_with_an_error_is_one_and_shows_no_password(dsn: str) -> None:
    assert ServerAddress.is_one(dsn)
    assert WORD not in str(ServerAddress(dsn))
    with pytest.raises(StorageError) as refused:
        parameters_of(dsn)
    assert WORD not in str(refused.value)


@pytest.mark.parametrize(
    "dsn",
    [
        f"postgresql://ann:{WORD}@db.example.org/memory",
        f"postgresql://ann:{WORD}?{WORD}@db.example.org/memory",
        f"postgresql://ann:{WORD}#{WORD}@db.example.org/memory",
        f"host=db.example.org user=ann password={WORD} dbname=memory",
        f"postgresql://db.example.org/memory?user=ann&password={WORD}",
        f"postgresql://db.example.org/memory?password={WORD}@x",
    ],
)
def test_an_address_shows_no_password(dsn: str) -> None:
    assert WORD not in str(ServerAddress(dsn)) + shown(parameters_of(dsn))


@pytest.mark.parametrize("host", ["x" * 100_000, f"{'x' * 64}.example.org", "a..b"])
def test_a_host_that_can_not_be_one_is_refused_in_a_short_line(host: str) -> None:
    with pytest.raises(StorageError, match="can't be read") as refused:
        parameters_of(f"postgresql://{host}/memory")
    assert len(str(refused.value)) < 200


@pytest.mark.parametrize(
    "path", ["~/memory", "/srv/memory", "memory", "C:/memory", "C:\\memory", "./a:b/c"]
)
def test_the_path_of_a_folder_is_no_address(path: str) -> None:
    assert not ServerAddress.is_one(path)
