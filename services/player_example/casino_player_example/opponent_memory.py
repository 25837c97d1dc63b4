"""What a player of Hold'em remembers of its opponents: how they play, bet and showed down. Pure.

A hand is counted once, from the notice of its end, which has what every player at the table saw. A
memory is of one player at one table. Nothing in it is text that somebody else wrote: ids are keys.
"""

from collections import OrderedDict, deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import orjson
from casino_contracts import HOLDEM, HandNotice
from casino_contracts.events.content import ActionTaken
from casino_contracts.events.payload_fields import PostedBet
from casino_contracts.play_counts import MOST_DECISIONS, PlayCounts, PlayedHand, count_hand
from casino_games.holdem.spec import HoldemPublic, HoldemResult

MOST_TABLES: Final = 64
"""Number of memories; the one that was not used for the longest time is dropped."""
MOST_OPPONENTS: Final = 32
"""Of a table; who was not dealt in for the longest time is forgotten."""
_SIZES: Final = 15
_SHOWN: Final = 3
_MOST_ID: Final = 256
_HEADS_UP: Final = 2


@dataclass
class SeenOpponent:
    """One opponent at one table; sizes and shown cards are the newest ones, oldest first."""

    hands: int = 0
    counts: PlayCounts = field(default_factory=PlayCounts)
    raises: deque[float] = field(default_factory=lambda: deque(maxlen=_SIZES))
    """Totals of its raises before the flop, in big blinds; all-ins are left out."""
    bets: deque[float] = field(default_factory=lambda: deque(maxlen=_SIZES))
    """Its bets after the flop, as parts of the pot; all-ins are left out."""
    shown: deque[tuple[str, bool]] = field(default_factory=lambda: deque(maxlen=_SHOWN))
    """Cards such as `AhKd`, and whether they won a pot or a share of it."""


class OpponentMemory:
    """The opponents of all players of a process, apart by table and player."""

    def __init__(self) -> None:
        self._tables: OrderedDict[tuple[str, str], _TableMemory] = OrderedDict()

    def opponents(self, table_id: str, player_id: str) -> Mapping[str, SeenOpponent]:
        """Return what a player knows at a table, by player id."""
        table = self._tables.get((table_id, player_id))
        return table.opponents if table is not None else {}

    def notice(self, notice: HandNotice) -> None:
        """Count a completed hand of Hold'em; other notices, and unreadable ones, change nothing."""
        if notice.game_type != HOLDEM or notice.result is None:
            return
        key = notice.table_id, notice.player_id
        try:
            result = HoldemResult.model_validate_json(orjson.dumps(notice.result), extra="ignore")
            hand = _FinishedHand(result)
        except (ArithmeticError, LookupError, TypeError, ValueError):
            return  # of another version, or from somebody who is no table
        if (
            notice.player_id not in hand.played.stacks
            or max(map(len, (*key, *hand.ids))) > _MOST_ID
        ):
            return
        table = self._tables.setdefault(key, _TableMemory())
        self._tables.move_to_end(key)
        if len(self._tables) > MOST_TABLES:
            self._tables.popitem(last=False)
        if table.newest != notice.hand_id:  # a notice may be delivered twice
            table.newest = notice.hand_id
            table.add(hand, notice.player_id)


@dataclass
class _TableMemory:
    opponents: OrderedDict[str, SeenOpponent] = field(default_factory=OrderedDict)
    newest: str = ""

    def add(self, hand: "_FinishedHand", player_id: str) -> None:
        for other in hand.ids:
            if other != player_id:
                self.opponents.setdefault(other, SeenOpponent()).hands += 1
                self.opponents.move_to_end(other)
        while len(self.opponents) > MOST_OPPONENTS:
            self.opponents.popitem(last=False)
        counts = {other: opponent.counts for other, opponent in self.opponents.items()}
        count_hand(hand.played, hand.winners, counts, has_flop=hand.has_flop)
        for other, size in hand.raises:
            if other != player_id:
                self.opponents[other].raises.append(size)
        for other, size in hand.bets:
            if other != player_id:
                self.opponents[other].bets.append(size)
        for other, cards in hand.shown:
            if other != player_id:
                self.opponents[other].shown.append((cards, other in hand.winners))


def in_dealt_order(public: HoldemPublic) -> list[str]:
    """Return the players from the first left of the button to the button; raises ValueError."""
    ids = [player.player_id for player in public.players]
    left = ids.index(public.button) + 1
    return ids[left:] + ids[:left]


class _FinishedHand:
    """A completed hand as it is counted, with its sizes and shown cards.

    Raises ArithmeticError, LookupError or ValueError if it cannot have been played.
    """

    def __init__(self, result: HoldemResult) -> None:
        public = result.public
        if public.results is None or len(public.history) > MOST_DECISIONS:
            raise ValueError("it is no completed hand")
        self.ids = in_dealt_order(public)
        stacks = {
            player.player_id: float(player.stack - result.scores[player.player_id])
            for player in public.players
        }
        self.played = PlayedHand(stacks, _posted(public, self.ids, stacks), public.big_blind)
        self.has_flop = bool(public.community_cards)
        self.winners = {winner.player_id for pot in public.results.pots for winner in pot.winners}
        self.shown = [(hand.player_id, "".join(hand.cards)) for hand in public.results.shown]
        self.raises: list[tuple[str, float]] = []
        self.bets: list[tuple[str, float]] = []
        self._follow(public)

    def _follow(self, public: HoldemPublic) -> None:
        """Add the decisions with the stacks after them, and the sizes of bets and raises."""
        left, bets, pot = dict(self.played.stacks), dict.fromkeys(self.ids, 0.0), 0.0
        for posted in self.played.posted:
            paid = posted.amount or 0.0
            left[posted.player_id] -= paid
            pot += paid
            bets[posted.player_id] += paid if posted.is_bet else 0
        betting_round = "preflop"
        for decision in public.history:
            player_id = decision.player_id
            if decision.betting_round != betting_round:
                betting_round, bets = decision.betting_round, dict.fromkeys(self.ids, 0.0)
            if decision.amount is not None:
                if decision.action == "bet":
                    self.bets.append((player_id, decision.amount / pot))
                elif decision.action == "raise" and betting_round == "preflop":
                    self.raises.append((player_id, decision.amount / public.big_blind))
                paid = decision.amount - bets[player_id]
                bets[player_id] += paid
                left[player_id] -= paid
                pot += paid
            fields = {
                "playerId": player_id,
                "bettingRound": betting_round,
                "action": decision.action,
                "stack": left[player_id],
            }
            if (taken := ActionTaken.of(fields)) is None:
                raise ValueError("a player has no legible id")
            self.played.decide(taken)


def _posted(
    public: HoldemPublic, order: list[str], stacks: Mapping[str, float]
) -> tuple[PostedBet, ...]:
    """Return the forced bets, which follow from the places of players and the blinds."""
    blinds = order[::-1] if len(order) == _HEADS_UP else order[:2]
    owed = [(player_id, "ante", public.ante) for player_id in order if public.ante]
    if public.small_blind:
        owed += [(blinds[0], "small-blind", public.small_blind)]
    owed += [(blinds[1] if public.small_blind else order[0], "big-blind", public.big_blind)]
    left = dict(stacks)
    posted = []
    for player_id, kind, amount in owed:
        paid = min(float(amount), left[player_id])
        left[player_id] -= paid
        posted.append(PostedBet(player_id, kind, paid))
    return tuple(posted)
