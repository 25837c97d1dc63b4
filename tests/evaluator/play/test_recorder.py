"""Moments follow from questions and results, not from when notices come."""

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from casino_evaluator.domain.evaluation_session import Moment
from casino_evaluator.play.recorder import HandPlayed, LevelEnd, Recorder
from support.evaluator.level_side import examined, level

Json = dict[str, Any]
OFFERS = ({"action_type": "CHECK"}, {"action_type": "BET"})
GAME = examined("kuhn_poker", level(hands=2, target=41))


def recorder(**changes: Any) -> Recorder:
    """Return a recorder of a level of two hands."""
    return Recorder(GAME, 1, **{"least": 2, "has_opponent": True, **changes})


def public(what: str) -> Json:
    return {"what": what, "players": [{"player_id": "opponent"}, {"player_id": "candidate"}]}


def ending(number: int, net: int) -> Json:
    return {"scores": {"candidate": net, "opponent": -net}, "public": public(f"end of {number}")}


def ask(to: Recorder, number: int, what: str, card: str) -> None:
    to.asked_candidate(number, what, {"public": public(what), "private": {"card": card}}, OFFERS)


def shown(moments: Sequence[Moment]) -> list[tuple[int, str, str, bool, bool]]:
    """Return what moments show: hand, state, own card, whether it is a decision, or an end."""
    return [
        (
            one.hand_number,
            one.state["public"]["what"],
            one.state["private"].get("card"),
            bool(one.offers),
            one.result is not None,
        )
        for one in moments
    ]


EXPECTED = [
    (1, "opponent 1", "K", False, False),
    (1, "candidate 1", "K", True, False),
    (1, "end of 1", "K", False, True),
    (2, "opponent 2", "Q", False, False),
    (2, "end of 2", "Q", False, True),
]
CARDS = {1: "K", 2: "Q"}
NETS = {1: 3, 2: -2}
QUESTIONS = ("opponent 1", "candidate 1", "opponent 2")
NOTICES = ("dealt 1", "dealt 2", "over 1", "over 2", "our over 1", "our over 2")
EARLIEST = {"dealt 1": 0, "over 1": 2, "our over 1": 2, "dealt 2": 2, "over 2": 3, "our over 2": 3}
"""Before which question the table can send a notice."""


def happens(to: Recorder, name: str) -> None:
    """Give a recorder a question or a notice."""
    kind, number = name[:-2], int(name[-1])
    if kind == "opponent":
        to.asked_opponent(number, public(name))
    elif kind == "candidate":
        ask(to, number, name, CARDS[number])
    elif kind == "dealt":
        to.dealt(number, {"card": CARDS[number]})
    else:
        own = {"card": CARDS[number]} if kind == "our over" else None
        to.over(number, ending(number, NETS[number]), own)


def one_order(dice: random.Random) -> list[str]:
    """Return questions and notices as they may come: some twice, some never."""
    lost = dice.choice([(), ("dealt 1",), ("dealt 2",), ("over 1", "over 2"), ("our over 1",)])
    notices = [one for one in NOTICES if one not in lost]
    notices += dice.sample(notices, 2)
    dice.shuffle(notices)
    order: list[str] = []
    for place, question in enumerate([*QUESTIONS, ""]):
        ready = [
            one
            for one in notices
            if EARLIEST[one] <= place and (not question or dice.random() < 0.4)
        ]
        notices = [one for one in notices if one not in ready]
        order += [*ready, *([question] if question else [])]
    return order


@pytest.mark.parametrize("seed", range(200))
def test_the_order_of_notices_changes_no_moment(seed: int) -> None:
    """They come before, after, or between the questions; some of them twice or never."""
    order = one_order(random.Random(seed))
    made = recorder()
    moments: list[Moment] = []
    for name in order:
        happens(made, name)
        if made.open is not None:
            moments += made.take().moments
            made.answered()
    progress = made.take()
    moments += progress.moments
    assert shown(moments) == EXPECTED, order
    assert progress.end is LevelEnd.COMPLETED
    assert made.played == [HandPlayed(1, 3), HandPlayed(2, -2)]
    assert [one.standing.stack for one in moments] == [40, 40, 43, 43, 41]
    assert [one.standing.opponent_stack for one in moments] == [40, 40, 37, 37, 39]


def test_a_decision_waits_for_the_end_of_the_hand_before() -> None:
    """Else its moments would come in another order each time."""
    made = recorder()
    ask(made, 1, "candidate 1", "K")
    made.answered()
    ask(made, 2, "candidate 2", "Q")
    assert (made.is_blocked, made.open) == (True, None)
    assert shown(made.take().moments) == [(1, "candidate 1", "K", False, False)]
    made.over(1, ending(1, 1))
    assert (made.is_blocked, made.open) == (False, "candidate 2")
    assert [one[1] for one in shown(made.take().moments)] == ["end of 1", "candidate 2"]


def test_the_cards_of_a_lost_deal_are_those_of_the_next_question() -> None:
    """The candidate need not wait for the notice of the deal, once it is asked."""
    made = recorder()
    made.asked_opponent(1, public("opponent 1"))
    assert (made.is_blocked, made.newest) == (True, None)
    ask(made, 1, "candidate 1", "K")
    assert made.open == "candidate 1"
    assert shown(made.take().moments) == EXPECTED[:2]


def test_while_the_opponent_thinks_nothing_is_offered() -> None:
    """The newest moment is shown again, as often as one asks."""
    made = recorder()
    ask(made, 1, "candidate 1", "K")
    assert made.take().moments[-1].offers == OFFERS
    assert made.take().moments[-1].offers == OFFERS, "it is still to be decided"
    made.answered()
    newest = made.newest
    assert newest is not None
    assert made.take().moments == (replace(newest, offers=()),)


@pytest.mark.parametrize(
    ("net", "end"), [(-39, LevelEnd.FAILED), (39, LevelEnd.COMPLETED), (1, None)]
)
def test_a_level_ends_when_one_has_no_chips_for_a_hand(net: int, end: LevelEnd | None) -> None:
    made = recorder()
    ask(made, 1, "candidate 1", "K")
    made.over(1, ending(1, net))
    assert made.end is end


def test_against_the_bank_there_is_no_opponent_s_stack() -> None:
    made = recorder(has_opponent=False)
    ask(made, 1, "candidate 1", "")
    made.over(1, {"scores": {"candidate": 40, "house": -40}, "public": {}})
    assert made.end is None
    assert made.newest is not None
    assert (made.newest.standing.stack, made.newest.standing.opponent_stack) == (80, 0)


def test_somebody_else_in_the_room_loses_the_level() -> None:
    made = recorder()
    state = {"public": {"players": [{"player_id": "player-9"}]}, "private": {}}
    made.asked_candidate(1, "q", state, OFFERS)
    assert made.fault == "somebody else sits in the room: player-9"


def test_a_question_about_a_hand_that_is_over_loses_the_level() -> None:
    """A hand that was cancelled is dealt again by a table that took over."""
    made = recorder()
    ask(made, 1, "candidate 1", "K")
    made.over(1, ending(1, 1))
    ask(made, 1, "again", "K")
    assert made.fault == "hand 1 is asked about after its end"
