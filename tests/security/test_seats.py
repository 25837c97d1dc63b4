"""A player's cards, policy, seat and name are its own."""

import os
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from http import HTTPStatus
from typing import Any

import httpx
import orjson
import pytest
from casino.attack.attacks.question import DECK, last_question
from casino.attack.attacks.reply import Depth
from casino.attack.attacks.seats import remembered
from casino.attack.bindings import BINDINGS
from casino.attack.target import NO_TOKEN, Agent, Token
from casino_agentkit import IdempotencyCache, Service
from casino_contracts import ActionRequest, ActionResponse
from casino_player_example.app import build_app as build_player
from casino_player_example.settings import PlayerSettings
from support.attack.undefended import OpenLobby, OpenTable, SharedMemory, open_player
from support.casino.keyed_casino import OPERATOR_KEY, KeyedCasino, Sent, keyed_town
from support.players.chat_server import ChatServer, sensible
from support.table.table_side import CONFIG, calling

HANDS = int(os.environ.get("CASINO_ORACLE_HANDS", "3"))
"""Hands against each style; 50 of them take some minutes."""
STYLES = ("caller", "equity", "generic", "llm", "maniac", "random", "tight")
THINK = timedelta(milliseconds=40)
CARD = "/.well-known/agent-card.json"
RULES = {name: value for name, value in CONFIG.items() if name != "seed"}
LOBBY = Agent("the lobby", "http://lobby")
KEY = "the-key-of-the-victim"
Json = dict[str, Any]


class Oracle:
    """A player that tries, before each decision of its own, what the other one has in its hand.

    It is given every word that the other was asked, and so is more than any attacker can be: it
    asks again with the very cards, and with others, as everybody whom it can play.
    """

    def __init__(self, town: KeyedCasino) -> None:
        self._town = town
        self._victim = town.player_agent("victim")
        self._asked: list[Json] = []
        self._dice = random.Random(7)
        self.hands: set[str] = set()
        self.tries = 0
        self.answers: list[str] = []
        self.hits: list[str] = []

    async def tap(self, sent: Sent) -> None:
        """Keep a question that the table asked the other player."""
        if sent.url.startswith("http://victim") and b'"act"' in sent.body:
            self._asked.append(_data_of(sent.body))

    async def decide(self, request: ActionRequest) -> ActionResponse:
        """Try everything, then call."""
        asked, self._asked = self._asked[-1:], []
        for question in asked:
            self.hands.add(str(question["handId"]))
            await self._repeat(question)
            await self._probe(question)
        return calling(request)

    async def _repeat(self, question: Json) -> None:
        """Ask the same again: with the very cards over every binding, with others quickly."""
        for token in self._tokens():
            for binding in BINDINGS if token.value is None else BINDINGS[:1]:
                one = await self._town.target.call(self._victim, "act", question, token, binding)
                self._note(one.reply.depth, f"{token.name} over {binding.name}")
        wrong = [_with_cards(question, self._dice.sample(DECK, 2)) for _ in range(4)]
        guesses = [*wrong, question]
        self.hits += [
            str(hit["handId"])
            for hit in await remembered(self._town.target, self._victim, guesses, NO_TOKEN)
            if hit == question
        ]

    async def _probe(self, question: Json) -> None:
        """Ask what it would do with other cards: a new question in the same place."""
        other = _with_cards(question, self._dice.sample(DECK, 2))
        for token in self._tokens():
            given = {**other, "requestId": f"probe-{self.tries}"}
            one = await self._town.target.call(self._victim, "act", given, token)
            self._note(one.reply.depth, f"{token.name} probing")

    def _tokens(self) -> list[Token]:
        own = self._town.players["mallory"].invited[-1].seat_token
        return [NO_TOKEN, Token("its own seat token", own), Token("garbage", "sesame" * 4)]

    def _note(self, depth: Depth, how: str) -> None:
        self.tries += 1
        if depth is Depth.ANSWERED:
            self.answers.append(how)


def _data_of(body: bytes) -> Json:
    parts = orjson.loads(body)["params"]["message"]["parts"]
    found: Json = next(part["data"] for part in parts if "data" in part)
    return found


def _with_cards(question: Json, cards: list[dict[str, str]]) -> Json:
    """Return a question with other hole cards, in whatever words it is."""
    if "holeCards" in question:
        return {**question, "holeCards": cards}
    names = [card["rank"] + card["suit"][0] for card in cards]
    state = {**question["state"], "private": {"hole_cards": names}}
    return {**question, "state": state}


