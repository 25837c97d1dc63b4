"""Texas Hold'em as a `Game`: maps players and action types to seats and bets."""

from collections.abc import Sequence
from typing import ClassVar

from casino_games.cards import Card
from casino_games.config import GameConfig
from casino_games.dealt import DealtGame, Snapshot, raise_not_dealt, raise_unknown_player
from casino_games.game import ArenaConfig, Json
from casino_games.holdem.actions import legal_actions, perform
from casino_games.holdem.config import HoldemConfig
from casino_games.holdem.deal import cards_needed, deal
from casino_games.holdem.hand import Hand
from casino_games.holdem.snapshot import HoldemSnapshot
from casino_games.shuffle import deck_order

from . import events


class HoldemGame(DealtGame[HoldemConfig, Hand]):
    """One hand of no-limit hold'em between 2 and 10 players.

    Scores are the chips that each player has won or lost in this hand.
    """

    min_players: ClassVar[int] = 2
    max_players: ClassVar[int] = 10
    timeout_action: ClassVar[str] = "fold"  # not offered if checking is free
    config_model: ClassVar[type[GameConfig]] = HoldemConfig
    snapshot_model: ClassVar[type[Snapshot]] = HoldemSnapshot

    def __init__(self, arena_config: ArenaConfig) -> None:
        """Validate the configuration; raises `InvalidConfig`."""
        super().__init__(arena_config)
        players, config = self._players, self._config
        left_of_button = config.button + 1  # the player on seat 0
        self._ids = [*players[left_of_button:], *players[:left_of_button]]
        self._stacks = [*config.stacks[left_of_button:], *config.stacks[:left_of_button]]
        self._antes = [config.ante] * len(players) if config.ante else []
        seats = {player_id: seat for seat, player_id in enumerate(self._ids)}
        self._seats = {player_id: seats[player_id] for player_id in players}
        self._history: list[Json] = []

    @property
    def game_type(self) -> str:
        """The identifier in the registry."""
        return "texas-holdem"

    def opening_events(self) -> list[Json]:
        """Return the forced bets, and the hand's end if they leave no decision."""
        hand = self._dealt or raise_not_dealt()
        opening = events.forced_bets(hand, self._ids)
        if hand.is_over and not hand.actions:
            opening += events.ending(hand, self._ids)
        return opening

    def get_current_player(self) -> str:
        """Return the id of the player to act, `""` when the hand is over."""
        hand = self._dealt or raise_not_dealt()
        return "" if hand.is_over else self._ids[hand.actor]

    def get_public_state(self) -> Json:
        """Return the public state.

        `pot` counts all chips put in, including this round's bets, and is 0 once it is paid out;
        `current_bet` is the total to match in this round and `current_bet + minimum_raise` the
        smallest full raise-to; `bet` are a player's chips of this round. `results` is present when
        the hand is over.
        """
        hand = self._dealt or raise_not_dealt()
        config = self._config
        state: Json = {
            "game_type": "texas-holdem",
            "betting_round": events.ROUNDS[hand.street],
            "community_cards": events.names(hand.board),
            "pot": hand.pot,
            "current_bet": hand.price,
            "minimum_raise": hand.min_raise,
            "small_blind": config.small_blind,
            "big_blind": config.big_blind,
            "ante": config.ante,
            "button": self._ids[-1],
            "current_player": "" if hand.is_over else self._ids[hand.actor],
            "players": events.players_now(hand, self._seats),
            "history": [entry.copy() for entry in self._history],
        }
        if hand.is_over:
            state["results"] = events.results(hand, self._ids)
        return state

    def get_private_state(self, player_id: str) -> Json:
        """Return the hole cards of a player."""
        hand = self._dealt or raise_not_dealt()
        seat = self._seats.get(player_id)
        if seat is None:
            raise_unknown_player()
        return {"hole_cards": events.names(hand.hole_of(seat))}

    def get_available_actions(self) -> list[Json]:
        """Return the legal actions of the current player."""
        return legal_actions(self._dealt or raise_not_dealt())

    def step(self, action: Json) -> tuple[Json, bool]:
        """Apply an action of the current player; returns its events, up to the hand's end."""
        hand = self._dealt or raise_not_dealt()
        street = hand.street
        perform(hand, action)
        taken = events.action_taken(hand.actions[-1], self._ids)
        self._history.append(events.past_action(taken))
        happened = [taken]
        if hand.is_over:
            happened += events.ending(hand, self._ids)
        elif hand.street != street:
            happened.append(events.street_dealt(hand, hand.street))
        return {"events": happened}, hand.is_over

    def is_over(self) -> bool:
        """Return whether all chips of the hand have been paid."""
        return (self._dealt or raise_not_dealt()).is_over

    def get_scores(self) -> dict[str, int]:
        """Return the chips each player has won or lost so far; chips in the pot count as lost."""
        stacks = (self._dealt or raise_not_dealt()).stacks
        return {
            player_id: stacks[seat] - self._stacks[seat] for player_id, seat in self._seats.items()
        }

    def _shuffled(self, seed: str) -> list[Card]:
        return deck_order(seed, cards_needed(len(self._players)))

    def _can_deal(self, order: Sequence[Card]) -> bool:
        return len(order) == len({*order}) == cards_needed(len(self._players))

    def _deal(self, order: list[Card]) -> Hand:
        holes, board = deal(order, len(self._ids))
        blinds = (self._config.small_blind, self._config.big_blind)
        return Hand(self._stacks, blinds, holes, board, antes=self._antes)

    def _decisions(self) -> list[Json]:
        return [
            {"action_type": kind, "amount": amount if kind in {"bet", "raise"} else None}
            for _, _, kind, amount, *_ in self._round().actions
        ]

    def _begin(self, order: list[Card]) -> None:
        super()._begin(order)
        self._history = []
