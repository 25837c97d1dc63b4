"""No game shows a hidden card: two deals that differ in one are compared in all outputs."""

import json
import random
from typing import Any

import pytest
from casino_games import (
    Game,
    GameError,
    StateAdapter,
    game_class,
    offers,
    restore_game,
    state_adapter,
)
from games.playing import (
    SEEDS,
    copy_of,
    dealt,
    games_under_way,
    sizes,
    some_answer,
    some_of,
    with_other_card,
)

REVEALS = {
    "kuhn_poker": {"hands_shown"},
    "leduc_poker": {"hands_shown"},
    "sealed_bid": {"bids_shown"},
    "simple_card": {"card_played"},
    "texas-holdem": {"hands_shown"},
}
"""The events of each game with secrets that may tell a card for the first time."""


class TestSecrets:
    """A card that nobody has shown changes nothing that anybody else can see."""

    def test_every_game_with_secrets_is_examined(self, game_type: str) -> None:
        """Where a private state depends on the deal, this module has to know what reveals it."""
        players = sizes(game_type)[0]
        private = {
            json.dumps(dealt(game_type, players, seed).get_private_state("p0")) for seed in SEEDS
        }
        assert len(private) == 1 or game_type in REVEALS

    @pytest.mark.parametrize("game_type", sorted(REVEALS), indirect=True)
    @pytest.mark.parametrize("place", [0, 1])
    def test_stay_with_their_player_until_they_are_shown(self, game_type: str, place: int) -> None:
        """Two deals that differ in one hidden card are played alike and compared.

        Public state, events, errors, and what the others are shown, offered and asked are equal,
        up to the first event that may show a card.
        """
        compared = 0
        for players in sizes(game_type):
            for seed in SEEDS * 4:
                game = dealt(game_type, players, seed)
                other = restore_game(game_type, with_other_card(game.serialize(), place))
                owners = [
                    player_id
                    for player_id in game.get_players()
                    if game.get_private_state(player_id) != other.get_private_state(player_id)
                ]
                if owners:  # else the other card looks the same
                    assert len(owners) == 1
                    generator = random.Random(f"{seed} {compared}")
                    compared += play_alike(game, other, owners[0], generator)
        assert compared > 20

    def test_answers_in_a_window_stay_secret_until_it_closes(self, game_type: str) -> None:
        """Whatever the first of several answers, the others are shown and offered the same."""
        if game_class(game_type).game_model == "turn_based":
            return  # nobody answers at the same time there
        windows = 0
        adapter = state_adapter(game_type)
        for game in games_under_way(game_type):
            first, *others = game.get_pending_players() or [""]
            if not others:
                continue
            windows += 1
            views = set()
            for offer in some_of(game.get_actions_of(first), random.Random(windows)):
                answered = copy_of(game)
                events = answered.step(offers.least_of(offer))[0]["events"]
                seen = [asked(adapter, answered, player_id) for player_id in others]
                told = answered.get_public_words()
                views.add(json.dumps([events, answered.get_public_state(), told, seen]))
            assert len(views) == 1
        assert windows


def play_alike(game: Game, other: Game, owner: str, generator: random.Random) -> int:
    """Play two deals alike as far as they can be; return how many positions were compared."""
    adapter = state_adapter(game.game_type)
    compared = 0
    assert game.opening_events() == other.opening_events()
    while True:
        assert game.get_public_state() == other.get_public_state()
        assert game.get_public_words() == other.get_public_words()
        assert game.get_scores() == other.get_scores()
        for player_id in game.get_players():
            if player_id != owner:
                assert asked(adapter, game, player_id) == asked(adapter, other, player_id)
        compared += 1
        assert refusal(game) == refusal(other)
        both = [
            offer
            for offer in game.get_available_actions()
            if offer in other.get_available_actions()
        ]
        if not both:
            return compared
        answer = some_answer(both, generator)
        events, others = game.step(answer)[0]["events"], other.step(answer)[0]["events"]
        for event, its_twin in zip(events, others, strict=False):
            if event != its_twin:
                assert {event["event"], its_twin["event"]} <= REVEALS[game.game_type]
                return compared
        assert len(events) == len(others)
        if any(event["event"] in REVEALS[game.game_type] for event in events) or game.is_over():
            return compared


def asked(adapter: StateAdapter, game: Game, player_id: str) -> list[Any]:
    actions = game.get_actions_of(player_id)
    private_state = game.get_private_state(player_id)
    prompt = adapter.state_to_prompt(game.get_public_state(), private_state, actions)
    return [actions, private_state, prompt]


def refusal(game: Game) -> str:
    """Return what the game says to nonsense: errors are logged, and travel."""
    with pytest.raises(GameError) as caught:
        game.step({"action_type": "NO_SUCH"})
    return str(caught.value)
