"""Tables of a lobby's documents: standings of a room, and a bot's own hands."""

import json
from typing import Any

import httpx
from casino.join.joining import own_link
from casino_contracts import view_key
from support.console_side import Ended, casino

LINE = {
    "playerId": "player-1",
    "displayName": "Ada",
    "hands": 412,
    "net": 220,
    "bought": 200,
    "stack": 420,
    "bbPer100": 26.7,
    "halfInterval95": 61.35,
    "faults": {},
    "decisions": 730,
}
BOB = {
    **LINE,
    "playerId": "player-2",
    "displayName": "Bob\x1b[2J",
    "hands": 3,
    "net": -220.5,
    "bbPer100": -26.7,
    "halfInterval95": None,
    "faults": {"illegal": 3, "sitting_out": 1},
    "hasLeft": True,
}
GUEST = {**LINE, "playerId": "player-3", "displayName": "Eve", "isGuest": True, "net": 900}


async def standings(*options: str, **document: Any) -> Ended:
    """Run the command against a lobby that has these standings."""

    def answer(request: httpx.Request) -> httpx.Response:
        assert request.url.path == "/v1/rooms/green/standings"
        return httpx.Response(200, json={"roomId": "green", "hands": 412, **document})

    to = httpx.MockTransport(answer)
    return await casino("room", "standings", "green", *options, to=to)


async def test_each_player_has_a_line() -> None:
    """The best first, guests behind; an interval that says nothing says so."""
    ended = await standings(players=[GUEST, LINE, BOB])
    assert ended.exit_code == 0, ended.stderr
    lines = ended.stdout.splitlines()
    assert lines[0] == "412 hands"
    heading = ["player", "hands", "net", "bb/100", "95", "%", "±", "stack", "bought", "faults"]
    assert lines[1].split() == heading
    assert lines[2].split() == ["Ada", "412", "+220", "+27", "61", "420", "200", "none"]
    assert lines[3].split("  ")[0] == "Bob [2J (left)"
    assert "-220.5       -  says nothing yet" in lines[3]
    assert lines[3].endswith("illegal 3, sitting out 1, of 730 decisions")
    assert lines[4].startswith("Eve (guest) ")


async def test_who_decided_and_at_what_cost() -> None:
    """The provider's words are one line of text; who named no cost is left out."""
    costs = {
        "models": ["small"],
        "decisions": 9,
        "attempts": 9,
        "latencyMs": 9,
        "inputTokens": 9,
        "outputTokens": 9,
        "cachedTokens": 0,
        "reasoningTokens": 0,
        "costUsd": 0.5,
        "tokensPer100Hands": 123456,
        "usdPer100Hands": 0.25,
        "wonPerUsd": 106.8,
        "wonPer1000Tokens": 0.216,
    }
    counts = [
        {"reason": "model_failed", "count": 4, "detail": "401: no such key\x1b[2J"},
        {"reason": "away", "count": 2},
    ]
    ada = {**LINE, "faults": {"defaulted": 4}, "defaulted": counts, "costs": costs}
    lines = (await standings(players=[ada, BOB])).stdout.splitlines()
    assert lines[2].endswith("  defaulted 4 (model failed 4), of 730 decisions")
    assert lines[4] == "Ada: default: model failed, 401: no such key[2J (the last of 4)"
    heading = "player  model  tokens/100  $/100  bb/100 per $  bb/100 per 1,000 tokens"
    assert lines[5].split() == heading.split()
    assert lines[6].split() == ["Ada", "small", "123,456", "0.25", "+107", "+0.22"]
    assert len(lines) == 7


async def test_how_they_play() -> None:
    """Shares with their samples; a dash where there is none."""
    statistics = {
        "vpip": {"count": 31, "of": 120},
        "pfr": {"count": 20, "of": 118},
        "threeBet": {"count": 0, "of": 0},
        "cBet": {"count": 3, "of": 4},
        "aggression": {"count": 30, "of": 20},
        "wentToShowdown": {"count": 11, "of": 40},
        "wonAtShowdown": {"count": 6, "of": 11},
    }
    latency = {"decisions": 730, "p50": 42, "p95": 310}
    passive = {**statistics, "aggression": {"count": 3, "of": 0}}
    players = [
        {**LINE, "statistics": statistics, "latency": latency},
        {**LINE, "displayName": "Cy", "statistics": passive},
        BOB,
    ]
    ended = await standings("--stats", players=players)
    lines = ended.stdout.splitlines()
    assert lines[1].split() == [
        *("player", "hands", "VPIP", "PFR", "3-bet", "c-bet", "AF", "WTSD", "W$SD"),
        *("p50", "ms", "p95", "ms"),
    ]
    cells = "Ada 412 26 % of 120 17 % of 118 - 75 % of 4 1.5 28 % of 40 55 % of 11 42 310"
    assert lines[2].split() == cells.split()
    assert " 3/0 " in lines[3]
    assert lines[4].split()[-9:] == ["-"] * 9


async def test_a_game_without_blinds_is_counted_in_chips() -> None:
    ended = await standings(players=[LINE], unit="chips", hands=1)
    assert ended.stdout.splitlines()[0] == "1 hand"
    assert "chips/100" in ended.stdout.splitlines()[1]


async def test_a_program_gets_the_document() -> None:
    ended = await standings("--json", players=[LINE, BOB])
    expected = {"roomId": "green", "hands": 412, "unit": "bb", "players": [LINE, BOB]}
    assert json.loads(ended.stdout) == expected


async def test_a_room_without_players_is_no_error() -> None:
    ended = await standings(players=[], hands=0)
    assert (ended.exit_code, ended.stdout) == (0, "nobody has taken a seat yet\n")


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


async def test_who_decided_is_told_of_each_decision() -> None:
    decisions: Any = DETAIL["decisions"]
    said = {"reason": "model_failed", "detail": "401: no such key"}
    more = {"defaulted": said, "usage": {"model": "small", "costUsd": 0.01}, "reasoning": "a\nb"}
    ended, _ = await room_bot({**DETAIL, "decisions": [{**decisions[0], **more}]}, "--hand", "7")
    assert ended.stdout.splitlines()[-4:-1] == [
        "  decided   default: model failed, 401: no such key",
        "  decided   small, $0.01",
        "  decided   “a b”",
    ]


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
