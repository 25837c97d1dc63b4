"""Texas Hold'em as a `Game`: maps players and action types to seats and bets.

`legal_actions` and `perform` use the same limits, so that exactly the offered actions are accepted.
`amount` is always a total for the street.
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NoReturn

from casino_games.cards import DECK, NAMES, Card
from casino_games.dealt import (
    DealtGame,
    Snapshot,
    raise_not_a_deck,
    raise_not_dealt,
    raise_unknown_player,
)
from casino_games.errors import IllegalAction
from casino_games.game import MOST_CHIPS, ArenaConfig, ArenaPlayer, GameConfig, Json
from casino_games.holdem.betting import Betting, Kind
from casino_games.holdem.config import HoldemConfig, HoldemSnapshot
from casino_games.holdem.hand import BOARD_LEAVES, Hand, cards_needed, deal, order_of
from casino_games.shuffle import deck_order

from . import events
from .events import ROUNDS


def legal_actions(hand: Betting) -> list[Json]:  # noqa: PLR0911 - a list for each case
    """Return the actor's legal actions; a bet or raise without the chips for it is an `all-in`."""
    to_call = hand.to_call
    most = hand.max_raise_to
    if not most:
        if hand.is_over:
            return []
        if not to_call:
            return [{"action_type": "check"}]
        if to_call < hand.stacks[hand.actor]:
            return [{"action_type": "fold"}, {"action_type": "call"}]
        return [{"action_type": "fold"}, {"action_type": "call"}, {"action_type": "all-in"}]
    least = hand.min_raise_to
    price = hand.price
    if least == most and least < price + hand.min_raise:
        if not to_call:
            return [{"action_type": "check"}, {"action_type": "all-in"}]
        return [{"action_type": "fold"}, {"action_type": "call"}, {"action_type": "all-in"}]
    full = {"action_type": "raise" if price else "bet", "min": least, "max": most}
    if not to_call:
        return [{"action_type": "check"}, full, {"action_type": "all-in"}]
    return [{"action_type": "fold"}, {"action_type": "call"}, full, {"action_type": "all-in"}]


def perform(hand: Betting, action: Any) -> None:
    """Apply an action, offered ones with all their keys; raises `IllegalAction` without change."""
    kind = action.get("action_type") if isinstance(action, dict) else None
    if kind == "call":
        hand.call()
    elif kind == "check":
        hand.check()
    elif kind in ("bet", "raise"):
        amount = action.get("amount")
        right_kind: Kind = "raise" if hand.price else "bet"
        if (
            kind != right_kind
            or type(amount) is not int  # a bool is an int for Python
            or not hand.price + hand.min_raise <= amount <= hand.max_raise_to
        ):
            _refuse_raise(hand, kind, amount)
        hand.bet_to(amount, right_kind)
    elif kind == "fold":
        hand.fold()
    elif kind == "all-in":
        hand.all_in()
    else:
        legal = ", ".join(offered["action_type"] for offered in legal_actions(hand))
        raise IllegalAction(
            "an action is an object whose action_type is now one of: "
            + (legal or "none, the hand is over")
        )


def _refuse_raise(hand: Betting, kind: str, amount: object) -> NoReturn:
    if hand.max_raise_to:
        right_kind = "raise" if hand.price else "bet"
        if kind != right_kind:
            raise IllegalAction(
                f"with {hand.price} bet in this round a {kind} is not possible:"
                f" {right_kind} instead"
            )
        smallest = hand.price + hand.min_raise
        if hand.min_raise_to < smallest:
            raise IllegalAction(
                f"your stack does not reach the smallest {kind}, to {smallest}: go all-in instead"
            )
        # In Python a bool is an int, and an int may have more digits than fit into a message.
        if type(amount) is not int or not 0 < amount <= MOST_CHIPS:
            raise IllegalAction(
                f"a {kind} needs an amount, the whole number of chips you will have in for this"
                " round"
            )
    hand.refuse_raise_to(amount if type(amount) is int else 0)


