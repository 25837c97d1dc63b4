"""`casino room bot`: a bot's own hands, with its author's key."""

import json
from typing import Any

import httpx
from casino.join.own_link import own_link
from casino_contracts import view_key
from support.console_side import Ended, casino

ACE = {"rank": "A", "suit": "hearts"}
HAND = {
    "handNumber": 7,
    "epoch": 1,
    "timestamp": "2026-11-20T19:43:00.123Z",
    "message": "Hand 7: Bob\x1b[2J wins 40",
    "position": "BTN",
    "net": -20.5,
    "holeCards": [ACE, {"rank": "T", "suit": "clubs"}],
    "communityCards": [ACE],
    "decisions": 1,
    "faults": 1,
    "slowestMs": 35,
}
PAGE = {"roomId": "green", "playerId": "p/1", "hands": [HAND]}
DETAIL = {
    "roomId": "green",
    "playerId": "p/1",
    "hand": HAND,
    "decisions": [
        {
            "bettingRound": "flop",
            "action": "fold",
            "outcome": "illegal",
            "latencyMs": 35,
            "reason": "raise to 14 is below\x1b[2J the smallest",
            "answer": {"action": "fold"},
            "question": {"toCall": 8},
        }
    ],
}


async def room_bot(
    document: dict[str, Any], *options: str, status: int = 200, **environment: str
) -> tuple[Ended, httpx.Request]:
    """Run the command against a lobby that has this document."""
    requests = []

    def answer(request: httpx.Request) -> httpx.Response:
        requests.append(request)
        return httpx.Response(status, json=document)

    to = httpx.MockTransport(answer)
    command = ("room", "bot", "green", "p/1", *options)
    ended = await casino(*command, to=to, url=None, environment=environment)
    return ended, requests[-1]


async def test_hands_are_listed() -> None:
    """With the author's key, which comes before the operator's."""
    ended, request = await room_bot(
        PAGE, "--sort", "losses", CASINO_SEAT_TOKEN="mine", CASINO_OPERATOR_TOKEN="operators"
    )
    assert ended.exit_code == 0, ended.stderr
    assert request.url.raw_path == b"/v1/rooms/green/players/p%2F1/hands?order=losses&limit=20"
    assert request.headers["authorization"] == "Bearer mine"
    assert ended.stdout.splitlines()[1].split() == (
        ["7", "1", "BTN", "A♥", "T♣", "-20.5", "1", "35", "ms", "Bob", "[2J", "wins", "40"]
    )


async def test_one_hand_has_its_questions() -> None:
    """The reason may quote anything, so it is one line of text."""
    ended, request = await room_bot(DETAIL, "--hand", "7", CASINO_OPERATOR_TOKEN="operators")
    assert ended.exit_code == 0, ended.stderr
    assert request.url.raw_path == b"/v1/rooms/green/players/p%2F1/hands/7"
    assert request.headers["authorization"] == "Bearer operators"
    assert ended.stdout.splitlines() == [
        "Hand 7, epoch 1, BTN, net -20.5",
        "cards  Ah Tc",
        "board  Ah",
        "",
        "1. flop: fold (illegal, 35 ms)",
        '  question  {"toCall": 8}',
        '  answer    {"action": "fold"}',
        "  reason    raise to 14 is below [2J the smallest",
        "replay  http://127.0.0.1:4000/rooms/green/hands/7",
    ]
    ended, _ = await room_bot(DETAIL, "--hand", "7", "--json")
    assert json.loads(ended.stdout) == DETAIL


async def test_a_wrong_key_is_explained() -> None:
    problem = {"title": "x", "detail": "y", "reason": "UNAUTHORIZED"}
    ended, _ = await room_bot(problem, status=401)
    assert ended.exit_code == 1
    assert "CASINO_SEAT_TOKEN" in ended.stderr


def test_the_link_has_the_key_in_its_fragment_only() -> None:
    """And not the seat token, with which a bot's table asks it."""
    link = own_link("http://127.0.0.1:4000/", "a/b", "player-1", "token")
    assert link == f"http://127.0.0.1:4000/#/me/a%2Fb/player-1?key={view_key('token')}"
    assert "token" not in view_key("token")
    assert own_link("http://127.0.0.1:4000", "a", "player-1", "") is None
