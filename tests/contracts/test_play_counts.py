"""How players play, counted from hands that are written out: small blind s, big blind b, others."""

from dataclasses import fields
from typing import Any

import pytest
from casino_contracts.events.content import ActionTaken, HandCompleted
from casino_contracts.play_counts import MOST_DECISIONS, PlayCounts, PlayedHand, count_hand
from support.table.written_hand import events_of, played


def counted(
    players: str, *rounds: str, won: str = "", stack: float = 200, **more: Any
) -> dict[str, dict[str, int]]:
    """Return what a hand adds to the counts of each player, without zeros.

    `players` are letters, the blinds first; `won` are the winners; `more` may have other stacks by
    player, an `ante`, and `has_flop`.
    """
    has_flop, ante = more.pop("has_flop", False), more.pop("ante", 0)
    stacks = {player_id: more.get(player_id, stack) for player_id in players}
    counts = {player_id: PlayCounts() for player_id in players}
    hand = played(events_of(stacks, *rounds, ante=ante))
    count_hand(hand, won, counts, has_flop=has_flop)
    return {
        player_id: {name: number for name, number in vars(count).items() if number}
        for player_id, count in counts.items()
    }


def test_a_walk_is_no_hand_of_the_big_blind() -> None:
    """It had nothing to decide; the others could have raised."""
    assert counted("sbu", "u fold, s fold", won="b") == {
        "s": {"vpip_of": 1, "pfr_of": 1},
        "b": {},
        "u": {"vpip_of": 1, "pfr_of": 1},
    }


def test_a_limped_pot() -> None:
    """Calls and the completed blind are voluntary, the check of the big blind is not."""
    hand = counted(
        "sbu",
        "u call 2, s call 2, b check",
        "s check, b bet 4, u call 4, s fold",
        "b check, u check",
        "b check, u bet 6, b call 6",
        won="u",
    )
    limped = {"vpip": 1, "vpip_of": 1, "pfr_of": 1, "saw_flop": 1}
    assert hand == {
        "s": limped,
        "b": {
            "vpip_of": 1, "pfr_of": 1, "saw_flop": 1, "aggressive": 1, "calls": 1, "showdowns": 1
        },
        "u": {**limped, "aggressive": 1, "calls": 1, "showdowns": 1, "showdowns_won": 1},
    }  # fmt: skip


def test_a_squeeze_is_a_three_bet() -> None:
    """Of the raiser it is none to raise again; who calls a raise could have made it."""
    hand = counted("sbuc", "u raise 6, c call 6, s raise 26, b fold, u raise 60, c fold, s fold")
    assert hand == {
        "u": {"vpip": 1, "vpip_of": 1, "pfr": 1, "pfr_of": 1},
        "c": {"vpip": 1, "vpip_of": 1, "pfr_of": 1, "three_bet_of": 1},
        "s": {
            "vpip": 1, "vpip_of": 1, "pfr": 1, "pfr_of": 1, "three_bet": 1, "three_bet_of": 1
        },
        "b": {"vpip_of": 1, "pfr_of": 1},
    }  # fmt: skip


def test_a_limper_may_three_bet() -> None:
    hand = counted("sbu", "u call 2, s fold, b raise 8, u raise 24, b fold", won="u")
    assert hand["u"] == {
        "vpip": 1, "vpip_of": 1, "pfr": 1, "pfr_of": 1, "three_bet": 1, "three_bet_of": 1
    }  # fmt: skip
    assert hand["b"] == {"vpip": 1, "vpip_of": 1, "pfr": 1, "pfr_of": 1}


def test_an_all_in_is_a_raise_or_a_call_by_its_chips() -> None:
    """Who has no more than the call cannot raise, nor who meets nobody with chips."""
    hand = counted(
        "sbu", "u all-in 5, s all-in 200, b all-in 4", won="s", u=5, b=4, has_flop=True
    )  # fmt: skip
    shown = {"vpip": 1, "vpip_of": 1, "saw_flop": 1, "showdowns": 1}
    assert hand == {
        "u": {**shown, "pfr": 1, "pfr_of": 1},
        "s": {
            **shown,
            "pfr": 1,
            "pfr_of": 1,
            "three_bet": 1,
            "three_bet_of": 1,
            "showdowns_won": 1,
        },
        "b": shown,
    }
    alone = counted("sb", "s all-in 200, b call 20", won="s", b=20)
    assert "pfr_of" not in alone["b"]
    behind = counted("sbu", "u all-in 20, s fold, b call 20", won="u", u=20)
    assert "three_bet_of" not in behind["b"], "s has folded, and u has no chips left"


