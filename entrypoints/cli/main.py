"""`hardwon`: the commands for people and scripts."""

import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from hardwon.domain.model.errors import HardwonError, InvalidEntryError, InvalidEvaluationError
from hardwon.entrypoints.cli import (
    counting,
    deleting,
    demo,
    doctor,
    embedding,
    evaluating,
    exporting,
    importing,
    indexing,
    labelling,
    nearby,
    reading,
    recalling,
    saving,
    showing,
)
from hardwon.entrypoints.cli.options import OK, OUR_TROUBLE, USERS_MISTAKE
from hardwon.entrypoints.cli.screen import complain, say
from hardwon.entrypoints.streams import never_fail_to_print, silence

NAME = "hardwon"

app = typer.Typer(
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("recall", epilog=recalling.EXAMPLES)(recalling.recall)
app.command("context")(nearby.context)
app.command("save")(saving.save)
app.command("index", short_help="Bring markdown files into the store.")(indexing.index)
app.command("import", short_help="Bring a knowledge bank or index into the store.")(importing.import_knowledge)
app.command("embed")(embedding.embed)
app.command("export", short_help="Write the sessions as a memory-index.json.")(exporting.export)
app.command("label")(labelling.label)
app.command("list")(reading.list_entries)
app.command("show")(showing.show)
app.command("delete")(deleting.delete)
app.command("stats")(counting.stats)
app.command("doctor")(doctor.doctor)
app.command("eval", short_help="Measure how well memory answers.")(evaluating.evaluate)
app.command("demo", short_help="Show what hardwon does, on a sample project.")(demo.demo)


def _print_version(wanted: bool) -> None:  # noqa: FBT001  # typer calls it so
    if wanted:
        from importlib.metadata import version  # only this option needs it, and it is slow

        say(f"{NAME} {version(NAME)}")
        raise typer.Exit


@app.callback()
def hardwon(
    *,
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_print_version, help="Show the version and exit.")
    ] = False,
) -> None:
    """Keep a memory of hard-won lessons for coding agents, on your own machine."""
    del version


def main() -> None:
    """Run one command and leave: 0 ok, 1 the user's mistake, 2 our trouble."""
    never_fail_to_print()
    sys.exit(_run(sys.argv[1:] or ["--help"]))


def _run(arguments: Sequence[str]) -> int:
    try:
        code = int(app(arguments, prog_name=NAME, standalone_mode=False) or OK)
        sys.stdout.flush()
    except typer.TyperException as error:
        return _failed(_usage(error), USERS_MISTAKE)
    except (InvalidEntryError, InvalidEvaluationError) as error:
        return _failed(str(error), USERS_MISTAKE)
    except HardwonError as error:
        return _failed(str(error), OUR_TROUBLE)
    except (BrokenPipeError, SystemExit):  # whoever reads has read enough; typer and rich would leave
        silence()
        return OK
    except OSError as error:  # those of the store became errors of ours on their way here
        silence()
        return _failed(f"{error.filename or 'standard output'}: {error.strerror or error}", OUR_TROUBLE)
    return code


def _usage(error: typer.TyperException) -> str:
    message = " ".join(error.format_message().split()).removesuffix(".")
    context = getattr(error, "ctx", None)
    return f"{message}; see {context.command_path if context else NAME} --help"


def _failed(line: str, code: int) -> int:
    complain(f"{NAME}: {line}")
    return code
