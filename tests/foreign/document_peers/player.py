"""Players: one that calls, and one that also bets, raises and folds."""

from collections.abc import Callable
from typing import Any

from foreign.document_peers import shapes
from foreign.document_peers.document_agent import DocumentAgent
from foreign.document_peers.wires import Wire

_BOARD = {"preflop": 0, "flop": 3, "turn": 4, "river": 5}

Decide = Callable[[dict[str, Any], int], dict[str, Any]]
"""Decides on a request, by the number of requests before it."""


def calling(request: dict[str, Any], _number: int) -> dict[str, Any]:
    """Check, or call, or fold."""
    legal = request["legalActions"]
    return {"action": next(kind for kind in ("check", "call", "fold") if kind in legal)}


def varied(request: dict[str, Any], number: int) -> dict[str, Any]:
    """Bet or raise the least at every third request, fold at some, otherwise call."""
    legal = request["legalActions"]
    if number % 3 == 0:
        for kind in ("bet", "raise"):
            if kind in legal:
                amount = request["currentBet"] + request["minimumRaise"]
                return {"action": kind, "amount": amount, "message": f"{kind} to {amount}"}
    if number % 7 == 0 and "fold" in legal:
        return {"action": "fold"}
    return calling(request, number)


class DocumentPlayer(DocumentAgent):
    """A player agent with its two entrypoints; the second has a name of the player's choice."""

    def __init__(
        self,
        name: str,
        wire: Wire,
        decide: Decide,
        *,
        action_skill: str = "act",
        buy_in: int | None = None,
        question: shapes.Shape = shapes.ACTION_REQUEST,
    ) -> None:
        super().__init__(name, wire)
        self.asked = 0
        self.invited = 0
        self._decide = decide
        self._action_skill = action_skill
        self._buy_in = buy_in
        self.offer("signup", shapes.SIGNUP_INVITATION, self._signup)
        self.offer(action_skill, question, self._act)

    def _signup(self, _invitation: dict[str, Any]) -> dict[str, Any]:
        self.invited += 1
        reply: dict[str, Any] = {"displayName": self.name, "actionSkill": self._action_skill}
        return reply if self._buy_in is None else {**reply, "buyIn": self._buy_in}

    def _act(self, request: dict[str, Any]) -> dict[str, Any]:
        cards = [(card["rank"], card["suit"]) for card in request["holeCards"]]
        cards += [(card["rank"], card["suit"]) for card in request["communityCards"]]
        if len(cards) - 2 != _BOARD[request["bettingRound"]] or len(set(cards)) < len(cards):
            self.violations.append(f"impossible cards: {request}")
        self.asked += 1
        return self._decide(request, self.asked)
