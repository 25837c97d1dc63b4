"""Public data of a hand: its events and state.

The only cards are the dealt board and the shown hands.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from casino_games.cards import NAMES, Card
from casino_games.game import Json
from casino_games.holdem.betting import RIVER, Seat, Street
from casino_games.holdem.config import HoldemConfig
from casino_games.holdem.hand import Hand
from casino_games.holdem.ranking import best_five, class_name

ROUNDS: Final[tuple[str, ...]] = ("preflop", "flop", "turn", "river")
"""The name of each street."""
_STATUS: Final[tuple[str, ...]] = ("folded", "all-in", "active")
"""Neither live nor with chips, live without chips, both."""


def names(cards: Sequence[Card]) -> list[str]:
    return [NAMES[card] for card in cards]


class PublicState:
    """The public state of a hand, of which a decision renews only what it has changed."""

    __slots__ = ("_by_seat", "_community_cards", "_hand", "_history", "_ids", "_players", "_state")

    def __init__(
        self, hand: Hand, ids: Sequence[str], seats: Mapping[str, Seat], config: HoldemConfig
    ) -> None:
        """Read a hand; `ids` are the players by seat, `seats` gives the order of the players."""
        self._hand = hand
        self._ids = ids
        self._by_seat: list[Json] = [
            {"player_id": player_id, "stack": 0, "bet": 0, "status": ""} for player_id in ids
        ]
        self._players = [self._by_seat[seat] for seat in seats.values()]
        self._history: list[Json] = []
        self._community_cards: list[str] = []
        self._state: Json = {
            "game_type": "texas-holdem",
            "betting_round": "",
            "community_cards": self._community_cards,
            "pot": 0,
            "current_bet": 0,
            "minimum_raise": 0,
            "small_blind": config.small_blind,
            "big_blind": config.big_blind,
            "ante": config.ante,
            "button": ids[-1],
            "current_player": "",
            "players": self._players,
            "history": self._history,
        }
        self._read_street()
        self._read_decisions()

    def read(self) -> Json:
        """Return the state as it is now, which is the caller's."""
        hand = self._hand
        if len(hand.actions) > len(self._history):
            self._read_decisions()
        state = self._state.copy()
        state["community_cards"] = self._community_cards.copy()
        state["players"] = [player.copy() for player in self._players]
        state["history"] = [entry.copy() for entry in self._history]
        if hand.is_over:
            state["results"] = results(hand, self._ids)
        return state

    def _read_decisions(self) -> None:
        hand, history, state, ids = self._hand, self._history, self._state, self._ids
        for seat, street, kind, amount, _, stack, _ in hand.actions[len(history) :]:
            history.append(
                {
                    "player_id": ids[seat],
                    "betting_round": ROUNDS[street],
                    "action": kind,
                    "amount": amount,
                }
            )
            player = self._by_seat[seat]
            player["stack"] = stack
            player["bet"] = hand.bets[seat]
            player["status"] = "folded" if kind == "fold" else "active" if stack else "all-in"
        state["pot"] = hand.pot
        state["current_bet"] = hand.price
        state["minimum_raise"] = hand.min_raise
        if hand.is_over:
            state["current_player"] = ""
            self._read_street()
        else:
            state["current_player"] = ids[hand.actor]
            if state["betting_round"] != ROUNDS[hand.street]:
                self._read_street()

    def _read_street(self) -> None:
        hand = self._hand
        self._state["betting_round"] = ROUNDS[hand.street]
        self._community_cards = names(hand.board)
        for seat, player in enumerate(self._by_seat):
            player["stack"] = hand.stacks[seat]
            player["bet"] = hand.bets[seat]
            player["status"] = _STATUS[(hand.live >> seat & 1) + (hand.with_chips >> seat & 1)]


def forced_bets(hand: Hand, ids: Sequence[str]) -> list[Json]:
    """Return the paid antes and blinds; `ids` are the players by seat."""
    return [
        {"event": "forced_bet", "player_id": ids[seat], "kind": kind, "amount": paid}
        for seat, kind, paid in hand.forced_bets
        if paid
    ]


def street_dealt(hand: Hand, street: Street) -> Json:
    """Return the event of a dealt street, with all community cards so far."""
    cards = [NAMES[card] for card in hand.board_on(street)]
    return {"event": "street_dealt", "betting_round": ROUNDS[street], "community_cards": cards}


def hands_shown(hand: Hand, ids: Sequence[str]) -> list[Json]:
    """Return the shown hands, in showing order, ranked on the full board."""
    board, ranks = hand.board_on(RIVER), hand.ranks
    shown: list[Json] = []
    for seat in hand.shown:
        first, second = hole = hand.hole_of(seat)
        rank = ranks[seat]
        a, b, c, d, e = best_five((*hole, *board), rank)
        shown.append(
            {
                "player_id": ids[seat],
                "cards": [NAMES[first], NAMES[second]],
                "rank": rank,
                "rank_name": class_name(rank),
                "best_five": [NAMES[a], NAMES[b], NAMES[c], NAMES[d], NAMES[e]],
            }
        )
    return shown


def pots_awarded(hand: Hand, ids: Sequence[str]) -> list[Json]:
    return [
        {
            "amount": amount,
            "eligible": [ids[seat] for seat in eligible],
            "winners": [{"player_id": ids[seat], "amount": won} for seat, won in winners],
        }
        for amount, eligible, winners in hand.awards
    ]


def add_ending(events: list[Json], hand: Hand, ids: Sequence[str]) -> None:
    """Add the end of a hand: the uncalled bet, shown hands, the board run out, the pots."""
    if hand.uncalled:
        seat, amount = hand.uncalled
        events.append({"event": "uncalled_returned", "player_id": ids[seat], "amount": amount})
    shown: list[Json] = []
    if hand.shown:
        shown = hands_shown(hand, ids)
        if hand.betting_ended_on < RIVER:
            unranked: list[Json] = [
                {
                    "player_id": entry["player_id"],
                    "cards": entry["cards"],
                    "rank": None,
                    "rank_name": None,
                    "best_five": None,
                }
                for entry in shown
            ]
            events.append({"event": "hands_shown", "hands": unranked})
            streets = range(hand.betting_ended_on + 1, RIVER + 1)
            events += [street_dealt(hand, street) for street in streets]
        else:
            events.append({"event": "hands_shown", "hands": shown})
    for amount, eligible, winners in hand.awards:
        events.append(
            {
                "event": "pot_awarded",
                "amount": amount,
                "eligible": [ids[seat] for seat in eligible],
                "winners": [{"player_id": ids[seat], "amount": won} for seat, won in winners],
            }
        )
    stacks = dict(zip(ids, hand.stacks))  # noqa: B905 - equally many; strict costs as much again
    events.append({"event": "hand_over", "stacks": stacks, "shown": shown})


def results(hand: Hand, ids: Sequence[str]) -> Json:
    uncalled: Json | None = None
    if hand.uncalled:
        seat, amount = hand.uncalled
        uncalled = {"player_id": ids[seat], "amount": amount}
    return {
        "uncalled_returned": uncalled,
        "pots": pots_awarded(hand, ids),
        "shown": hands_shown(hand, ids),
    }
