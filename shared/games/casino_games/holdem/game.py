"""Texas Hold'em as a `Game`: maps players and action types to seats and bets."""

from collections.abc import Mapping
from typing import Any, ClassVar, NoReturn, Self

from casino_games.cards import Card
from casino_games.errors import GameError, InvalidConfig, InvalidSnapshot, NotDealt, UnknownPlayer
from casino_games.game import ArenaConfig, ArenaPlayer, Game, Json
from casino_games.holdem.actions import legal_actions, perform
from casino_games.holdem.config import HoldemConfig
from casino_games.holdem.deal import cards_needed, deal
from casino_games.holdem.hand import Hand
from casino_games.holdem.snapshot import HoldemSnapshot, PastAction
from casino_games.shuffle import deck_order

from . import events


class HoldemGame(Game):
    """One hand of no-limit hold'em between 2 and 10 players.

    Scores are the chips that each player has won or lost in this hand.
    """

    min_players: ClassVar[int] = 2
    max_players: ClassVar[int] = 10
    timeout_action: ClassVar[str] = "fold"  # not offered if checking is free

    def __init__(self, arena_config: ArenaConfig) -> None:
        """Validate the configuration; raises `InvalidConfig`."""
        players = [player.id for player in arena_config.players]
        if not self.min_players <= len(players) <= self.max_players:
            raise InvalidConfig(
                f"players: {self.min_players} to {self.max_players} can play, not {len(players)}"
            )
        config = HoldemConfig.for_players(len(players), arena_config.game_config)
        self._players = players
        self._config = config
        self._seed = arena_config.seed
        left_of_button = config.button + 1  # the player on seat 0
        self._ids = [*players[left_of_button:], *players[:left_of_button]]
        self._stacks = [*config.stacks[left_of_button:], *config.stacks[:left_of_button]]
        self._antes = [config.ante] * len(players) if config.ante else []
        seats = {player_id: seat for seat, player_id in enumerate(self._ids)}
        self._seats = {player_id: seats[player_id] for player_id in players}
        self._hand: Hand | None = None
        self._deck: list[Card] = []
        self._history: list[Json] = []

    @property
    def game_type(self) -> str:
        """The identifier in the registry."""
        return "texas-holdem"

    def reset(self, seed: int | str | None = None) -> None:
        """Deal the hand of the seed."""
        if seed is None:
            seed = self._seed
        if seed is None:
            raise GameError("a hand needs a seed, from reset or from the ArenaConfig")
        if isinstance(seed, bool) or not isinstance(seed, int | str):
            raise GameError("a seed is a text or an integer")
        self._deal(deck_order(str(seed), cards_needed(len(self._players))))

    def opening_events(self) -> list[Json]:
        """Return the forced bets, and the hand's end if they leave no decision."""
        hand = self._hand or _not_dealt()
        opening = events.forced_bets(hand, self._ids)
        if hand.is_over and not hand.actions:
            opening += events.ending(hand, self._ids)
        return opening

    def get_current_player(self) -> str:
        """Return the id of the player to act, `""` when the hand is over."""
        hand = self._hand or _not_dealt()
        return "" if hand.is_over else self._ids[hand.actor]

    def get_current_role(self) -> str:
        """Return `"player"`, `""` when the hand is over."""
        hand = self._hand or _not_dealt()
        return "" if hand.is_over else "player"

    def get_public_state(self) -> Json:
        """Return the public state.

        `pot` counts all chips put in, including this round's bets, and is 0 once it is paid out;
        `current_bet` is the total to match in this round and `current_bet + minimum_raise` the
        smallest full raise-to; `bet` are a player's chips of this round. `results` is present when
        the hand is over.
        """
        hand = self._hand or _not_dealt()
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
        hand = self._hand or _not_dealt()
        seat = self._seats.get(player_id)
        if seat is None:
            raise UnknownPlayer("no player of this game has this id")
        return {"hole_cards": events.names(hand.hole_of(seat))}

    def get_available_actions(self) -> list[Json]:
        """Return the legal actions of the current player."""
        return legal_actions(self._hand or _not_dealt())

    def step(self, action: Json) -> tuple[Json, bool]:
        """Apply an action of the current player; returns its events, up to the hand's end."""
        hand = self._hand or _not_dealt()
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
        return (self._hand or _not_dealt()).is_over

    def get_winner(self) -> str | None:
        """Return the player that won most chips, `None` for a tie or while the hand runs."""
        scores = self.get_scores()
        most = max(scores.values())
        winners = [player_id for player_id, score in scores.items() if score == most]
        return winners[0] if self.is_over() and len(winners) == 1 else None

    def get_scores(self) -> dict[str, int]:
        """Return the chips each player has won or lost so far; chips in the pot count as lost."""
        stacks = (self._hand or _not_dealt()).stacks
        return {
            player_id: stacks[seat] - self._stacks[seat] for player_id, seat in self._seats.items()
        }

    def get_players(self) -> list[str]:
        """Return the ids of all players, in the order of the configuration."""
        return self._players.copy()

    def serialize(self) -> Json:
        """Return the settings, the deck and the decisions: **private data**, it holds all cards.

        The seed of the `ArenaConfig` is omitted, so that later decks do not follow from a stored
        snapshot; to reset a restored game, pass a seed.
        """
        hand = self._hand or _not_dealt()
        past = [
            PastAction(action_type=kind, amount=amount if kind in {"bet", "raise"} else None)
            for _, _, kind, amount, *_ in hand.actions
        ]
        return HoldemSnapshot.of(self._players, self._config, self._deck, past).to_json()

    @classmethod
    def deserialize(cls, data: Mapping[str, Any]) -> Self:
        """Restore a game by replaying its decisions; raises `InvalidSnapshot`."""
        snapshot = HoldemSnapshot.from_json(data)
        players = tuple(ArenaPlayer(player_id) for player_id in snapshot.players)
        try:
            game = cls(ArenaConfig(players, game_config=snapshot.config.model_dump()))
            game._deal(snapshot.cards(len(players)))
            for action in snapshot.actions:
                game.step(action.model_dump())
        except InvalidSnapshot:
            raise
        except GameError as error:
            raise InvalidSnapshot(f"the snapshot is no possible hand: {error}") from None
        return game

    def _deal(self, deck: list[Card]) -> None:
        holes, board = deal(deck, len(self._ids))
        blinds = (self._config.small_blind, self._config.big_blind)
        self._hand = Hand(self._stacks, blinds, holes, board, antes=self._antes)
        self._deck = deck
        self._history = []


def _not_dealt() -> NoReturn:
    raise NotDealt("no hand has been dealt yet: reset(seed) deals one")
