"""One hand of No-Limit Hold'em: blinds, four betting rounds, and the end.

An `amount` is what its player will have put in during this round.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from foreign.document_peers.ranking import Card, best, shown, winnings

Ask = Callable[[str, dict[str, Any]], dict[str, Any]]
"""Asks a player, by its id, and returns its answer."""
Tell = Callable[[str, str, dict[str, Any]], None]
"""Reports an event: its type, message and payload."""

_ROUNDS = (("preflop", 0), ("flop", 3), ("turn", 4), ("river", 5))


@dataclass
class Hand:
    """The state of one hand; `order` begins with the small blind, `stacks` are changed."""

    order: list[str]
    stacks: dict[str, int]
    deck: list[Card]
    big_blind: int
    ask: Ask
    tell: Tell
    paid: dict[str, int] = field(default_factory=dict)
    """What each player has put into the pot."""
    bets: dict[str, int] = field(default_factory=dict)
    """What each player has put in during this round."""
    folded: set[str] = field(default_factory=set)
    current: int = 0
    raise_size: int = 0

    def play(self, small_blind: int) -> dict[str, int]:
        """Play the hand; returns what each player has won of the pot."""
        self.paid = dict.fromkeys(self.order, 0)
        holes = {player: [self.deck.pop(), self.deck.pop()] for player in self.order}
        board: list[Card] = []
        for number, (name, cards) in enumerate(_ROUNDS):
            while len(board) < cards:
                board.append(self.deck.pop())
            self.bets = dict.fromkeys(self.order, 0)
            self.current, self.raise_size = 0, self.big_blind
            first = self.order
            if number == 0:
                small, big, *others = self.order
                self._pay(small, small_blind)
                self._pay(big, self.big_blind)
                self.current = self.big_blind
                first = [*others, small, big]
            elif len(self.order) == 2:
                first = self.order[::-1]  # heads-up the small blind is the button
            self._bet(first, name, board, holes)
        ranks = {
            player: best([*holes[player], *board]) if len(self._left()) > 1 else ()
            for player in self._left()
        }
        won = winnings(self.paid, ranks, self.order)
        for player, chips in won.items():
            self.stacks[player] += chips
        return won

    def _left(self) -> list[str]:
        return [player for player in self.order if player not in self.folded]

    def _pay(self, player: str, chips: int) -> None:
        chips = min(chips, self.stacks[player])
        self.stacks[player] -= chips
        self.paid[player] += chips
        self.bets[player] += chips

    def _bet(
        self, first: list[str], name: str, board: list[Card], holes: dict[str, list[Card]]
    ) -> None:
        """Play one betting round."""
        waiting = list(first)
        while waiting and len(self._left()) > 1:
            player = waiting.pop(0)
            rivals = [rival for rival in self._left() if rival != player and self.stacks[rival]]
            owes = self.current - self.bets[player]
            if player in self.folded or not self.stacks[player] or (not rivals and owes <= 0):
                continue
            legal = self._legal(player)
            question: dict[str, Any] = {
                "bettingRound": name,
                "communityCards": shown(board),
                "holeCards": shown(holes[player]),
                "pot": sum(self.paid.values()),
                "minimumRaise": self.raise_size,
                "currentBet": self.current,
                "playerStack": self.stacks[player],
                "legalActions": legal,
            }
            before = self.current
            kind = self._act(player, self.ask(player, question), legal)
            self.tell(
                "action_taken",
                f"{player}: {kind}",
                {"playerId": player, "action": kind, "pot": sum(self.paid.values())},
            )
            if self.current > before:
                at = first.index(player)
                waiting = [*first[at + 1 :], *first[:at]]

    def _legal(self, player: str) -> list[str]:
        owes, stack = self.current - self.bets[player], self.stacks[player]
        legal = ["fold", "call"] if owes else ["check"]
        if stack > owes + self.raise_size:
            legal.append("raise" if self.current else "bet")
        return [*legal, "all-in"]

    def _act(self, player: str, answer: dict[str, Any], legal: list[str]) -> str:
        """Perform an answer; what is not possible becomes a check, or a fold."""
        kind = str(answer["action"])
        if kind not in legal:
            kind = "check" if "check" in legal else "fold"
        if kind == "fold":
            self.folded.add(player)
        elif kind == "call":
            self._pay(player, self.current - self.bets[player])
        elif kind in {"bet", "raise", "all-in"}:
            most = self.bets[player] + self.stacks[player]
            total = most if kind == "all-in" else answer.get("amount", 0)
            total = min(max(total, self.current + self.raise_size), most)
            self._pay(player, total - self.bets[player])
            if total > self.current:
                self.raise_size = max(self.raise_size, total - self.current)
                self.current = total
        return kind
