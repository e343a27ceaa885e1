"""`hardwon why`: show what was injected into sessions, and why."""

import time
from typing import Annotated

import typer

from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.filters import Workplace
from hardwon.domain.model.settings import Settings
from hardwon.domain.use_cases.explain_injections import (
    ExplainedInjection,
    ExplainedInjections,
    ExplainInjections,
)
from hardwon.domain.use_cases.inject_beside_prompt import (
    InjectBesidePrompt,
    Prompt,
    PromptDryRun,
    TryPrompt,
)
from hardwon.entrypoints.bootstrap import host_session
from hardwon.entrypoints.bootstrap_retrieval import Memory, build_weigh_entries
from hardwon.entrypoints.cli.console import OK, USERS_MISTAKE, print_items, print_json, say
from hardwon.entrypoints.cli.options import MOST, AsJson, GlobalStore, ProjectRoot, Typed, open_for
from hardwon.entrypoints.context import read_workplace
from hardwon.entrypoints.presenters.injections import (
    VerifiedInjection,
    dry_run_document,
    dry_run_lines,
    injection_document,
    injection_lines,
)
from hardwon.entrypoints.presenters.text import on_one_line
from hardwon.entrypoints.streams import readable, standard_input

WHY_EXAMPLES = """\b
Examples:
  hardwon why
  hardwon why 4e1079b4
  hardwon why --verify
  hardwon why --prompt "rename a column of the orders table" --json"""

NOTHING = (
    "Nothing was injected into a session of this project yet: its next session start is told here"
)
SEARCH_SECONDS = 10.0
"""A trial may take longer than a prompt."""

WITH_TEXT_ONLY = (
    "--prompt tries a prompt that nobody has asked yet: leave out --verify, the session and the"
    " entry"
)
NEVER = "{} was not injected into any session that is still known"


def why(
    reference: Annotated[
        str | None,
        typer.Argument(
            metavar="[SESSION|ENTRY]",
            help=(
                "The id of a session or entry, or its first characters (default: the"
                " project's newest injection)."
            ),
            show_default=False,
        ),
    ] = None,
    *,
    verify: Annotated[
        bool,
        typer.Option(
            "--verify", help=("Build the text again and compare it with what was injected.")
        ),
    ] = False,
    prompt: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT",
            help=(
                "Try a prompt: show what would be injected beside it now, and why (- for"
                " standard input)."
            ),
            show_default=False,
        ),
    ] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, max=MOST, metavar="N", help="The maximum number.")
    ] = None,
    typed: Typed = False,
    project_root: ProjectRoot = ".",
    global_store: GlobalStore = None,
    as_json: AsJson = False,
) -> None:
    """
    Show what was injected into sessions, and why.

    With --verify, exit code 1 means that something differs.
    """
    del typed
    memory = open_for(project_root, global_store, create=False)
    if prompt is not None:
        if reference is not None or verify:
            raise typer.BadParameter(WITH_TEXT_ONLY)
        _try(memory, prompt, project_root, as_json=as_json)
        return
    explain = ExplainInjections.on(memory.store, memory.registry())
    if reference is None:
        answer = explain.newest(read_workplace(memory, project_root).project, limit or 1)
    else:
        answer = explain.explain(readable(reference), limit)
    proofs = [VerifiedInjection.of(item) if verify else None for item in answer.injections]
    if as_json:
        print_items(
            _document(item, proof) for item, proof in zip(answer.injections, proofs, strict=True)
        )
    else:
        _print(answer, proofs)
    raise typer.Exit(
        OK if all(proof is None or proof.verdict.verified for proof in proofs) else USERS_MISTAKE
    )


def _try(memory: Memory, prompt: str, project_root: str, *, as_json: bool) -> None:
    text = standard_input() if prompt == "-" else readable(prompt)
    dry_run, on = (
        _dry_run(
            InjectBesidePrompt(build_weigh_entries(memory, project_root)),
            read_workplace(memory, project_root),
            text,
        ),
        _is_on(memory.settings),
    )
    for line in dry_run.degradations:
        memory.warn(line)
    if as_json:
        print_json(dry_run_document(dry_run, on=on))
        return
    for line in dry_run_lines(dry_run, on=on):
        say(on_one_line(line))


def _dry_run(beside_prompt: InjectBesidePrompt, workplace: Workplace, text: str) -> PromptDryRun:
    try_prompt = TryPrompt(beside_prompt)
    prompt = Prompt(text, host_session(), workplace)
    return try_prompt.dry_run(prompt, Deadline.after(SEARCH_SECONDS, time.monotonic))


def _is_on(settings: Settings) -> bool:
    return settings.prompt_enabled and settings.injection_enabled and settings.semantic_enabled


def _print(answer: ExplainedInjections, proofs: list[VerifiedInjection | None]) -> None:
    for place, (item, proof) in enumerate(zip(answer.injections, proofs, strict=True)):
        if place and not proof:
            say()
        for line in proof.lines() if proof else injection_lines(item, answer.entry_id):
            say(on_one_line(line))
    if not answer.injections:
        say(NEVER.format(answer.entry_id) if answer.entry_id else NOTHING)


def _document(explained: ExplainedInjection, proof: VerifiedInjection | None) -> dict[str, object]:
    return {**injection_document(explained), **({"proof": proof.document()} if proof else {})}
