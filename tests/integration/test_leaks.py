"""A thousand hands, and not one card that was not shown in anything that the public can read.

What may be seen is worked out from what the players did: hole cards only of those who did not fold,
only where at least two were left, only when the hand is over; of the board what was dealt.
"""

import asyncio
import io
import json
import logging
import random
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

import pytest
import structlog
from casino_agentkit import configure_logs
from casino_contracts import ActionRequest, ActionResponse, Card
from casino_lobby.app import SECRET_KEYS
from casino_table.app import SECRET_KEYS as TABLE_SECRET_KEYS
from support.casino.casino_side import CasinoHarness, Operator
from support.casino.streams import TOKEN, Client, LiveLobby, Told, live
from support.direct import DirectTransport
from support.table.table_side import Decide

HANDS, PLAYERS = 1_000, 4
SEED, SECRET = "the-seed-of-this-room", "the-secret-of-this-room"
STREETS = {3: "flop", 4: "turn", 5: "river"}
CARD = re.compile(r"(?<![A-Za-z0-9])(?:10|[2-9TJQKA])[hdcs♥♦♣♠](?![A-Za-z0-9])")

KING, FIVE = {"rank": "K", "suit": "spades"}, {"rank": "5", "suit": "clubs"}

Holes = dict[str, dict[str, set[Card]]]
"""By hand and player."""


def lively(name: str) -> Decide:
    """Return a player that folds, calls, raises and fails by a seed, and thinks of its cards."""
    dice = random.Random(name)

    def decide(request: ActionRequest) -> ActionResponse:
        draw, cards = dice.random(), " ".join(card.text for card in request.hole_cards or ())
        mind = f"holding {cards}"
        if draw < 0.005:
            raise RuntimeError("I lost my cards")
        if draw < 0.4 and "fold" in request.legal_actions:
            return ActionResponse(action="fold", reasoning=mind, message="not for me")
        if draw > 0.97 and "all-in" in request.legal_actions:
            return ActionResponse(action="all-in", reasoning=mind)
        if draw > 0.9:
            return ActionResponse(action="raise", amount=1, reasoning=mind)  # too little
        return ActionResponse(
            action="check" if "check" in request.legal_actions else "call", reasoning=mind
        )

    return decide


def cards_in(value: Any) -> list[Card]:
    """Return every card that stands anywhere in JSON."""
    if isinstance(value, dict):
        if {"rank", "suit"} <= value.keys():
            return [Card.model_validate(value)]
        return [card for one in value.values() for card in cards_in(one)]
    if isinstance(value, list):
        return [card for one in value for card in cards_in(one)]
    return []


def texts_in(value: Any) -> Iterator[str]:
    """Yield every text that stands anywhere in JSON, names of fields too."""
    if isinstance(value, dict):
        for key, one in value.items():
            yield key
            yield from texts_in(one)
    elif isinstance(value, list):
        for one in value:
            yield from texts_in(one)
    elif isinstance(value, str):
        yield value


class Auditor:
    """Knows every hole card, and looks for it where it must not be."""

    def __init__(self, holes: Holes) -> None:
        self._holes = holes
        self._folded: defaultdict[str, set[str]] = defaultdict(set)
        self._dealt: defaultdict[str, list[Card]] = defaultdict(list)
        self._messages: set[str] = set()
        self.shown = self.mucked = 0

    def learn(self, events: Iterable[dict[str, Any]]) -> None:
        """Learn from all events in their order what may be seen, and when."""
        for event in events:
            hand, payload = event.get("handId", ""), event.get("payload", {})
            self._messages.add(event["message"])
            if event["eventType"] == "action_taken" and payload["action"] == "fold":
                self._folded[hand].add(payload["playerId"])
            if payload.get("kind") == "street_dealt":
                board = cards_in(payload["communityCards"])
                assert len(board) in STREETS
                assert board[: len(self._dealt[hand])] == self._dealt[hand]
                self._dealt[hand] = board

    def audit(self, value: Any) -> None:
        """Look through JSON that the public got."""
        if isinstance(value, list):
            for one in value:
                self.audit(one)
        elif isinstance(value, dict) and "eventType" in value:
            self._audit_event(value)
        elif isinstance(value, dict) and {"handId", "shown"} <= value.keys():  # a line of the list
            self._audit_event({**value, "eventType": "hand_completed", "payload": value})
        elif isinstance(value, dict):
            assert not {"rank", "suit"} <= value.keys(), value
            for one in (*value, *value.values()):
                self.audit(one)
        elif isinstance(value, str) and value not in self._messages:  # those are looked at apart
            self.audit_text(value)

    def _audit_event(self, event: dict[str, Any]) -> None:
        hand, texts = event.get("handId", ""), "\n".join(texts_in(event))
        seen = {*cards_in(event), *map(Card.from_text, CARD.findall(texts))}
        self.audit_text(CARD.sub("", texts))
        may_be_seen = set(self._dealt[hand])
        if event["eventType"] == "hand_completed":
            left = self._holes[hand].keys() - self._folded[hand]
            shown = {one["playerId"] for one in event["payload"].get("shown", ())}
            if len(left) > 1:
                assert shown <= left, f"{hand}: {shown - left} folded"
                may_be_seen |= {card for who in shown for card in self._holes[hand][who]}
            self.shown += len(shown)
            self.mucked += len(self._holes[hand]) - len(shown)
        assert seen <= may_be_seen, f"{hand}: {event['eventType']} shows {seen - may_be_seen}"

    @staticmethod
    def audit_text(text: str) -> None:
        """Look through text: cards in short, thoughts, secrets."""
        assert CARD.findall(text) == []
        for secret in (SEED, SECRET, TOKEN, "holding"):
            assert secret not in text


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """Collect everything that lobby and table log, debug lines too."""
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    stream = io.StringIO()
    keys = {*SECRET_KEYS, *TABLE_SECRET_KEYS}
    configure_logs("casino", level="DEBUG", secret_keys=keys, stream=stream)
    yield stream
    root.handlers[:] = handlers
    root.setLevel(level)
    structlog.reset_defaults()


