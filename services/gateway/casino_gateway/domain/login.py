"""Login of an A2G client: who it is, until when it is valid, and what it may do."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

LIFETIME = timedelta(hours=24)
"""How long a login is valid; an extension begins anew."""
IDLE = timedelta(minutes=30)
WARNING = timedelta(minutes=5)
"""How long before the end a client is warned."""

NAME_LIMIT = 64


@dataclass(frozen=True, slots=True)
class Permissions:
    """What the owner of a linked account allows; None: no limit. Amounts are play chips."""

    allowed_games: tuple[str, ...] | None = None
    max_stake_per_round: float | None = None
    daily_loss_limit: float | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the limits that are set, by their names on the wire.

        >>> Permissions(allowed_games=("roulette",)).as_json()
        {'allowedGames': ['roulette']}
        """
        written = {
            "allowedGames": None if self.allowed_games is None else list(self.allowed_games),
            "maxStakePerRound": self.max_stake_per_round,
            "dailyLossLimit": self.daily_loss_limit,
        }
        return {name: value for name, value in written.items() if value is not None}

    def fault_of_stake(self, amount: object) -> str | None:
        """Return why the amount of an action is above what is allowed, None if it is not."""
        most = self.max_stake_per_round
        if most is None or not isinstance(amount, int | float) or amount <= most:
            return None
        return f"permissions.maxStakePerRound: the amount must be at most {most:g}"

    @classmethod
    def of(cls, written: Mapping[str, Any]) -> "Permissions":
        """Read what `as_json` wrote, or a client sent.

        Raises ValueError with the field and what it must be; unknown fields are ignored.
        """
        games = written.get("allowedGames")
        is_list = isinstance(games, list) and len(games) <= NAME_LIMIT
        if games is not None and not (is_list and all(isinstance(game, str) for game in games)):
            raise ValueError("permissions.allowedGames: must be a list of at most 64 game types")
        return cls(
            None if games is None else tuple(games),
            _amount(written, "maxStakePerRound"),
            _amount(written, "dailyLossLimit"),
        )


def _amount(written: Mapping[str, Any], name: str) -> float | None:
    value = written.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 2**53:
        raise ValueError(f"permissions.{name}: must be a number of chips from 0")
    return float(value)


@dataclass(frozen=True, slots=True)
class Login:
    """A login. Its token and its session id are secrets, of which only hashes are stored."""

    login_id: str
    """Owner of seats and bookings; of a wallet, the same at each sign-in."""
    display_name: str
    wallet_address: str | None
    linked_user_id: str | None
    """The login that linked the wallet, if one did."""
    permissions: Permissions
    expires_at: datetime
    heard_at: datetime

    def is_over(self, now: datetime) -> bool:
        return now >= self.ends_at

    @property
    def ends_at(self) -> datetime:
        """When it ends if nothing more is heard."""
        return min(self.expires_at, self.heard_at + IDLE)
