"""Answers of Hold'em whose `amount` is the chips to add: turned into actions of the game.

So the players of the original casino mean it, which speak the invoke profile: `currentBet` is what
they have to call, and bet and raise are one action with two names. The game knows totals only.

| answer | action |
| --- | --- |
| bet, raise | to the player's own bet plus `amount`, as whichever of the two is possible |
| bet, raise with exactly what is to call | call; check if that is nothing |
| bet, raise with the stack or more | all-in |
| call | call; check if nothing is to call |
| all-in | all-in, whatever the `amount` |

Everything else is refused with what is possible: nobody puts in more chips than they said.
"""

from collections.abc import Mapping
from typing import NamedTuple

from casino_contracts import ActionKind

from casino_play.decision import Action


class AddedChips(NamedTuple):
    """What a player may do at one decision, in chips."""

    bet: int
    """What the player has put in during this betting round."""
    to_call: int
    """What the player adds to call; at most the stack."""
    stack: int
    available: Mapping[str, Action]
    """The possible actions by their kind; those of bet and raise have totals, `min` and `max`."""

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of the possible actions, named as in the original: not to call is to bet.

        So the raise of the big blind, when nobody has raised before the flop, is a bet.
        """
        return tuple(
            "bet" if kind == "raise" and self.to_call == 0 else kind for kind in self.available
        )

    @property
    def least_and_most(self) -> tuple[int, int] | None:
        """The smallest and the largest amount of a bet or raise; None if neither is possible."""
        offered = self._raise
        return (offered["min"] - self.bet, offered["max"] - self.bet) if offered else None

    @property
    def _raise(self) -> Action | None:
        return self.available.get("bet") or self.available.get("raise")

    def action(self, kind: ActionKind, added: int | None) -> Action:
        """Return the action of an answer; raises ValueError."""
        if kind in {"bet", "raise"}:
            return self._raised(kind, added)
        if kind == "call" and self.to_call == 0:
            kind = "check"
        if kind not in self.available:
            raise ValueError(f"{kind} is not possible now")
        return {"action_type": kind}

    def _raised(self, kind: ActionKind, added: int | None) -> Action:
        if added is None:
            raise ValueError(f"{kind} needs amount, the chips that you add")
        if added == self.to_call:
            return self.action("call", None)
        if added >= self.stack and "all-in" in self.available:
            return {"action_type": "all-in"}
        offered, amounts = self._raise, self.least_and_most
        if offered is None or amounts is None:
            raise ValueError(f"{kind} is not possible now")
        least, most = amounts
        if added < least:
            raise ValueError(f"{kind} adds fewer chips than the smallest (amount is what you add)")
        if added > most:
            raise ValueError(f"{kind} adds more chips than the largest (amount is what you add)")
        return {"action_type": offered["action_type"], "amount": self.bet + added}
