"""Rules that hold in every hand of hold'em, under all decisions.

Hypothesis chooses table, seed and decisions; the runs are derandomized, so a failure repeats.
"""

import json
import re
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from casino_games import ArenaConfig, ArenaPlayer
from casino_games.cards import NAMES
from casino_games.holdem import HoldemGame
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

CARD = re.compile(r"\b[2-9TJQKA][cdhs]\b")
many = settings(
    max_examples=100, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)


@dataclass(frozen=True)
class Table:
    """A table and the decisions that are made there."""

    stacks: tuple[int, ...]
    small_blind: int
    big_blind: int
    ante: int
    button: int
    seed: int
    decisions: tuple[int, ...]

    def deal(self) -> HoldemGame:
        players = tuple(ArenaPlayer(f"player-{number}") for number in range(len(self.stacks)))
        config = {
            "stacks": self.stacks,
            "small_blind": self.small_blind,
            "big_blind": self.big_blind,
            "ante": self.ante,
            "button": self.button,
        }
        game = HoldemGame(ArenaConfig(players, self.seed, config))
        game.reset()
        return game

    def course(self, game: HoldemGame) -> Iterator[dict[str, Any]]:
        """Yield a legal action for every decision of the game; the caller steps."""
        plan = iter(self.decisions)
        while not game.is_over():
            offered = game.get_available_actions()
            decision = next(plan, None)
            if decision is None:  # no more plans: see the hand to its end
                yield offered[1] if offered[0]["action_type"] == "fold" else offered[0]
                continue
            choice = offered[decision % len(offered)]
            if "min" in choice:
                span = choice["max"] - choice["min"] + 1
                yield {**choice, "amount": choice["min"] + decision // 7 % span}
            else:
                yield choice


@st.composite
def tables(draw: st.DrawFn) -> Table:
    """Draw tables of every size, with stacks from one chip to deep ones."""
    players = draw(st.integers(2, 10))
    big_blind = draw(st.sampled_from([2, 3, 100]))
    stack = st.one_of(
        st.integers(1, 3 * big_blind), st.integers(1, 30 * big_blind), st.just(50 * big_blind)
    )
    return Table(
        stacks=tuple(draw(st.lists(stack, min_size=players, max_size=players))),
        small_blind=draw(st.integers(0, big_blind)),
        big_blind=big_blind,
        ante=draw(st.sampled_from([0, 0, 1, big_blind])),
        button=draw(st.integers(0, players - 1)),
        seed=draw(st.integers(0, 2**32)),
        decisions=tuple(draw(st.lists(st.integers(0, 10_000), max_size=40))),
    )


def cards_in(thing: Any) -> set[str]:
    return set(CARD.findall(json.dumps(thing)))


@many
@given(tables())
def test_no_chip_and_no_card_is_lost_or_doubled(table: Table) -> None:
    """Stacks and pot hold all chips; antes, blinds and decisions fill the pots, less the uncalled.

    At every decision both ends of every range are accepted, the smallest raise is what the state
    says, and the state is the same when nobody has read it before.
    """
    game, total = table.deal(), sum(table.stacks)
    events = game.opening_events()
    for action in table.course(game):
        state = game.get_public_state()
        stacks = [player["stack"] for player in state["players"]]
        assert min(stacks) >= 0
        assert sum(stacks) + state["pot"] == total
        assert state == deepcopy(game).get_public_state()
        for offer in game.get_available_actions():
            for amount in {offer["min"], offer["max"]} if "min" in offer else {None}:
                deepcopy(game).step({**offer, "amount": amount})
            if "min" in offer:
                assert offer["min"] == state["current_bet"] + state["minimum_raise"]
        events += game.step(action)[0]["events"]
    state = game.get_public_state()
    assert sum(game.get_scores().values()) == state["pot"] == 0
    paid_in = sum(event["amount"] for event in events if event["event"] == "forced_bet")
    paid_in += sum(event["paid"] for event in events if event["event"] == "action")
    back = sum(event["amount"] for event in events if event["event"] == "uncalled_returned")
    pots = [event for event in events if event["event"] == "pot_awarded"]
    assert paid_in - back == sum(pot["amount"] for pot in pots)
    for pot in pots:
        assert pot["amount"] == sum(winner["amount"] for winner in pot["winners"])
        assert {winner["player_id"] for winner in pot["winners"]} <= {*pot["eligible"]}
    dealt = [*state["community_cards"]]
    for player in game.get_players():
        dealt += game.get_private_state(player)["hole_cards"]
    assert len(set(dealt)) == len(dealt) == len(state["community_cards"]) + 2 * len(table.stacks)
    assert set(dealt) <= set(NAMES)


@many
@given(tables())
def test_no_card_is_seen_before_it_is_shown(table: Table) -> None:
    game = table.deal()
    holes = {
        player: {*game.get_private_state(player)["hole_cards"]} for player in game.get_players()
    }
    seen: set[str] = set()

    def watch(events: list[dict[str, Any]]) -> None:
        for event in events:
            if event["event"] == "street_dealt":
                seen.update(event["community_cards"])
            if event["event"] == "hands_shown":
                for hand in event["hands"]:
                    assert {*hand["cards"]} == holes[hand["player_id"]]
                    seen.update(hand["cards"])
            assert cards_in(event) <= seen
        assert cards_in(game.get_public_state()) <= seen

    watch(game.opening_events())
    for action in table.course(game):
        watch(game.step(action)[0]["events"])
        board = {*game.get_public_state()["community_cards"]}
        assert seen - board <= set().union(*holes.values())
    shown = {hand["player_id"] for hand in game.get_public_state()["results"]["shown"]}
    secret = set().union(*(cards for player, cards in holes.items() if player not in shown))
    assert not secret & seen