_HANDS = "/v1/rooms/r1/hands"


class Prowler:
    """Reads everything that the public can read."""

    def __init__(self, town: CasinoHarness, lobby: LiveLobby) -> None:
        self._town = town
        self._lobby = lobby
        self.found: list[Any] = []
        self.texts: list[str] = []

    async def prowl(self) -> None:
        """Look in once, wherever the hand stands."""
        async with self._town.http() as http:
            for path in ("/v1/rooms", "/v1/rooms/r1", f"{_HANDS}?order=newest", "/v1/tables"):
                self.found.append((await http.get(path)).json())
            self.texts.append((await http.get("/metrics")).text)
        for path in ("/v1/rooms/r1/stream", "/v1/stream"):
            async with self._lobby.stream(path) as client:
                self.found += [told.data for told in await client.until(lambda _: True)]

    async def follow(self, room: Client) -> list[Told]:
        """Read a stream to the session's end, and look in now and then."""
        streamed: list[Told] = []
        while not streamed or not is_finished(streamed[-1]):
            streamed += await room.until(lambda _: True)
            if len(streamed) % 500 == 0:
                await self.prowl()
        return streamed

    async def read_all(self) -> list[dict[str, Any]]:
        """Read all events, page by page."""
        events: list[dict[str, Any]] = []
        async with self._town.http() as http:
            while True:
                path = f"/v1/rooms/r1/events?after={len(events)}&limit=5000"
                page = (await http.get(path)).json()
                if not page["events"]:
                    return events
                events += page["events"]
                self.found.append(page)

    async def read_hands(self) -> None:
        """Read every hand, as the page does for its graph and its replays."""
        after = ""
        async with self._town.http() as http:
            while True:
                page = (await http.get(f"{_HANDS}?limit=1000{after}")).json()
                self.found.append(page)
                for hand in page["hands"]:
                    self.found.append((await http.get(f"{_HANDS}/{hand['handNumber']}")).json())
                if "next" not in page:
                    return
                after = f"&after={page['next']}"


def is_finished(told: Told) -> bool:
    """Tell whether the session is over."""
    event = told.data.get("event", {})
    return bool((event.get("payload") or {}).get("kind") == "finished")


