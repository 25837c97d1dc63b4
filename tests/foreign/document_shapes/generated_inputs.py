"""Inputs of the protocol document's shapes: valid ones, and ones that are changed at one place.

Most inputs have one change, so that each difference between two readers has one cause.
"""

import random
from collections.abc import Iterator
from copy import deepcopy
from typing import Any, Final

STAKES: Final = {"minBuyIn": 100, "maxBuyIn": 400, "smallBlind": 1, "bigBlind": 2}
CONFIG: Final = {"startingStack": 200, **STAKES, "maxHands": 20, "maxSeats": 6}
CARD_URL: Final = "http://127.0.0.1:4101/.well-known/agent-card.json"
SKILLS: Final = {
    "configure": "configureTable",
    "register": "registerPlayer",
    "start": "startGame",
    "summary": "tableSummary",
}

VALID: Final[dict[str, dict[str, Any]]] = {
    "signupInvitation": {"casinoName": "Casino", "tableId": "t1", "roomId": "r1", **STAKES},
    "playerSignupResponse": {"displayName": "Ada", "actionSkill": "act", "buyIn": 150},
    "actionRequest": {
        "tableId": "t1",
        "bettingRound": "flop",
        "communityCards": [{"rank": rank, "suit": "hearts"} for rank in "2TA"],
        "holeCards": [{"rank": "K", "suit": "clubs"}, {"rank": "9", "suit": "spades"}],
        "pot": 6,
        "minimumRaise": 2,
        "currentBet": 2,
        "playerStack": 198,
        "legalActions": ["fold", "call", "raise", "all-in"],
    },
    "actionResponse": {"action": "raise", "amount": 6, "message": "hm"},
    "createRoomInput": {
        "roomId": "r1",
        "tableId": "t1",
        "tableAgentCardUrl": CARD_URL,
        "tableAgentSkills": SKILLS,
        "config": CONFIG,
        "launchOptions": {"port": 4501},
    },
    "registerPlayerInput": {
        "roomId": "r1",
        "agentCardUrl": CARD_URL,
        "signupSkill": "signup",
        "actionSkill": "act",
        "preferredSeat": 3,
    },
    "startRoomInput": {
        "roomId": "r1",
        "overrides": {"maxHands": 5, "smallBlind": 1, "bigBlind": 2},
    },
    "configureTableInput": {
        "tableId": "t1",
        "casinoName": "Casino",
        "config": CONFIG,
        "casinoCallback": {"agentCardUrl": CARD_URL, "eventSkill": "recordGameEvent"},
    },
    "seatPlayerInput": {
        "playerId": "p1",
        "displayName": "Ada",
        "agentCardUrl": CARD_URL,
        "actionSkill": "act",
        "startingStack": 200,
        "preferredSeat": 0,
    },
    "tableEvent": {
        "tableId": "t1",
        "eventType": "hand_started",
        "message": "hand 1",
        "timestamp": "2026-01-01T00:00:00Z",
        "payload": {"handNumber": 1, "players": [{"id": "p1", "stack": 200.5}]},
    },
}

