"""What previews say, from what a table reported."""

from typing import Any

import pytest
from casino_contracts import Card, Standing, Standings, TableEvent
from casino_contracts.events.content import HandStarted
from casino_lobby.preview.facts import (
    MOST_PLAYERS,
    NAME_LIMIT,
    HandFacts,
    RoomFacts,
    hand_description,
    hand_facts,
    hand_title,
    room_description,
    room_facts,
    room_title,
)
from casino_lobby.store import HandKey, StoredHand
from support.casino.store_side import new_room

Payload = dict[str, Any]


def cards(text: str) -> list[Payload]:
    return [Card.from_text(one).model_dump() for one in text.split()]


def shown(player: str, hole: str, rank: str) -> Payload:
    return {"playerId": player, "cards": cards(hole), "rankName": rank}


def pot(amount: float, **winners: float) -> Payload:
    shares = [{"playerId": name, "amount": share} for name, share in winners.items()]
    return {"amount": amount, "winners": shares}


def facts(payload: Payload, **before: float) -> HandFacts:
    """Return the facts of a hand of these players, who are named after their ids."""
    event = TableEvent(
        table_id="t",
        event_type="hand_completed",
        hand_id="t/17",
        message="?",
        timestamp="?",
        sequence=9,
        epoch=2,
        payload={"handNumber": 17, **payload},
    )
    players = [
        {"playerId": name, "seatNumber": seat, "displayName": name.title(), "stack": stack}
        for seat, (name, stack) in enumerate(before.items(), 1)
    ]
    started = HandStarted({"players": players}) if before else None
    hand = StoredHand(HandKey(2, 17), 1, event)
    return hand_facts(new_room("main"), hand, started, {"eve": "Eve"})


SHOWDOWN: Payload = {
    "communityCards": cards("7h 4h Td 5c 8s"),
    "pots": [pot(1206, mia=1206)],
    "shown": [shown("tom", "Ks Kd", "Pair"), shown("mia", "Ah 6d", "Straight")],
    "stacks": [{"playerId": "mia", "stack": 1206}, {"playerId": "tom", "stack": 0}],
}


def test_a_showdown_has_winner_hand_and_loser() -> None:
    hand = facts(SHOWDOWN, mia=603, tom=603)
    assert hand_title(hand) == "Mia wins 1,206 with a Straight from Tom"
    assert hand_description(hand, "Casino").startswith(
        "Hand 17 in main · pot 1,206 · board 7♥ 4♥ 10♦ 5♣ 8♠ · Mia A♥ 6♦ (Straight) · Tom K♠ K♦"
    )
    assert (hand.epoch, hand.number) == (2, 17)


@pytest.mark.parametrize(
    ("payload", "title"),
    [
        ({"pots": [pot(10, ada=5, bob=5)]}, "Ada and Bob win 5 each"),
        ({"pots": [pot(9, ada=3, bob=3, cid=3)]}, "3 players win 3 each"),
        ({"pots": [pot(10, ada=10), pot(4, bob=4)]}, "Ada wins 10"),
        ({"pots": [pot(10, ada=10), pot(4, ada=4)]}, "Ada wins 14"),
        ({"scores": {"ada": 1, "bob": -1}}, "Ada wins 1"),
        ({"scores": {"ada": -2, "bob": -2}, "house": 4}, "The bank wins 4"),
        ({"scores": {"ada": 0, "bob": 0}, "house": 0}, "Nobody wins"),
        (
            {"points": [{"playerId": "ada", "points": 41, "place": 1}], "scores": {}},
            "Ada is first with 41 points",
        ),
        ({}, "Nobody wins"),
        ({"pots": "?", "shown": 3, "stacks": [None]}, "Nobody wins"),
    ],
)
def test_every_ending_has_a_title(payload: Payload, title: str) -> None:
    assert hand_title(facts(payload, ada=50, bob=50, cid=50)) == title


def test_names_and_players_are_bounded() -> None:
    many = {f"p{number}" * 30: 1.0 for number in range(50)}
    hand = facts({"pots": [pot(50, **many)]})
    assert len(hand.players) == MOST_PLAYERS
    assert all(len(player.name) == NAME_LIMIT for player in hand.players)


def standing(name: str, net: float) -> Standing:
    return Standing(
        player_id=name.lower(),
        display_name=name,
        hands=3,
        net=net,
        bought=0,
        stack=0,
        bb_per_100=0,
        faults={},
        decisions=0,
    )


def test_a_room_has_its_leader() -> None:
    lines = (standing("Mia", 603), standing("Tom", -603))
    room = new_room("main")
    before = room_facts(room, Standings(room_id="main", hands=0, players=()), is_holdem=True)
    assert room_title(before) == "main: waiting, 0 players, 0 hands played"
    room.hand_count = 3
    after = room_facts(room, Standings(room_id="main", hands=3, players=lines), is_holdem=True)
    assert room_title(after) == "main: Mia leads with +603 after 3 hands"
    assert room_description(after, "Casino").startswith(
        "Mia +603, Tom \u2212603 · waiting, 2 players"
    )


def test_a_closed_room_was_won() -> None:
    closed = RoomFacts("main", "closed", 1, (("Mia", 1.5),), is_holdem=True)
    assert room_title(closed) == "main: Mia won with +1.50 after 1 hand"