def test_a_continuation_bet_counts_also_if_it_is_folded() -> None:
    """Made by the last to raise before the flop, if nobody has bet there."""
    made = counted("sbu", "u raise 6, s fold, b call 6", "b check, u bet 8, b raise 30, u fold")
    assert (made["u"]["c_bet"], made["u"]["c_bet_of"]) == (1, 1)
    assert made["u"]["aggressive"] == made["b"]["aggressive"] == 1
    assert "showdowns" not in made["b"]
    missed = counted(
        "sbu", "u raise 6, s fold, b call 6", "b check, u check", "b check, u bet 8, b fold"
    )  # fmt: skip
    assert missed["u"]["c_bet_of"] == 1
    assert "c_bet" not in missed["u"], "on the turn it is none"
    donked = counted("sbu", "u raise 6, s fold, b call 6", "b bet 8, u raise 24, b fold")
    assert "c_bet_of" not in donked["u"]
    checked = counted(
        "sbu", "u raise 6, s fold, b call 6", "b check, u check", "b bet 9, u raise 40, b fold"
    )  # fmt: skip
    assert checked["u"]["c_bet_of"] == 1
    of_another = counted("sbu", "u raise 6, s fold, b raise 20, u call 20", "b check, u bet 30")
    assert "c_bet_of" not in of_another["u"]
    assert of_another["b"]["c_bet_of"] == 1
    all_in = counted(
        "sbu", "u raise 200, s fold, b call 200", "", "", "", won="b", has_flop=True
    )  # fmt: skip
    assert "c_bet_of" not in all_in["u"], "there is nothing left to bet"


def test_a_multiway_pot_with_a_side_pot() -> None:
    """Everybody who did not fold is at the showdown; two win."""
    hand = counted(
        "sbuc",
        "u raise 6, c call 6, s call 6, b call 6",
        "s check, b bet 10, u all-in 20, c raise 60, s fold, b call 60",
        "b check, c bet 40, b call 40",
        "b check, c check",
        won="uc",
        u=26,
    )
    showdowns = {key: count["showdowns"] for key, count in hand.items() if "showdowns" in count}
    assert showdowns == {"b": 1, "u": 1, "c": 1}
    assert [key for key, count in hand.items() if "showdowns_won" in count] == ["u", "c"]
    assert [count["saw_flop"] for count in hand.values()] == [1, 1, 1, 1]
    assert (hand["u"]["aggressive"], hand["c"]["aggressive"]) == (1, 2)
    assert (hand["b"]["aggressive"], hand["b"]["calls"]) == (1, 2)


def test_antes_and_a_short_blind_are_no_bets() -> None:
    hand = counted("sbu", "u call 2, s call 2", ante=0.5, b=1.5, won="b", has_flop=True)
    assert hand["b"] == {"vpip_of": 1, "saw_flop": 1, "showdowns": 1, "showdowns_won": 1}
    assert hand["s"]["pfr_of"] == 1, "u has chips to answer"


@pytest.mark.parametrize("outcome", ["sitting_out", "away", "defaulted"])
def test_who_is_not_there_does_not_count(outcome: str) -> None:
    """The hands of the others do; a timeout is a decision like any other."""
    hand = counted("sbu", f"u fold {outcome}, s call 2, b check", "s check, b check timeout")
    assert hand["u"] == {}
    assert hand["s"]["vpip"] == hand["b"]["vpip_of"] == 1
    assert counted("sbu", "u fold timeout, s fold")["u"]["vpip_of"] == 1


@pytest.mark.parametrize(
    "broken",
    [
        {"bettingRound": None},
        {"bettingRound": ["flop"]},
        {"action": "dance"},
        {"stack": None},
        {"stack": 999},
        {"playerId": "nobody"},
    ],
)
def test_a_hand_that_cannot_be_followed_is_not_counted(broken: dict[str, object]) -> None:
    """Not even in part."""
    events = events_of({"s": 200, "b": 200}, "s call 2, b check", "s check, b bet 4")
    kind, payload = events[-1]
    counts = {"s": PlayCounts(), "b": PlayCounts()}
    count_hand(played([*events[:-1], (kind, payload | broken)]), "s", counts)
    back = (kind, payload | {"bettingRound": "preflop"})
    count_hand(played([*events, back]), "s", counts)
    count_hand(played(events, big_blind=None), "s", counts)
    assert counts == {"s": PlayCounts(), "b": PlayCounts()}


def test_an_endless_hand_is_bounded() -> None:
    """A table of a third party may report any number of decisions."""
    hand = PlayedHand({"s": 9, "b": 9}, big_blind=2)
    check = ActionTaken.of(
        {"playerId": "s", "bettingRound": "flop", "action": "check", "stack": 9}
    )  # fmt: skip
    assert check is not None
    for _ in range(3 * MOST_DECISIONS):
        hand.decide(check)
    assert len(hand.decisions) == MOST_DECISIONS + 1
    counts = {"s": PlayCounts()}
    count_hand(hand, "", counts)
    assert counts == {"s": PlayCounts()}


def test_winners_are_read_as_far_as_they_can_be() -> None:
    shares = [{"playerId": "a", "amount": 3}, {"playerId": "b", "amount": 0}, {"amount": 2}, 7]
    completed = HandCompleted({"pots": [{"winners": shares}, {"winners": 5}, None]})
    assert completed.winners == {"a"}
    assert completed.board_size == 0
    assert HandCompleted({"communityCards": [1, 2, 3]}).board_size == 3


def test_counts_add_up_field_by_field() -> None:
    numbers = [1 << place for place, _ in enumerate(fields(PlayCounts))]
    total = PlayCounts(*numbers)
    total.include(PlayCounts(*numbers))
    assert total == PlayCounts(*(2 * number for number in numbers))
