"""Plays a level in process, as the evaluator does at a table: duplicate decks, carried stacks."""

from dataclasses import dataclass
from random import Random
from typing import Any

from basic_strategy import player_for
from casino_evaluator.domain.levels import (
    BLACKJACK,
    HOLDEM,
    KUHN,
    LEDUC,
    SIMPLE_CARD,
    ExaminedGame,
    Level,
)
from casino_evaluator.opponents import (
    CATALOGUE,
    Decide,
    HoldemView,
    check_or_call,
    check_or_fold,
    raise_to,
)
from casino_games import ArenaConfig, ArenaPlayer, create_game, game_class
from casino_games.game import Game
from casino_games.shuffle import derive_seed
from casino_games.specification import state_of

Json = dict[str, Any]

CANDIDATE, OPPONENT = "candidate", "opponent"
_REFERENCES = {KUHN: "equilibrium", LEDUC: "equilibrium", HOLDEM: "equity", SIMPLE_CARD: "saver"}
_BETS_ANY_HAND = {"random", "caller"}
_BET_FROM, _MORE_FOR_A_RAISE = 0.55, 0.08


@dataclass(frozen=True, slots=True)
class Played:
    """A level that was played."""

    stack: int
    """The candidate's chips at the end."""
    actions: int
    """The candidate's decisions."""
    hands: int

    def completes(self, level: Level) -> bool:
        """Return whether the target is reached."""
        return self.stack >= level.target


def reference(game_type: str, level: Level) -> Decide:
    """Return the reference player of a level: from its decisions scores are computed."""
    if game_type == BLACKJACK:
        return player_for(level.target)
    if game_type == HOLDEM and level.opponent in _BETS_ANY_HAND:
        return by_price
    return CATALOGUE[_REFERENCES[game_type]]


def by_price(state: Json, offers: tuple[Json, ...], dice: Random) -> Json:
    """Bet the better hands for their value, and call whenever that pays against a random hand.

    The reference player against opponents who bet any hand: the price alone decides.
    """
    view = HoldemView.of(state)
    share = view.equity(dice)
    if share > _BET_FROM + _MORE_FOR_A_RAISE * view.raises:
        return raise_to(offers, view.total_after(0.75))
    return check_or_call(offers) if share > view.price else check_or_fold(offers)


def played(game: ExaminedGame, level: Level, seed: str, candidate: Decide) -> Played:
    """Play a level; the same seed and candidate give the same result."""
    seated = [CANDIDATE] if game.game_type == BLACKJACK else [CANDIDATE, OPPONENT]
    stacks = dict.fromkeys(seated, game.starting_stack)
    least = game_class(game.game_type).chips_needed({})
    actions = hands = 0
    while hands < level.hands and all(stack >= least for stack in stacks.values()):
        hands += 1
        hand = _dealt(game, level, seed, hands, stacks)
        decisions = 0
        while player_id := hand.get_current_player():
            state, offers = state_of(hand, player_id), tuple(hand.get_available_actions())
            dice = Random(derive_seed(seed, "dice", hands, decisions))  # noqa: S311  a game
            if player_id == CANDIDATE:
                actions += 1
                dice.seed(f"{seed} candidate {hands} {decisions}")
                decide = candidate
            else:
                decide = CATALOGUE[level.opponent]
            hand.step(decide(state, offers, dice))
            decisions += 1
        scores = hand.get_scores()
        stacks = {player_id: stack + scores[player_id] for player_id, stack in stacks.items()}
    return Played(stacks[CANDIDATE], actions, hands)


def _dealt(
    game: ExaminedGame, level: Level, seed: str, number: int, stacks: dict[str, int]
) -> Game:
    """Return a hand as the table deals it: the button alternates, and acts last."""
    decks = level.hands // 2 if len(stacks) > 1 else level.hands
    deck = (number - 1) % decks + 1
    button = (number - 1) % len(stacks)
    seated = list(stacks)
    settings: Json = {}
    if game.game_type == HOLDEM:
        settings = {"small_blind": game.small_blind, "big_blind": game.big_blind, "button": button}
    else:
        first = (button + 1) % len(seated)
        seated = [*seated[first:], *seated[:first]]
    settings["stacks"] = [stacks[player_id] for player_id in seated]
    players = tuple(map(ArenaPlayer, seated))
    hand = create_game(game.game_type, ArenaConfig(players, game_config=settings))
    hand.reset(derive_seed(seed, "hand", str(deck)))
    return hand
