"""Render a trial and its lift as text and JSON."""

from collections.abc import Iterator, Mapping

from hardwon.domain.model.injection.receipt import MOMENTS
from hardwon.domain.model.lift import VISIBLE, Difference, Lift, Verdict
from hardwon.domain.model.trial import Trial
from hardwon.domain.use_cases.measure_lift import MeasuredLift
from hardwon.entrypoints.presenters.text import counted, utc_text

NO_TRIAL = (
    "no trial runs: hardwon trial on withholds a tenth of the lessons, to see what they change"
)
NOTHING_YET = "not enough yet: no outcome of a trial is known"
TOO_EARLY = "not enough yet"
NOT_LARGE = "no large difference"
NO_DIFFERENCE = "no clear difference: one of 5 points would have shown"
VERDICTS: Mapping[Verdict, str] = {
    "helps": "lessons help: where they are shown, less fails afterwards",
    "harms": "lessons do harm: where they are shown, more fails afterwards",
}


def trial_line(trial: Trial | None) -> str:
    """Return which share of the lessons a trial withholds, and since when."""
    if trial is None:
        return NO_TRIAL
    return (
        f"a trial runs since {utc_text(trial.since)}: {trial.share * 100:.3g} % of what would be shown at"
        " prompts and moments is withheld; hardwon lift compares, hardwon trial off ends it"
    )


def trial_document(trial: Trial | None) -> dict[str, object] | None:
    """Return the trial for JSON, None for none."""
    return trial._asdict() if trial else None


def lift_document(measured: MeasuredLift) -> dict[str, object]:
    """Return the comparison for JSON."""
    lift, goal = measured.lift, measured.lift.next_goal
    by_event = {event: lift.at(event) for event in MOMENTS}
    return {
        "sessions": lift.sessions,
        "drawn": {"shown": measured.shown, "withheld": measured.withheld},
        "all": _figures(lift),
        "by_event": {event: _figures(own) for event, own in by_event.items() if own.showings},
        "verdict": lift.verdict,
        "next": goal._asdict() if goal and lift.showings else None,
        "conclusion": conclusion(lift),
    }


def lift_lines(measured: MeasuredLift) -> Iterator[str]:
    """Yield the comparison as lines for a person."""
    from hardwon.entrypoints.presenters.injections import EVENTS  # attrs, 20 ms

    lift = measured.lift
    if lift.showings:
        shown, withheld = map(len, lift.arms)
        yield (
            f"{counted(lift.sessions, 'session', 'sessions')}, with a known outcome of {shown} of"
            f" {counted(measured.shown, 'lesson', 'lessons')} shown and of {withheld} of"
            f" {measured.withheld} withheld"
        )
        yield f"{'':<26}{'shown':>8}{'withheld':>10}   difference (95 %)"
        yield from _table("all moments", lift)
        for event in MOMENTS:
            yield from _table(EVENTS[event], lift.at(event))
    yield conclusion(lift)


def conclusion(lift: Lift) -> str:
    """Return what the comparison says, most often that it is too early."""
    if not lift.showings:
        return NOTHING_YET
    if lift.verdict != "open":
        return VERDICTS[lift.verdict]
    goal = lift.next_goal
    if goal is None:
        return NO_DIFFERENCE
    begin = TOO_EARLY if goal.difference == VISIBLE[0] else NOT_LARGE
    sessions = counted(goal.sessions, "more session", "more sessions")
    return (
        f"{begin}: about {sessions} would show a difference of {goal.difference * 100:.0f} points"
    )


def _figures(lift: Lift) -> dict[str, object]:
    shown, withheld = map(len, lift.arms)
    differences = {name: getattr(lift, name) for name in ("failed", "passed", "tries")}
    return {
        "shown": shown,
        "withheld": withheld,
        **{
            name: {**own._asdict(), "difference": own.value} if own else None
            for name, own in differences.items()
        },
    }


def _table(title: str, lift: Lift) -> Iterator[str]:
    if not lift.showings:
        return
    shown, withheld = map(len, lift.arms)
    yield f"{title:<26}{shown:>8}{withheld:>10}"
    yield _row("failed afterwards, %", lift.failed, 100)
    yield _row("passed in the end, %", lift.passed, 100)
    if lift.at("failure").showings:
        yield _row("tries after a failure", lift.tries, 1)


def _row(title: str, found: Difference | None, scale: int) -> str:
    if found is None:
        return f"  {title:<24}{'':>18}   too few to compare"
    shown, withheld, low, high = (scale * value for value in found)
    digits = 0 if scale > 1 else 1
    return (
        f"  {title:<24}{shown:>8.{digits}f}{withheld:>10.{digits}f}"
        f"   {scale * found.value:+.{digits}f} ({low:+.{digits}f} to {high:+.{digits}f})"
    )
