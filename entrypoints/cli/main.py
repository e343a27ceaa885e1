"""`hardwon`: the commands for people and scripts."""

import sys

import typer

from hardwon.domain.model.errors import HardwonError, InvalidEntryError
from hardwon.entrypoints.cli import demo, doctor, embedding, importing, reading
from hardwon.entrypoints.cli.screen import err
from hardwon.entrypoints.streams import never_fail_to_print

OK, USERS_MISTAKE, OUR_TROUBLE = 0, 1, 2
TYPER_USAGE_ERROR = 2

app = typer.Typer(
    help="A memory of hard-won lessons for coding agents, on your own machine.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("import")(importing.import_knowledge)
app.command("embed")(embedding.embed)
app.command("list")(reading.list_entries)
app.command("show")(reading.show)
app.command("stats")(reading.stats)
app.command("doctor")(doctor.doctor)
app.command("demo")(demo.demo)


def main() -> None:
    """Run one command and leave: 0 ok, 1 the user's mistake, 2 our trouble."""
    never_fail_to_print()
    sys.exit(_run())


def _run() -> int:
    try:
        app()
    except SystemExit as end:
        return USERS_MISTAKE if end.code == TYPER_USAGE_ERROR else int(end.code or OK)
    except InvalidEntryError as error:
        return _failed(error, USERS_MISTAKE)
    except HardwonError as error:
        return _failed(error, OUR_TROUBLE)
    except KeyboardInterrupt:
        return USERS_MISTAKE
    return OK


def _failed(error: HardwonError, code: int) -> int:
    err.print(f"hardwon: {error}", markup=False)
    return code
