"""The plan that a caller sends: completed, checked against the service's bounds, and named. Pure.

The same plan always has the same id, whether its seed is drawn by the service or its agents have
other cards by now, so that no second match begins.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256
from typing import Any, Final

from casino_agentkit import CommandRefused, Violation
from casino_agentkit.violations import violations_of
from casino_contracts import Reason
from casino_contracts.run_match import MatchPlan
from casino_player_example.style_catalogue import STYLES
from pydantic import ValidationError
from pydantic.alias_generators import to_camel
from pydantic_core import to_json

from casino_match.domain.plan import Plan, canonical
from casino_match.domain.plan_file import STYLE, complete, is_remote, merged, plan_of
from casino_match.errors import InvalidPlan

_ID: Final = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}-[0-9a-f]{16}")
_ID_DIGITS: Final = 16
_UNDRAWN: Final = "undrawn"
_MOST_BLOCKS: Final = 10_000
_MOST_BLOCK: Final = 10_000
_MOST_BYTES: Final = 65_536


@dataclass(frozen=True, slots=True)
class PlanLimits:
    """What a plan may ask of the service."""

    decks: int
    longest_wait: timedelta


@dataclass(frozen=True, slots=True)
class RequestedMatch:
    """A plan that can be played; without `has_seed` its seed is a placeholder."""

    match_id: str
    plan: Plan
    has_seed: bool

    def with_seed(self, draw_seed: Callable[[], str]) -> Plan:
        if self.has_seed:
            return self.plan
        deal = self.plan.deal.model_copy(update={"seed": draw_seed()})
        return self.plan.model_copy(update={"deal": deal})


def is_match_id(text: str) -> bool:
    """Return whether a text has the form of a match's id; only such a text becomes a path."""
    return _ID.fullmatch(text) is not None


def requested_match(planned: MatchPlan, bounds: PlanLimits) -> RequestedMatch:
    """Return what a caller wishes; raises CommandRefused: INVALID_PLAN, with the fields."""
    _refuse(_unknown_styles(planned))
    values = planned.model_dump(by_alias=False, exclude_none=True)
    try:
        values = complete(values)
        has_seed = "seed" in values.get("deal", {})
        if not has_seed:
            values = merged(values, {"deal": {"seed": _UNDRAWN}})
        plan = plan_of(values)
    except InvalidPlan as error:
        raise CommandRefused(
            Reason.INVALID_PLAN,
            f"The match cannot be played as it is planned. {error}.",
            _violations(error.__cause__),
        ) from error
    _refuse(_faults(plan, bounds))
    return RequestedMatch(_id_of(plan, has_seed=has_seed), plan, has_seed)


def _refuse(faults: Iterator[Violation]) -> None:
    if violations := tuple(faults):
        texts = "; ".join(f"{fault.field}: {fault.message}" for fault in violations)
        raise CommandRefused(
            Reason.INVALID_PLAN, f"This service does not play the plan. {texts}.", violations
        )


def _violations(cause: BaseException | None) -> tuple[Violation, ...]:
    """Return the fields of a plan that is not valid, as they are on the wire."""
    if not isinstance(cause, ValidationError):
        return ()
    return tuple(
        Violation(".".join(map(to_camel, fault.field.split("."))), fault.message)
        for fault in violations_of(cause, "plan")
    )


def _unknown_styles(planned: MatchPlan) -> Iterator[Violation]:
    for number, entrant in enumerate(planned.players):
        if not is_remote(entrant.player) and entrant.player.removeprefix(STYLE) not in STYLES:
            styles = ", ".join(STYLE + style for style in STYLES)
            yield Violation(
                f"plan.players.{number}.player",
                f"must be one of {styles}, or the http or https URL of an agent",
            )


def _faults(plan: Plan, bounds: PlanLimits) -> Iterator[Violation]:
    if plan.deal.decks > bounds.decks:
        yield Violation("plan.deal.decks", f"must be at most {bounds.decks}")
    if plan.deal.decks_per_block > _MOST_BLOCK:
        yield Violation("plan.deal.decksPerBlock", f"must be at most {_MOST_BLOCK}")
    elif plan.blocks > _MOST_BLOCKS:
        least = -(-plan.deal.decks // _MOST_BLOCKS)
        yield Violation("plan.deal.decksPerBlock", f"must be at least {least} for so many decks")
    for field, wait in (
        ("plan.rules.clock", plan.rules.clock),
        ("plan.faults.patience", plan.faults.patience),
    ):
        if wait > bounds.longest_wait:
            longest_s = bounds.longest_wait.total_seconds()
            yield Violation(field, f"must be at most {longest_s:g}s")
    if len(to_json(plan)) > _MOST_BYTES:
        yield Violation("plan", f"must have at most {_MOST_BYTES} bytes")


def _id_of(plan: Plan, *, has_seed: bool) -> str:
    """Return a match's id: its name, and the hash of what its caller sent."""
    content: dict[str, Any] = plan.model_dump(mode="json")
    if not has_seed:
        content["deal"]["seed"] = None
    name = re.sub(r"[^A-Za-z0-9._-]", "-", plan.name).lstrip(".") or "match"
    return f"{name}-{sha256(canonical(content)).hexdigest()[:_ID_DIGITS]}"