@asynccontextmanager
async def _victim_of(style: str, key: str | None = None) -> AsyncIterator[Service]:
    """Give a sample player as it is delivered, which takes time to think."""
    model = httpx.AsyncClient(transport=httpx.ASGITransport(ChatServer(sensible).app()))
    settings: dict[str, Any] = {"style": style, "name": "Victim", "think": THINK, "key": key}
    if style == "llm":
        settings |= {
            "llm_base_url": "http://model/v1",
            "llm_model": "m",
            "llm_api_key": "k",
        }
    async with model:
        yield build_player(PlayerSettings.model_validate(settings), "http://victim", http=model)


async def _played(town: KeyedCasino, hands: int) -> Oracle:
    """Play heads-up against the victim, and return what the oracle found."""
    oracle = Oracle(town)
    town.player("mallory", oracle.decide)
    town.players["victim"] = town.players["mallory"]  # seated by its name alone
    town.wire.tap = oracle.tap
    await town.play("r1", 1, "victim", "mallory", maxHands=hands, rebuy="auto", maxSeats=2)
    town.wire.tap = None
    return oracle


class TestTheOracle:
    """Asking a player again what it was asked, with guessed cards."""

    @pytest.mark.timeout(900)
    @pytest.mark.parametrize("style", STYLES)
    async def test_it_gets_no_answer_at_all(self, style: str) -> None:
        """Of no style, in no hand, by nobody but the table."""
        async with keyed_town() as town, _victim_of(style) as player:
            town.serve("victim", player)
            oracle = await _played(town, HANDS)
        assert len(oracle.hands) >= max(1, HANDS // 2), "hands in which the victim was asked"
        assert oracle.tries > 10 * len(oracle.hands)
        assert oracle.answers == []
        assert oracle.hits == []

    async def test_without_the_defences_it_knows_the_cards(self) -> None:
        """A player that answers everybody, and remembers for everybody."""
        async with keyed_town() as town:
            memory = SharedMemory(ignoring=("deadlineMs",), size=256)
            town.agent("victim", open_player("Victim", "tight", 5 * THINK, memory))
            oracle = await _played(town, 2)
        assert oracle.answers
        assert len(set(oracle.hits)) == len(oracle.hands) > 0

    async def test_a_memory_of_its_own_for_each_caller_tells_no_cards(self) -> None:
        """Even of a player that answers everybody: what the table was told comes not sooner."""
        async with keyed_town() as town:
            memory = IdempotencyCache(ignoring=("deadlineMs",), size=256)
            town.agent("victim", open_player("Victim", "caller", THINK, memory))
            oracle = await _played(town, 2)
            question = oracle_question(town)
            wrong = [_with_cards(question, [DECK[i], DECK[i + 1]]) for i in range(6)]
            asked = Token("another stranger", "o" * 32)
            found = await remembered(
                town.target, town.player_agent("victim"), [*wrong, question], asked
            )
        assert oracle.answers
        assert found == []

    async def test_an_attacker_can_make_the_question_from_what_is_public(self) -> None:
        """All but the cards, to the letter: so it is the token that keeps the oracle away."""
        async with keyed_town() as town, _victim_of("random") as player:
            town.serve("victim", player)
            asked: list[Json] = []

            async def tap(sent: Sent) -> None:
                if sent.url.startswith("http://victim") and b'"act"' in sent.body:
                    asked.append(_data_of(sent.body))

            town.player("mallory", calling)
            town.players["victim"] = town.players["mallory"]
            town.wire.tap = tap
            rules = {"maxHands": 8, "rebuy": "auto", "maxSeats": 2}
            await town.play("r1", 1, "victim", "mallory", **rules)
            reply = await town.operator().http.get("/v1/rooms/r1/events?limit=5000")
            events = reply.json()["events"]
        made = {}
        for number in range(1, len(events) + 1):
            question = last_question(events[:number], "player-1", "r1")
            if question is not None:
                made[question["requestId"]] = question
        real = {one["requestId"]: one for one in asked}
        assert len(real) > 8
        assert made.keys() == real.keys()
        for request_id, question in made.items():
            hidden = {"deadlineMs": 0, "holeCards": []}
            assert {**question, **hidden} == {**real[request_id], **hidden}


def oracle_question(town: KeyedCasino) -> Json:
    """Return the last question that the table asked the victim."""
    sent = [one for one in town.wire.to("http://victim") if b'"act"' in one.body]
    return _data_of(sent[-1].body)


QUESTION = {
    "tableId": "r1",
    "bettingRound": "preflop",
    "communityCards": [],
    "holeCards": [{"rank": "A", "suit": "spades"}, {"rank": "A", "suit": "hearts"}],
    "pot": 3,
    "minimumRaise": 2,
    "currentBet": 2,
    "playerStack": 198,
    "legalActions": ["fold", "call"],
}


def _invitation(table_id: str, token: str) -> Json:
    return {
        "casinoName": "A2A Casino",
        "tableId": table_id,
        "roomId": table_id,
        "minBuyIn": 40,
        "maxBuyIn": 400,
        "smallBlind": 1,
        "bigBlind": 2,
        "playerId": "player-1",
        "seatToken": token,
    }


@asynccontextmanager
async def _seated_victim(
    style: str = "caller", key: str | None = None, **rules: Any
) -> AsyncIterator[KeyedCasino]:
    """Run a town whose victim sits, and has played, in two rooms."""
    async with keyed_town() as town, _victim_of(style, key) as player:
        town.serve("victim", player)
        seated = f"victim/t/{key}" if key else "victim"  # the address that the operator registers
        town.players[seated] = _unused()
        for number in (1, 2):
            await town.play(f"r{number}", number, seated, f"other{number}", maxHands=1, **rules)
        yield town


def _unused() -> Any:
    """Stand for a player that is served already."""
    return None


class TestQuestions:
    """Whom a player answers."""

    async def test_only_the_table_of_the_seat(self) -> None:
        """Its token opens that table's questions, and those of no other."""
        async with _seated_victim() as town:
            victim = town.player_agent("victim")
            tokens = {room: town.seat_token("player-1", room) for room in ("r1", "r2")}
            for room in ("r1", "r2"):
                for name, token in tokens.items():
                    for binding in BINDINGS:
                        given = {**QUESTION, "tableId": room}
                        reply = await town.call(victim, "act", given, token, binding)
                        if reply.depth is not Depth.ABSENT:
                            is_right = name == room
                            expected = Depth.ANSWERED if is_right else Depth.DENIED
                            assert reply.depth is expected, (room, name, binding.name)
            wrong = (None, town.seat_token("player-2", "r1"), OPERATOR_KEY, "m" * 1024 * 1024)
            for shown in wrong:
                reply = await town.call(victim, "act", QUESTION, shown)
                assert reply.depth is Depth.DENIED

    @pytest.mark.parametrize("key", [KEY, None])
    async def test_no_table_that_it_never_heard_of(self, key: str | None) -> None:
        """What it answers there tells its policy, and costs a language model's tokens.

        Without a key it answers: it may have been restarted since that table signed it up.
        """
        async with _seated_victim(key=key) as town:
            given = {**QUESTION, "tableId": "nowhere"}
            reply = await town.call(town.player_agent("victim"), "act", given)
            assert reply.depth is (Depth.DENIED if key else Depth.ANSWERED)

    @pytest.mark.parametrize("key", [KEY, None])
    async def test_a_stranger_s_invitation_opens_nothing(self, key: str | None) -> None:
        """Without a key it is open to every casino, and a stranger may be one."""
        async with _seated_victim(key=key) as town:
            victim, ours = town.player_agent("victim"), "mallory" * 5
            invited = await town.call(victim, "signup", _invitation("r1", ours))
            asked = await town.call(victim, "act", QUESTION, ours)
            expected = Depth.DENIED if key else Depth.ANSWERED
            assert (invited.depth, asked.depth) == (expected, expected)

    @pytest.mark.parametrize("style", ["caller", "generic"])
    async def test_a_player_with_a_key_asks_for_the_seat_token_too(self, style: str) -> None:
        """Another table to which it was given has the key, but no token of this one."""
        async with _seated_victim(style, KEY) as town:
            asked = [
                _data_of(one.body)
                for one in town.wire.to(f"http://victim/t/{KEY}/")
                if b'"act"' in one.body
            ]
            question = next(one for one in asked if one["tableId"] == "r1")
            public = town.player_agent("victim")
            victim = Agent("victim", f"http://victim/t/{KEY}")
            for token in (None, town.seat_token("player-1", "r2"), "m" * 32):
                reply = await town.call(victim, "act", question, token)
                assert reply.depth is Depth.DENIED, token
            right = town.seat_token("player-1", "r1")
            assert (await town.call(victim, "act", question, right)).depth is Depth.ANSWERED
            assert (await town.call(public, "act", question, right)).depth is Depth.DENIED

    async def test_a_player_with_a_key_says_how_it_is_registered(self) -> None:
        """Where the operator took its public address."""
        async with keyed_town() as town, _victim_of("caller", KEY) as player:
            town.serve("victim", player)
            await town.operator().open("r1", 1, seed=None)
            reply = await town.operator().seat("victim", "r1")
            assert reply.status_code != HTTPStatus.CREATED
            assert "/t/KEY/.well-known/agent-card.json" in reply.text
            assert KEY not in reply.text

    async def test_the_key_of_a_player_that_is_gone_is_not_told(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """In no error, no event and no log."""
        async with _seated_victim(key=KEY, actionTimeoutMs=300, rebuy="auto") as town:
            del town.transport.apps["http://victim"]
            operator = town.operator()
            refused = await operator.seat(f"victim/t/{KEY}", "r2")
            assert not refused.is_success
            await operator.post("/v1/rooms/r1/start")
            await town.until("r1", "idle")
            events = await operator.http.get("/v1/rooms/r1/events?limit=5000")
            assert '"unreachable"' in events.text
            logged = capsys.readouterr()
            for said in (refused.text, events.text, logged.out, logged.err):
                assert KEY not in said

    async def test_strangers_invitations_do_not_displace_the_table(self) -> None:
        """However many come."""
        async with _seated_victim() as town:
            victim = town.player_agent("victim")
            for number in range(8):
                await town.call(victim, "signup", _invitation("r1", f"{number}" * 32))
            reply = await town.call(victim, "act", QUESTION, town.seat_token("player-1", "r1"))
            assert reply.depth is Depth.ANSWERED

    async def test_strangers_invitations_elsewhere_do_not_displace_it(self) -> None:
        """A forgotten table is an open one."""
        async with _seated_victim() as town:
            victim = town.player_agent("victim")
            for number in range(1_001):
                await town.call(victim, "signup", _invitation(f"m{number}", "m" * 32))
            reply = await town.call(victim, "act", QUESTION)
            assert reply.depth is Depth.DENIED


class TestSquatting:
    """Seats are given by the lobby."""

    SEAT: Json = {  # noqa: RUF012  never changed
        "playerId": "mallory",
        "displayName": "Mallory",
        "agentCardUrl": "http://mallory/",
        "actionSkill": "act",
        "startingStack": 200,
    }

    async def test_nobody_sits_down_at_the_table_itself(self) -> None:
        """Past the operator."""
        async with keyed_town() as town:
            await town.play("r1", 1, "ada", "bob", maxHands=1)
            for token in (None, town.seat_token("player-1")):
                reply = await town.call(town.table(), "registerPlayer", self.SEAT, token)
                assert reply.depth is Depth.DENIED
            assert set(town.stored().seats) == {"player-1", "player-2"}

    async def test_without_the_rule_somebody_does(self) -> None:
        """So it is the rule that keeps the seat free."""
        async with keyed_town(table_rules=OpenTable("playing")) as town:
            await town.play("r1", 1, "ada", "bob", maxHands=1)
            reply = await town.call(town.table(), "registerPlayer", self.SEAT)
            assert reply.depth is Depth.ANSWERED


class TestNames:
    """What spectators and other players read."""

    @pytest.mark.parametrize("name", ["ada", "Ada", "\uff41\uff44\uff41", "ada\u200b"])
    async def test_two_that_look_the_same_are_told_apart(self, name: str) -> None:
        """Equal by NFKC and case folding."""
        async with keyed_town() as town:
            operator = town.operator()
            await operator.open(seed=None)
            town.player("ada", calling)
            town.player("twin", calling, displayName=name)
            await operator.seat("ada")
            seated = (await operator.seat("twin")).json()
            assert seated["displayName"] not in {name, name.strip(), "ada"}


class TestRequestIds:
    """The id of a command belongs to its caller."""

    async def test_a_stranger_s_use_of_it_takes_nothing_away(self) -> None:
        """At the lobby and at the table."""
        async with keyed_town() as town:
            command = {"roomId": "r1", "config": RULES, "requestId": "deal:green:1"}
            for binding in BINDINGS[:1]:
                stolen = {**command, "roomId": "mallory"}
                reply = await town.call(LOBBY, "createRoom", stolen, None, binding)
                assert reply.depth is Depth.DENIED
            opened = await town.operator().post("/v1/rooms", command)
            assert opened.status_code == 201
            start = {"maxHands": 1, "requestId": "go"}
            await town.call(town.table(), "startGame", start)
            for name in ("ada", "bob"):
                town.player(name, calling)
                assert (await town.operator().seat(name)).status_code == 201
            right = town.key("r1").table
            started = await town.call(_table_of(town), "startGame", start, right)
            assert started.depth is Depth.ANSWERED
            await town.until("r1", "idle")

    async def test_without_the_rule_it_does(self) -> None:
        """The operator's own command is refused for good."""
        async with keyed_town(lobby_rules=OpenLobby("commanding")) as town:
            command = {"roomId": "r1", "config": RULES, "requestId": "deal:green:1"}
            await town.call(LOBBY, "createRoom", {**command, "roomId": "mallory"})
            opened = await town.operator().post("/v1/rooms", command)
            assert opened.status_code == 422


def _table_of(town: KeyedCasino, room_id: str = "r1") -> Agent:
    url = town.stored(room_id).table_card_url
    return Agent("its table", url.removesuffix(CARD))
