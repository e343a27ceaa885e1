"""Vectors of several providers live beside each other in one store."""

import contextlib

from hardwon.adapters.sqlite.schema import NEWEST
from tests.entrypoints.programs import finish, hardwon, start, write
from tests.entrypoints.provider_process import MODELS, Hang, Scene, diagnostic, texts

IDENTITY = ("embedding_provider", "embedding_model", "embedding_dimensions", "schema_version")


def identity(scene: Scene) -> tuple[str, ...]:
    noted = scene.metadata()
    return tuple(noted[key] for key in IDENTITY)


def identity_of(provider: str) -> tuple[str, ...]:
    return (provider, MODELS[provider].name, str(MODELS[provider].dimensions), str(NEWEST))


def test_after_a_change_each_write_fills_fifty_and_the_way_back_is_free(scene: Scene) -> None:
    scene.choose("openai")
    scene.remember(119)
    write(scene.world)
    hardwon(scene.world, "embed")
    assert scene.vectors() == {"openai": 120}
    assert identity(scene) == identity_of("openai")

    scene.choose("voyage")
    for filled in (50, 100, 120):
        scene.requests()
        done = write(scene.world)
        assert (done.code, done.stderr) == (0, "")
        assert scene.vectors() == {"openai": 120, "voyage": filled}
        assert identity(scene) == identity_of("voyage")
        assert scene.world.query("SELECT count(embedding) FROM entries") == [(filled,)]
    assert len(texts(scene.requests())) == 20

    scene.choose("openai")
    done = write(scene.world)
    assert (done.stderr, scene.requests()) == ("", [])
    assert scene.vectors() == {"openai": 120, "voyage": 120}
    assert identity(scene) == identity_of("openai")
    assert scene.world.query("SELECT DISTINCT length(embedding) FROM entries") == [(1536 * 4,)]
    assert "vector=120" in diagnostic(scene.world.hook())


def test_vectors_of_another_space_are_never_compared(scene: Scene) -> None:
    scene.choose("openai")
    scene.remember(60)
    write(scene.world)
    scene.requests()

    scene.choose("voyage")
    run = scene.world.hook()
    assert "active (vector=0, fts5=1, pending_embedding=61)" in diagnostic(run)
    assert (run.stderr, run.log, scene.requests()) == ("", (), [])

    write(scene.world)
    run = scene.world.hook()
    assert "active (vector=50, fts5=1, pending_embedding=11)" in diagnostic(run)
    assert diagnostic(run).endswith("| model: voyage-code-3*")
    assert (run.stderr, run.log) == ("", ())


def test_two_models_of_one_provider_are_two_spaces(scene: Scene) -> None:
    scene.choose("openai")
    write(scene.world)
    scene.choose("openai", embedding_dimensions="512")
    assert "vector=0" in diagnostic(scene.world.hook())
    write(scene.world)

    assert scene.vectors() == {"openai": 2}
    assert scene.world.query("SELECT dimensions FROM space ORDER BY id") == [(1536,), (512,)]


def test_two_projects_with_two_providers_leave_each_others_vectors_alone(scene: Scene) -> None:
    world = scene.world
    first, second = world.project, world.folder / "second"
    second.mkdir()
    scene.give_key("openai")
    world.project = second
    scene.begin_feature()
    for project, provider in 2 * ((first, "openai"), (second, "ollama")):
        world.project = project
        scene.configure(embedding_provider=provider)
        assert (
            write(
                world,
                source_project=None,
                description=f"A number without its unit in {project.name}.",
            ).code
            == 0
        )

    assert scene.vectors() == {"openai": 2, "ollama": 2}
    for project, provider in ((first, "openai"), (second, "ollama")):
        world.project = project
        scene.configure(embedding_provider=provider)
        run = scene.world.hook()
        assert "vector=2" in diagnostic(run)
        assert diagnostic(run).endswith(f"| model: {MODELS[provider].name}*")
        assert run.log == ()


def test_killed_while_it_embeds_it_goes_on_where_it_was(scene: Scene) -> None:
    scene.choose("openai")
    scene.remember(60)
    hang = Hang(scene.stub, at=2)
    scene.stub.fault = hang
    process = start(scene.world, "hardwon", "embed")
    with contextlib.ExitStack() as stack:
        stack.callback(process.wait)
        stack.callback(process.kill)
        hang.wait()
    finish(process)
    assert process.returncode == -9
    assert scene.vectors() == {"openai": 50}
    first, cut_off = scene.requests()

    hang.end()
    done = hardwon(scene.world, "embed")
    repeated = scene.requests()
    assert (done.code, done.stdout, done.stderr) == (0, "10 vectors made, 0 missing.\n", "")
    assert texts(repeated) == texts([cut_off])
    assert not set(texts(repeated)) & set(texts([first]))
    assert scene.vectors() == {"openai": 60}
    assert scene.world.query("SELECT count(DISTINCT entry_seq), count(*) FROM vector") == [(60, 60)]


def test_re_embedding_everything_touches_no_entry_and_no_other_space(scene: Scene) -> None:
    scene.choose("voyage")
    write(scene.world)
    scene.choose("openai")
    write(scene.world)
    before = scene.world.query("SELECT id, updated_at, observation_count FROM entries")
    scene.requests()
    done = hardwon(scene.world, "embed", "--all")

    assert (done.code, done.stdout) == (0, "1 vector made, 0 missing.\n")
    assert len(texts(scene.requests())) == 2  # one to see that it works
    assert scene.world.query("SELECT id, updated_at, observation_count FROM entries") == before
    assert scene.vectors() == {"voyage": 1, "openai": 1}
