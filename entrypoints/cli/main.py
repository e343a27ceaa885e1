"""`hardwon`: the commands for people and scripts."""

import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module

from hardwon.domain.model.errors import (
    HardwonError,
    InvalidCheckpointError,
    InvalidEntryError,
    InvalidEvaluationError,
    InvalidQueryError,
    UnknownEntryError,
)
from hardwon.entrypoints.cli.commands import COMMANDS, COMPLETING, NAME, PACKAGE, Command
from hardwon.entrypoints.cli.console import OK, OUR_FAILURE, USERS_MISTAKE, at_end, complain
from hardwon.entrypoints.cli.parameters import (
    INTERRUPTED,
    TYPED,
    BadOptionError,
    MistakeError,
    NothingAskedError,
    plain_call,
)
from hardwon.entrypoints.streams import (
    NO_FOLDER,
    collect_seldom,
    ignore_empty_home,
    is_working_folder_gone,
    never_fail_to_print,
    silence,
)

USERS_MISTAKES = (
    InvalidCheckpointError,
    InvalidEntryError,
    InvalidEvaluationError,
    InvalidQueryError,
    MistakeError,
    UnknownEntryError,
)


def main() -> None:
    """Run one command and exit: 0 ok, 1 the user's mistake, 2 our failure."""
    collect_seldom()
    never_fail_to_print()
    ignore_empty_home()
    try:
        code = _run(_without_help(sys.argv[1:]))
    except Exception as error:  # noqa: BLE001  # no user ever sees a traceback
        from hardwon.entrypoints.unforeseen import log_unforeseen  # rarely needed

        code = _failed(log_unforeseen(NAME, error), OUR_FAILURE)
    at_end.close()
    sys.exit(code)


def _without_help(arguments: Sequence[str]) -> Sequence[str]:
    """Return `recall --help` for `help recall`."""
    return [*arguments[1:], "--help"] if arguments[:1] == ["help"] else arguments


def _run(arguments: Sequence[str]) -> int:
    try:
        if TYPED in arguments:
            from hardwon.entrypoints.cli.typed import with_typed  # for slash commands

            arguments = with_typed(arguments)
        code = _call(arguments)
        sys.stdout.flush()
    except NothingAskedError:
        named = next(name for name in arguments if name in COMMANDS)
        return _run([named, "--help"])
    except USERS_MISTAKES as error:
        return _failed(str(error), USERS_MISTAKE)
    except HardwonError as error:
        return _failed(str(error), OUR_FAILURE)
    except (BrokenPipeError, SystemExit):  # the reader has left; typer and rich would exit
        silence()
        return OK
    except OSError as error:  # those of the store became errors of ours on their way here
        silence()
        gone, problem = (
            is_working_folder_gone(),
            f"{error.filename or 'standard output'}: {error.strerror or error}",
        )
        return _failed(NO_FOLDER, USERS_MISTAKE) if gone else _failed(problem, OUR_FAILURE)
    return code


def _call(arguments: Sequence[str]) -> int:
    """Call the command, without typer if *arguments* are plain."""
    call = _plain_call(arguments)
    if not call:
        from hardwon.entrypoints.cli.program import run  # 40 ms

        return run(arguments)
    try:
        call()
    except BadOptionError as error:
        raise MistakeError(f"{error}; see {NAME} {arguments[0]} --help") from error
    except (EOFError, KeyboardInterrupt) as error:
        print(file=sys.stderr)
        raise MistakeError(INTERRUPTED) from error
    return OK


def _plain_call(arguments: Sequence[str]) -> Callable[[], None] | None:
    command = COMMANDS.get(arguments[0]) if arguments else None
    is_for_typer = COMPLETING in os.environ or os.name == "nt"  # it completes, and expands globs
    if is_for_typer or not isinstance(command, Command):
        return None
    module = import_module(f"{PACKAGE}.{command.module}")
    return plain_call(getattr(module, command.function), arguments[1:])


def _failed(line: str, code: int) -> int:
    complain(f"{NAME}: {line}")
    return code