class HoldemGame(DealtGame[HoldemConfig, Hand]):
    """One hand of no-limit hold'em between 2 and 10 players.

    Scores are the chips that each player has won or lost in this hand.
    """

    game_type = "texas-holdem"
    min_players: ClassVar[int] = 2
    max_players: ClassVar[int] = 10
    timeout_action: ClassVar[str] = "fold"  # not offered if checking is free
    config_model: ClassVar[type[GameConfig]] = HoldemConfig
    snapshot_model: ClassVar[type[Snapshot]] = HoldemSnapshot

    def __init__(self, arena_config: ArenaConfig) -> None:
        super().__init__(arena_config)
        players, config = self._players, self._config
        left_of_button = config.button + 1  # the player on seat 0
        self._ids = [*players[left_of_button:], *players[:left_of_button]]
        self._actors = (*self._ids, "")  # `NOBODY` acts as the last one
        self._stacks = [*config.stacks[left_of_button:], *config.stacks[:left_of_button]]
        self._antes = [config.ante] * len(players) if config.ante else []
        seats = {player_id: seat for seat, player_id in enumerate(self._ids)}
        self._seats = {player_id: seats[player_id] for player_id in players}
        self._public: events.PublicState | None = None
        self._opened: Hand | None = None  # before its first decision, from the second deal on
        self._cards_needed = cards_needed(len(players))

    @classmethod
    def deck_plan(cls, game_config: Mapping[str, Any], seats: int) -> tuple[int, tuple[int, ...]]:
        HoldemConfig.checked(game_config)
        return len(DECK), (2,) * seats + BOARD_LEAVES

    @property
    def hand(self) -> Hand:
        """The dealt hand, which holds every card; raises `NotDealt`."""
        return self._dealt or raise_not_dealt()

    def opening_events(self) -> list[Json]:
        """Return the forced bets, and the hand's end if they leave no decision."""
        hand = self._dealt or raise_not_dealt()
        opening = events.forced_bets(hand, self._ids)
        if hand.is_over and not hand.actions:
            events.add_ending(opening, hand, self._ids)
        return opening

    def get_current_player(self) -> str:
        return self._actors[(self._dealt or raise_not_dealt()).actor]

    def get_public_state(self) -> Json:
        """Return the public state, whose fields the specification describes."""
        hand = self._dealt or raise_not_dealt()
        if self._public is None:
            self._public = events.PublicState(hand, self._ids, self._seats, self._config)
        return self._public.read()

    def get_private_state(self, player_id: str) -> Json:
        hand = self._dealt or raise_not_dealt()
        seat = self._seats.get(player_id)
        if seat is None:
            raise_unknown_player()
        first, second = hand.hole_of(seat)
        return {"hole_cards": [NAMES[first], NAMES[second]]}

    def get_available_actions(self) -> list[Json]:
        return legal_actions(self._dealt or raise_not_dealt())

    def step(self, action: Any) -> tuple[Json, bool]:
        hand = self._dealt or raise_not_dealt()
        perform(hand, action)
        seat, street, kind, amount, paid, stack, pot = hand.actions[-1]
        happened: list[Json] = [
            {
                "event": "action",
                "player_id": self._ids[seat],
                "betting_round": ROUNDS[street],
                "action": kind,
                "amount": amount,
                "paid": paid,
                "stack": stack,
                "pot": pot,
            }
        ]
        if hand.is_over:
            events.add_ending(happened, hand, self._ids)
            return {"events": happened}, True
        if hand.street != street:
            happened.append(events.street_dealt(hand, hand.street))
        return {"events": happened}, False

    def is_over(self) -> bool:
        return (self._dealt or raise_not_dealt()).is_over

    def get_scores(self) -> dict[str, int]:
        """Return the chips each player has won or lost so far; chips in the pot count as lost."""
        stacks = (self._dealt or raise_not_dealt()).stacks
        return {
            player_id: stacks[seat] - self._stacks[seat] for player_id, seat in self._seats.items()
        }

    def __reduce__(self) -> tuple[Any, ...]:
        """Return what copies and pickles are made of: settings, deck and decisions."""
        players = tuple([ArenaPlayer(player_id) for player_id in self._players])
        arena_config = ArenaConfig(players, self._seed, self._config.model_dump())
        decisions = self._decisions() if self._dealt else []
        return _played, (type(self), arena_config, self._order, decisions)

    def _shuffled(self, seed: str) -> list[Card]:
        return deck_order(seed, self._cards_needed)

    def opened_leaves(self, leaves: int) -> tuple[int, ...]:
        hand = self._dealt or raise_not_dealt()
        board = leaves - len(BOARD_LEAVES)
        return (*sorted(hand.shown), *range(board, board + hand.street))

    def _order_of(self, leaves: Sequence[Sequence[Card]], rest: Sequence[Card]) -> list[Card]:
        seats, board = len(self._ids), len(leaves) - len(BOARD_LEAVES)
        sizes = tuple([len(leaf) for leaf in leaves])
        if board < seats or sizes != (2,) * board + BOARD_LEAVES:
            raise_not_a_deck()
        return order_of(leaves[:seats], leaves[board:], rest)

    def _can_deal(self, order: Sequence[Card]) -> bool:
        return len(order) == self._cards_needed == len({*order}.intersection(DECK))

    def _deal(self, order: list[Card]) -> Hand:
        holes, board = deal(order, len(self._ids))
        hand, opened = self._dealt, self._opened
        if hand is None or opened is None:
            blinds = (self._config.small_blind, self._config.big_blind)
            opened = Hand(self._stacks, blinds, holes, board, antes=self._antes)
            if hand is None or opened.is_over:  # the forced bets alone may end a hand
                return opened
            self._opened = opened
        hand.start_like(opened, holes, board)
        return hand

    def _decisions(self) -> list[Json]:
        return [
            {"action_type": kind, "amount": amount if kind in {"bet", "raise"} else None}
            for _, _, kind, amount, *_ in self._round().actions
        ]

    def _begin(self, order: list[Card]) -> None:
        self._dealt = self._deal(order)
        self._order = order
        self._public = None


def _played(
    game_type: type[HoldemGame], arena_config: ArenaConfig, order: list[Card], decisions: list[Json]
) -> HoldemGame:
    """Return a game that was dealt from an order, if there is one, and then played."""
    game = game_type(arena_config)
    if order:
        game._begin(order)  # noqa: SLF001 - a constructor of this class
    for decision in decisions:
        game.step(decision)
    return game
