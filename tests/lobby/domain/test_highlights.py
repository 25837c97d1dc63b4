"""A completed hand is scored once, by its public events."""

from typing import Any

import pytest
from casino_contracts import TableEvent
from casino_lobby.domain.observed_hand import HandFacts, Highlight, highlight_of
from casino_lobby.domain.room import Room
from casino_lobby.domain.room_fold import ended_hands, fold
from support.casino.store_side import new_room

NOTHING = HandFacts(0, True, 0, (), 0, 0, ())


def event(kind: str, /, **payload: Any) -> TableEvent:
    return TableEvent.model_validate(
        {
            "tableId": "t",
            "eventType": kind,
            "message": "",
            "timestamp": "",
            "payload": {"handNumber": 1, **payload},
        }
    )


def started(*, big_blind: float | None = 2, **stacks: float) -> TableEvent:
    """Return the start of a hand; the first player posts the big blind."""
    first = next(iter(stacks))
    posted = [{"playerId": first, "kind": "big-blind", "amount": big_blind}]
    return event(
        "hand_started",
        **({} if big_blind is None else {"bigBlind": big_blind, "posted": posted}),
        players=[
            {"playerId": name, "displayName": name, "seatNumber": seat, "stack": stack}
            for seat, (name, stack) in enumerate(stacks.items())
        ],
    )


def acted(player: str, action: str, stack: float, outcome: str = "ok") -> TableEvent:
    return event("action_taken", playerId=player, action=action, stack=stack, outcome=outcome)


def completed(pot: float, winner: str, **more: Any) -> TableEvent:
    pots = [{"amount": pot, "winners": [{"playerId": winner, "amount": pot}]}]
    return event("hand_completed", **{"pots": pots, "shown": [], "stacks": [], **more})


def shown(player: str, rank: str) -> dict[str, Any]:
    return {"playerId": player, "cards": [], "rankName": rank}


def scores(*events: TableEvent, room: Room | None = None) -> list[Highlight]:
    """Return what each event that completes a hand is worth."""
    return [hand.highlight for hand in ended_hands(room or new_room(), events)]


class TestPoints:
    @pytest.mark.parametrize(
        ("changes", "score", "kinds"),
        [
            ({}, 0, ()),
            ({"size": 99.9}, 99, ()),
            ({"size": 100}, 100, ("big-pot",)),
            ({"size": 10_000}, 500, ("big-pot",)),
            ({"size": float("inf")}, 0, ()),
            ({"called_all_ins": 2}, 80, ("all-in",)),
            ({"called_all_ins": 9}, 160, ("all-in",)),
            ({"beaten": ("Pair", "Three of a Kind")}, 0, ()),
            ({"beaten": ("Straight", "Four of a Kind", "Flush")}, 200, ("bad-beat",)),
            ({"size": 4, "uncalled": 9.9}, 4, ()),
            ({"size": 4, "uncalled": 10}, 34, ("bluff",)),
            ({"size": 40, "uncalled": 19}, 40, ()),
            ({"size": 40, "uncalled": 20, "has_blinds": False}, 40, ()),
            ({"faults": 1}, 5, ("fault",)),
            ({"faults": 50}, 20, ("fault",)),
        ],
    )
    def test_each_has_its_points(
        self, changes: dict[str, Any], score: int, kinds: tuple[str, ...]
    ) -> None:
        found = highlight_of(HandFacts(**{**vars(NOTHING), **changes}))
        assert (found.score, found.kinds) == (score, kinds)


class TestFacts:
    def test_an_all_in_counts_if_somebody_called(self) -> None:
        showdown = [shown("a", "Full House"), shown("b", "Straight Flush")]
        called = scores(
            started(a=2, b=100, c=100),
            acted("c", "fold", 100),
            acted("b", "raise", 0),
            completed(102, "b", shown=showdown),
        )
        assert called == [Highlight(51 + 80 + 120, ("all-in", "bad-beat"), ("a", "b", "c"))]
        [alone] = scores(
            started(a=100, b=100),
            acted("b", "raise", 0),
            acted("a", "fold", 98),
            completed(4, "b", returned={"playerId": "b", "amount": 98}),
        )
        assert (alone.score, alone.kinds) == (2 + 30, ("bluff",))

    def test_a_bet_whose_winner_shows_is_no_bluff(self) -> None:
        returned = {"playerId": "b", "amount": 98}
        begin = [started(a=100, b=100), acted("a", "fold", 98)]
        end = completed(4, "b", returned=returned, shown=[shown("b", "Pair")])
        assert [one.kinds for one in scores(*begin, end)] == [()]
        assert [one.kinds for one in scores(begin[0], completed(4, "b", returned=returned))] == [()]

    def test_failed_decisions_count(self) -> None:
        outcomes = ["timeout", "illegal", "defaulted", "sitting_out", "away", "retried", "ok"]
        actions = [acted("a", "check", 98, outcome) for outcome in outcomes]
        assert [
            one.score for one in scores(started(a=100, b=100), *actions, completed(4, "b"))
        ] == [2 + 3 * 5]

    def test_without_blinds_the_largest_win_counts(self) -> None:
        stacks = [{"playerId": "a", "stack": 30}, {"playerId": "b", "stack": 150}]
        end = event("hand_completed", scores={"a": -50, "b": 50}, stacks=stacks)
        [found] = scores(started(big_blind=None, a=80, b=100), end)
        assert found == Highlight(50, (), ("a", "b"))

    def test_a_cancelled_hand_leaves_no_trace(self) -> None:
        begun = [started(a=100, b=100), acted("a", "raise", 0, "timeout")]
        end = completed(4, "b", stacks=[{"playerId": "b", "stack": 4}])
        cancelled = event("table_status", status="running", kind="hand_cancelled")
        rest = Highlight(0, (), ("b",))
        assert scores(*begun, cancelled, end) == [rest]
        room = new_room()
        fold(room, begun)
        [whole] = scores(end, room=room)
        assert (whole.score, whole.players) == (2 + 40 + 5, ("a", "b"))
        assert scores(end, room=Room.from_json(room.to_json())) == [whole]
        room.number_anew(2)
        assert scores(end, room=room) == [rest]

    def test_payloads_of_another_shape_are_worth_nothing(self) -> None:
        begin = event("hand_started", players="all", bigBlind="2", posted=[{"playerId": "a"}])
        action = event("action_taken", playerId="a", action=7, stack="0", outcome=[])
        end = event("hand_completed", pots=[{"amount": "x"}], shown=4, stacks=[{}], returned="r")
        assert scores(begin, action, end) == [Highlight(0, (), ())]