NUMBERS: Final = (
    *(0, -0.0, -1, 1, 2, 3, 9, 10, 11, 100, 200, 400, 65_535, 65_536, 10_000, 2.0, 3.5, 0.5, 0.01),
    *(1e-6, 1e-7, 5e-324, -5e-324, 2**53 - 1, 2**53, 2**63, 1e21, 1e308, -1e308, 150, 399, 1.5),
)
WORDS: Final = (
    *("", " ", "a", "A", "Ada", " Ada ", "x" * 64, "x" * 65, "x" * 128, "x" * 129, "x" * 256),
    *("x" * 257, "x" * 501, "ünïcode", "\u5c71", "a\nb", "a\u0000b", "\u202eabc", "\u200b"),
    *(
        ".",
        "..",
        "a/b",
        "a b",
        "act!",
        "play",
        "my.skill",
        "closeTable",
        "signup",
        "registerPlayer",
    ),
    *("5", "0", "-1", "NaN", "null", "2026-01-01T00:00:00Z", "now", "\U0001f600", "\uff46\uff55ll"),
)
URLS: Final = (
    *("http://x", "http://x/", "https://x:8443/a/card.json", "HTTP://X/Y", "http://[::1]:80/"),
    *("http://x/ b", "http://a b/", "http://", "//x/y", "x", "/agent-card.json", "http:x"),
    *("http:///x", "http://x:0/", "http://x:99999/", "http://x:port/", "ftp://a/b", "foo:bar"),
    *("mailto:a@b", "javascript:alert(1)", " http://x", "http://x ", "http://xn--tda.de/"),
    *("http://user:p@h/", "http://h/?q=1#f", "http://" + "h" * 2048, "http://x/" + "p" * 2100),
    *("http://x\u0000y/", "http://x/\n", "data:text/plain,x", "http://x\\y"),
)
NEAR: Final = (
    *("preflop", "flop", "turn", "river", "Flop", "FLOP", "showdown", "pre-flop", " flop"),
    *("fold", "check", "call", "bet", "raise", "all-in", "allin", "all_in", "ALL-IN", "Fold"),
    *("2", "9", "T", "10", "t", "1", "J", "A", "a", "hearts", "h", "Hearts", "spades", "clubs"),
    *("hand_started", "table_status", "hand-started", "street_dealt", "player_left"),
)
ADDED: Final = "requestId"
"""A field that the document does not have."""
KINDS: Final = {"bettingRound", "action", "rank", "suit", "eventType"}
OTHERS: Final[tuple[Any, ...]] = (None, True, False, [], {}, [1], {"a": 1}, "5", 5, 0, "", "text")
DEEP: Final[Any] = {"a": [{"b": [[1e308]]}]}
PAYLOADS: Final[tuple[Any, ...]] = (
    {},
    {"a": None},
    {"a": 1e308},
    {"a": 2**53},
    {"a": float(2**53 - 1)},
    DEEP,
)


def _levels(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = {"a": value}
    return value


def _places(value: Any, at: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    if at:
        yield at
    inner = value.items() if isinstance(value, dict) else ()
    for key, item in (*inner, *(enumerate(value) if isinstance(value, list) else ())):
        yield from _places(item, (*at, key))


def _other(dice: random.Random, name: str | int, value: Any) -> Any:
    """Return another value, mostly of a kind that is near to the one at a place."""
    choices: tuple[Any, ...] = OTHERS
    if dice.random() < 0.15:
        pass
    elif name == "payload":
        choices = (*PAYLOADS, _levels(dice.randint(29, 34)))
    elif isinstance(value, int | float) and not isinstance(value, bool):
        choices = NUMBERS
    elif value == CARD_URL:
        choices = URLS
    elif isinstance(value, str):
        is_word = isinstance(name, str) and name not in KINDS
        choices = WORDS if is_word else NEAR
    elif isinstance(value, list) and value:
        return [deepcopy(dice.choice(value)) for _ in range(dice.randint(0, 11))]
    return dice.choice(choices)


def changed(dice: random.Random, value: Any) -> Any:
    """Return a copy with one change."""
    value = deepcopy(value)
    *path, name = dice.choice([*_places(value)])
    at = value
    for key in path:
        at = at[key]
    what = dice.random()
    if what < 0.12:
        del at[name]
    elif what < 0.2:
        at[name] = None
    elif what < 0.25 and isinstance(at, dict):
        at[dice.choice(("extra", str(name).upper(), ADDED))] = dice.choice(("more", 5, "a\nb"))
    else:
        at[name] = _other(dice, name, at[name])
    return value


def inputs(shape: str, number: int, seed: int) -> list[Any]:
    """Return inputs of a shape, always the same ones; the first is valid, some have two changes."""
    dice = random.Random(f"{shape}/{seed}")
    found: list[Any] = [VALID[shape], *OTHERS]
    while len(found) < number:
        one = changed(dice, VALID[shape])
        found.append(changed(dice, one) if dice.random() < 0.1 and one else one)
    return found
