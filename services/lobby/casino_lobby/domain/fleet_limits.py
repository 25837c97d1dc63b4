"""Limits on announced tables. Pure."""

from dataclasses import dataclass

from casino_agentkit import CommandRefused
from casino_contracts import Reason


@dataclass(frozen=True)
class FleetLimits:
    """Maximum number of announced tables: in total, and per origin (scheme, host, port)."""

    tables: int = 256
    per_origin: int = 16

    def refuse_beyond(self, tables: int, origin: str, of_origin: int) -> None:
        """Check that another table of an origin may be registered.

        `tables` is the number of registered ones, `of_origin` that of those of the origin.
        Raises CommandRefused: TOO_MANY_TABLES.
        """
        if tables >= self.tables:
            raise CommandRefused(
                Reason.TOO_MANY_TABLES,
                f"{self.tables} tables have announced themselves, which is the maximum"
                " (CASINO_LOBBY_ANNOUNCED_TABLES); try again when one of them is gone.",
            )
        if of_origin >= self.per_origin:
            raise CommandRefused(
                Reason.TOO_MANY_TABLES,
                f"{self.per_origin} tables of {origin[:200]} have announced themselves, which is"
                " the maximum per origin (CASINO_LOBBY_ANNOUNCED_TABLES_PER_ORIGIN).",
            )


DEFAULT_LIMITS = FleetLimits()
