"""The stakes of a session, and amounts of the wire in chips. Pure."""

from dataclasses import dataclass
from typing import NamedTuple

from casino_agentkit import CommandRefused, Violation
from casino_contracts import Reason, Unit


@dataclass(frozen=True)
class Stakes:
    """The blinds and the ante of a session, in chips."""

    small_blind: int
    big_blind: int
    ante: int


NO_STAKES = Stakes(0, 0, 0)


class SessionStart(NamedTuple):
    """What a session begins with."""

    stakes: Stakes
    hands: int
    request_id: str | None


def chips_of(unit: Unit, field: str, amount: float) -> int:
    """Return an amount in chips; raises CommandRefused: INVALID_AMOUNT, with the field."""
    try:
        return unit.chips(amount)
    except ValueError as error:
        raise CommandRefused(
            Reason.INVALID_AMOUNT, f"{field}: {error}.", (Violation(field, str(error)),)
        ) from error