@pytest.mark.timeout(600)
async def test_no_card_that_was_not_shown_is_in_anything_public(log: io.StringIO) -> None:
    """Streams, snapshots, pages, metrics and logs, while it is played and afterwards."""
    town = CasinoHarness(
        transport=DirectTransport(),
        new_secret=lambda: SECRET,
        operator_token=TOKEN,
        stream_behind=100_000,  # it is played faster than records are made
    )
    async with town.tables.running(), town.lobby.running():
        operator = Operator(town)
        rules: dict[str, Any] = {
            "maxHands": HANDS,
            "maxSeats": PLAYERS,
            "rebuy": "auto",
            "seed": SEED,
        }
        await operator.open(**rules)
        async with live(town.lobby, town.store) as lobby:
            prowler, path = Prowler(town, lobby), "/v1/rooms/r1/stream"
            async with (
                lobby.stream(path) as room,
                lobby.stream("/v1/stream") as everything,
                lobby.stream(f"{path}?feed=commentator", token=TOKEN) as commentator,
            ):
                for number in range(PLAYERS):
                    town.player(f"p{number}", lively(f"p{number}"))
                    await operator.seat(f"p{number}")
                streamed, of_lobby, late = await asyncio.gather(
                    prowler.follow(room),
                    everything.until(is_finished),
                    commentator.until(is_finished),
                )
            await prowler.prowl()
            events = await prowler.read_all()
            await prowler.read_hands()
            async with town.http() as http:
                prowler.texts.append((await http.get("/metrics")).text)

    records = [told.data for told in late if told.name == "hand_record"]
    holes: Holes = {
        record["handId"]: {one["playerId"]: set(cards_in(one)) for one in record["holeCards"]}
        for record in records
    }
    assert len(holes) == HANDS
    asked = {
        (one.hand_id, one.player_id): set(one.hole_cards)
        for player in town.players.values()
        for one in player.asked
    }
    assert (
        asked.items()
        <= {
            (hand, who): cards for hand, players in holes.items() for who, cards in players.items()
        }.items()
    )  # the records are right about the cards that were dealt

    auditor = Auditor(holes)
    auditor.learn(events)
    auditor.audit(prowler.found)
    assert auditor.shown > HANDS // 10
    assert auditor.mucked > HANDS
    auditor.audit([told.data for told in (*streamed, *of_lobby)])
    auditor.audit([told.data for told in late if told.name != "hand_record"])
    for line in log.getvalue().splitlines():
        assert cards_in(json.loads(line)) == []
    for text in (*prowler.texts, log.getvalue()):
        auditor.audit_text(text)
        assert '"rank"' not in text
    assert "hand_completed" in log.getvalue()


class TestTheAuditor:
    """It finds what it looks for."""

    @pytest.fixture
    def auditor(self) -> Auditor:
        """Know a hand: p1 folded, p2 and p3 did not."""
        cards = {
            "p1": {Card.from_text("As"), Card.from_text("Ad")},
            "p2": {Card.from_text("Ks"), Card.from_text("Kd")},
            "p3": {Card.from_text("Qs"), Card.from_text("Qd")},
        }
        auditor = Auditor({"t/1": cards})
        fold = {"playerId": "p1", "action": "fold"}
        board = [json.loads(Card.from_text(text).wire()) for text in ("2c", "3c", "4c")]
        flop = {"kind": "street_dealt", "communityCards": board}
        auditor.learn(
            [
                {"eventType": kind, "handId": "t/1", "message": "", "payload": payload}
                for kind, payload in (("action_taken", fold), ("table_status", flop))
            ]
        )
        return auditor

    def test_what_was_shown_is_fine(self, auditor: Auditor) -> None:
        """At the end, by those who were left."""
        auditor.audit({"event": completed("p2", "Ks", "Kd")})

    @pytest.mark.parametrize(
        "leak",
        [
            {
                "event": {
                    "eventType": "action_taken",
                    "handId": "t/1",
                    "x": {"rank": "K", "suit": "spades"},
                }
            },
            {
                "event": {
                    "eventType": "hand_completed",
                    "handId": "t/1",
                    "payload": {},
                    "x": [{"rank": "5", "suit": "clubs"}],
                }
            },
            {"summary": {"rank": "A", "suit": "spades", "owner": "p1"}},
            {"message": "p1 folds As Ad"},
            {"event": {"eventType": "player_busted", "handId": "t/1", "message": "with Ks Kd"}},
            {"message": "p1 was holding aces"},
            {"config": {"seed": SEED}},
        ],
    )
    def test_what_was_not_is_found(self, auditor: Auditor, leak: Any) -> None:
        """As JSON, as text, too early, or of the deck."""
        with pytest.raises(AssertionError):
            auditor.audit(leak)

    def test_a_folded_hand_that_claims_to_be_shown_is_found(self, auditor: Auditor) -> None:
        """It is the fold that counts."""
        with pytest.raises(AssertionError, match="folded"):
            auditor.audit({"event": completed("p1", "As", "Ad")})


def completed(player_id: str, *cards: str) -> dict[str, Any]:
    """Return a hand's end that shows a player's cards."""
    told = [json.loads(Card.from_text(text).wire()) for text in cards]
    shown = [{"playerId": player_id, "cards": told}]
    return {"eventType": "hand_completed", "handId": "t/1", "payload": {"shown": shown}}
