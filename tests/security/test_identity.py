"""Who may call what: every entrypoint, every wrong caller, every way to write the call."""

from collections.abc import AsyncIterator
from typing import Any

import orjson
import pytest
import pytest_asyncio
from casino.attack.attacks.reply import Depth
from casino.attack.bindings import BINDINGS, CAPABILITY, Binding
from casino.attack.judge import by_admission
from casino.attack.target import Agent, Token
from casino_agentkit import ANYONE, InvalidSettings
from casino_agentkit import Agent as KitAgent
from casino_contracts import RoomKey
from casino_lobby.domain.epoch import begin_epoch
from casino_table.settings import TableSettings
from support.attack.undefended import OpenLobby, OpenTable
from support.casino.keyed_casino import CASINO, FLEET_KEY, OPERATOR_KEY, KeyedCasino, keyed_town
from support.players.sample_agent import Question, Reply
from support.table.table_side import CONFIG

MALLORY = "the-key-that-mallory-made"
CALLBACK = {
    "agentCardUrl": "http://mallory/.well-known/agent-card.json",
    "eventSkill": "recordGameEvent",
    "secret": MALLORY,
}
RULES = {name: value for name, value in CONFIG.items() if name != "seed"}
CONFIGURATION = {
    "tableId": "r1",
    "casinoName": CASINO,
    "config": RULES,
    "epoch": 1,
    "casinoCallback": CALLBACK,
}
HIGHER = {
    **CONFIGURATION,
    "epoch": 8,
    "seats": [
        {
            "playerId": "m",
            "displayName": "M",
            "seatNumber": 0,
            "stack": 9_000_000,
            "agentCardUrl": "http://mallory/",
        }
    ],
}
AT_TABLE: dict[str, tuple[str, Any]] = {
    "configureTable with a callback": ("configureTable", CONFIGURATION),
    "configureTable with a higher epoch": ("configureTable", HIGHER),
    "registerPlayer": (
        "registerPlayer",
        {
            "playerId": "m",
            "displayName": "M",
            "agentCardUrl": "http://mallory/",
            "actionSkill": "act",
            "startingStack": 200,
        },
    ),
    "startGame": ("startGame", {"maxHands": 5}),
    "leaveTable": ("leaveTable", {"playerId": "player-1"}),
    "handRecord": ("handRecord", {"handId": "r1/1"}),
    "handRecord of no hand": ("handRecord", {"handId": "r1/99"}),
    "closeTable": ("closeTable", {}),
}
EVENT = {
    "tableId": "r1",
    "eventType": "table_status",
    "message": "Mallory was here",
    "timestamp": "2026-01-01T00:00:00.000Z",
    "payload": {"status": "idle", "kind": "closed"},
}
AT_LOBBY: dict[str, tuple[str, Any]] = {
    "createRoom": ("createRoom", {"roomId": "m", "config": RULES}),
    "registerPlayer": ("registerPlayer", {"roomId": "r1", "agentCardUrl": "http://mallory/"}),
    "leaveRoom": ("leaveRoom", {"roomId": "r1", "playerId": "player-1"}),
    "startRoom": ("startRoom", {"roomId": "r1", "overrides": {"bigBlind": 1_000_000}}),
    "registerTable": ("registerTable", {"agentCardUrl": "http://mallory/"}),
    "recordGameEvent": ("recordGameEvent", EVENT),
    "recordGameEvent with numbers": ("recordGameEvent", {**EVENT, "epoch": 1, "sequence": 999}),
    "recordGameEvent as a batch": (
        "recordGameEvent",
        {"events": [{**EVENT, "epoch": 1, "sequence": 999}]},
    ),
}
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


pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def town() -> AsyncIterator[KeyedCasino]:
    """Run two rooms of two players each, who have played a hand."""
    async with keyed_town() as running:
        await _play(running)
        yield running


async def _play(town: KeyedCasino) -> None:
    await town.play("r1", 1, "ada", "bob", maxHands=1)
    await town.play("r2", 2, "cleo", "dan", maxHands=1)


def _wrong_callers(town: KeyedCasino, role: str) -> list[Token]:
    """Return everybody who may not call: `role` is whose right would be the right one."""
    mine, other = town.key("r1"), town.key("r2")
    next_one = RoomKey.of_epoch(town.stored("r1").secret, 2)
    tokens = {
        "nobody": None,
        "a player with its seat token": town.seat_token("player-1"),
        "the other player's seat token": town.seat_token("player-2"),
        "the other room's table right": other.table,
        "the other room's events right": other.events,
        "the room key itself": mine.secret,
        "another epoch's table right": next_one.table,
        "another epoch's events right": next_one.events,
        "a key that the caller made": RoomKey(MALLORY).table,
        "garbage": "sesame",
        "a megabyte": "m" * 1024 * 1024,
        "table right": mine.table,
        "events right": mine.events,
        "fleet key": FLEET_KEY,
        "operator key": OPERATOR_KEY,
    }
    if role == "table right":
        del tokens["table right"]
    elif role in tokens:
        del tokens[role]
    return [Token(name, value) for name, value in tokens.items()]


def _fitting(token: Token, binding: Binding) -> Token:
    """Return a token that is no longer than an address may be, where it stands in one."""
    if token.value is None or not binding.name.startswith(CAPABILITY):
        return token
    return token._replace(value=token.value[:60_000])


async def _all_refused(
    town: KeyedCasino,
    agent: Agent,
    calls: dict[str, tuple[str, Any]],
    role: str,
    binding: Binding,
) -> None:
    for name, (skill, data) in calls.items():
        for token in _wrong_callers(town, role):
            shown = _fitting(token, binding)
            reply = (await town.target.call(agent, skill, data, shown, binding)).reply
            where = f"{name}, {token.name}, {binding.name}: {reply}"
            if reply.depth is Depth.ABSENT:
                assert binding.name.startswith("streaming"), where
                continue
            assert reply.depth is Depth.DENIED, where
            is_unknown = token.value is None or len(token.value) > 512
            is_unknown = is_unknown and not binding.name.startswith(CAPABILITY)
            if name.startswith("handRecord") or not is_unknown:
                assert reply.reason in {"FORBIDDEN", "UNAUTHORIZED"}, where
            else:
                assert reply.reason == "UNAUTHORIZED", where


@pytest.mark.parametrize("binding", BINDINGS, ids=lambda binding: binding.name)
class TestTheMatrix:
    """Nobody but the one who may is let in, over no binding."""

    async def test_a_table_with_a_room(self, town: KeyedCasino, binding: Binding) -> None:
        """Obeys the lobby of its room."""
        await _all_refused(town, town.table(), AT_TABLE, "table right", binding)
        room = await town.operator().room()
        assert room.summary is not None
        assert (room.epoch, len(room.summary.players), room.summary.status) == (1, 2, "idle")

    async def test_events_at_the_lobby(self, town: KeyedCasino, binding: Binding) -> None:
        """Come from the room's table."""
        events = {name: call for name, call in AT_LOBBY.items() if "Event" in name}
        await _all_refused(
            town, Agent("the lobby", "http://lobby"), events, "events right", binding
        )

    async def test_announcements_at_the_lobby(self, town: KeyedCasino, binding: Binding) -> None:
        """Come from tables with the fleet key."""
        calls = {"registerTable": AT_LOBBY["registerTable"]}
        await _all_refused(town, Agent("the lobby", "http://lobby"), calls, "fleet key", binding)

    async def test_commands_at_the_lobby(self, town: KeyedCasino, binding: Binding) -> None:
        """Come from the operator."""
        names = ("createRoom", "registerPlayer", "leaveRoom", "startRoom")
        calls = {name: AT_LOBBY[name] for name in names}
        await _all_refused(town, Agent("the lobby", "http://lobby"), calls, "operator key", binding)
        assert town.store.room("m") is None


class TestTheRightOne:
    """Is let in, so that the matrix does not say no to everybody."""

    async def test_at_the_table(self, town: KeyedCasino) -> None:
        """Over every binding."""
        right = town.key().table
        for binding in BINDINGS:
            reply = await town.call(
                town.table(), "leaveTable", {"playerId": "nobody"}, right, binding
            )
            if reply.depth is not Depth.ABSENT:
                assert reply.reason == "UNKNOWN_PLAYER", binding.name
        record = await town.call(town.table(), "handRecord", {"handId": "r1/1"}, right)
        assert record.depth is Depth.ANSWERED

    async def test_at_the_lobby(self, town: KeyedCasino) -> None:
        """Each for its own."""
        lobby = Agent("the lobby", "http://lobby")
        nobody = {"roomId": "r1", "playerId": "nobody"}
        here = {"agentCardUrl": town.table_card(1), "tableId": "r1", "epoch": 1}
        calls: tuple[tuple[str, Any, str, str], ...] = (
            (*AT_LOBBY["recordGameEvent with numbers"], town.key().events, "SEQUENCE_GAP"),
            ("leaveRoom", nobody, OPERATOR_KEY, "UNKNOWN_PLAYER"),
            ("registerTable", here, FLEET_KEY, ""),
        )
        for skill, data, token, reason in calls:
            reply = await town.call(lobby, skill, data, token)
            assert reply.was_let_in, skill
            assert reply.reason == reason


class TestFreeTables:
    """A table without a room."""

    async def test_it_goes_to_the_fleet(self) -> None:
        """And to nobody else."""
        async with keyed_town() as town:
            given = {**CONFIGURATION, "tableId": "mine"}
            for token in (None, "sesame", OPERATOR_KEY, RoomKey(MALLORY).table):
                for binding in BINDINGS:
                    reply = await town.call(town.table(), "configureTable", given, token, binding)
                    is_here = not binding.name.startswith("streaming")
                    assert reply.depth is (Depth.DENIED if is_here else Depth.ABSENT), binding.name
            reply = await town.call(town.table(), "configureTable", given, FLEET_KEY)
            assert reply.depth is Depth.ANSWERED

    async def test_without_a_fleet_key_the_first_to_come_has_it(self) -> None:
        """On loopback; who comes second does not get it while somebody sits there."""
        async with keyed_town(fleet_key=None) as town:
            await town.operator().open()
            town.player("ada")
            await town.operator().seat("ada")
            for given in (CONFIGURATION, HIGHER):
                reply = await town.call(town.table(), "configureTable", given)
                assert reply.depth is Depth.DENIED

    async def test_a_room_that_everybody_left_keeps_its_records(self) -> None:
        """Its hands were played for its lobby alone."""
        async with keyed_town(fleet_key=None) as town:
            await town.play("r1", 1, "ada", "bob", maxHands=2)
            for number in (1, 2):
                await town.operator().http.delete(f"/v1/rooms/r1/players/player-{number}")
            taken = {
                **CONFIGURATION,
                "epoch": 2,
                "continuation": {"handNumber": 2, "handCount": 2},
            }
            await town.call(town.table(), "configureTable", taken)
            key = RoomKey(MALLORY).table
            record = await town.call(town.table(), "handRecord", {"handId": "r1/1"}, key)
            assert record.depth is not Depth.ANSWERED, record.data["holeCards"]

    async def test_beyond_loopback_it_needs_a_fleet_key(self) -> None:
        """Else anybody could have it."""
        with pytest.raises(InvalidSettings, match="CASINO_TABLE_FLEET_KEY"):
            TableSettings.load({"CASINO_TABLE_HOST": "0.0.0.0"})
        given = {"CASINO_TABLE_HOST": "0.0.0.0", "CASINO_TABLE_FLEET_KEY": "k" * 32}
        assert TableSettings.load(given).fleet_key is not None


class TestEpochs:
    """The key of an epoch opens that epoch alone."""

    async def test_the_last_epoch_s_right_is_no_right(self) -> None:
        """At the table that has moved on, and at the lobby."""
        async with keyed_town() as town:
            await _play(town)
            await self._moved_on(town)

    async def _moved_on(self, town: KeyedCasino) -> None:
        room = town.stored()
        old = room.key(1)
        seats, continuation = begin_epoch(room)
        await town.store.save(room)
        given = {
            **CONFIGURATION,
            "config": room.config.model_dump(mode="json"),
            "epoch": 2,
            "seats": [seat.model_dump(mode="json") for seat in seats],
            "continuation": continuation.model_dump(mode="json"),
            "casinoCallback": {
                "agentCardUrl": "http://lobby/.well-known/agent-card.json",
                "eventSkill": "recordGameEvent",
                "secret": room.key(2).secret,
            },
        }
        taken = await town.call(town.table(), "configureTable", given, old.table)
        assert taken.depth is Depth.ANSWERED, taken
        for name, (skill, data) in AT_TABLE.items():
            reply = await town.call(town.table(), skill, data, old.table)
            assert (reply.depth, reply.reason) == (Depth.DENIED, "FORBIDDEN"), name
        for event in (
            {**EVENT, "epoch": 2, "sequence": 999},
            {**EVENT, "epoch": 1, "sequence": 999},
            EVENT,
        ):
            lobby = Agent("the lobby", "http://lobby")
            reply = await town.call(lobby, "recordGameEvent", event, old.events)
            assert reply.reason in {"FORBIDDEN", "STALE_EPOCH"}
        new = await town.call(town.table(), "leaveTable", {"playerId": "x"}, room.key(2).table)
        assert new.reason == "UNKNOWN_PLAYER"


class TestSummaries:
    """What a table tells of itself."""

    @pytest.mark.parametrize("binding", BINDINGS, ids=lambda binding: binding.name)
    async def test_strangers_hear_the_status(self, town: KeyedCasino, binding: Binding) -> None:
        """And nothing else, whatever they show."""
        for token in _wrong_callers(town, "table right"):
            shown = _fitting(token, binding)
            one = await town.target.call(town.table(), "tableSummary", {}, shown, binding)
            if one.reply.depth is Depth.ABSENT:
                continue
            assert one.reply.depth is Depth.ANSWERED
            told = one.reply.data
            assert told.keys() <= {"tableId", "status", "handCount", "players", "state", "epoch"}
            assert told["players"] == []
        own = await town.call(town.table(), "tableSummary", {}, town.key().table, binding)
        if own.depth is Depth.ANSWERED:
            assert len(own.data["players"]) == 2


class TestRest:
    """The lobby's REST commands."""

    async def test_they_need_the_operator_s_key(self) -> None:
        """The same callers are wrong here."""
        async with keyed_town() as town:
            await _play(town)
            await self._all_refused(town)
            assert (await town.operator().room()).state is None

    async def _all_refused(self, town: KeyedCasino) -> None:
        commands: tuple[tuple[str, str, Any], ...] = (
            ("POST", "/v1/rooms", {"roomId": "m", "config": RULES}),
            ("POST", "/v1/rooms/r1/players", {"agentCardUrl": "http://mallory/"}),
            ("POST", "/v1/rooms/r1/start", {"overrides": {"bigBlind": 1_000_000}}),
            ("DELETE", "/v1/rooms/r1/players/player-1", None),
            ("POST", "/v1/rooms/r1/close", {}),
            ("DELETE", "/v1/rooms/r1", None),
        )
        for token in _wrong_callers(town, "operator key"):
            headers = {"authorization": f"Bearer {token.value}"} if token.value else {}
            for method, path, body in commands:
                reply = await town.target.rest(method, path, body, headers)
                assert reply.depth is Depth.DENIED, (token.name, method, path, reply)


class TestDeclaring:
    """An entrypoint says who may call it."""

    async def test_without_a_rule_it_cannot_be_declared(self) -> None:
        """A mistake that is found at the start."""
        agent = KitAgent("A", "a")

        async def ask(question: Question) -> Reply:
            """Answer."""
            return Reply(text=question.topic)

        with pytest.raises(TypeError, match="who"):
            agent.entrypoint("ask")(ask)  # type: ignore[call-arg]
        agent.entrypoint("ask", who=ANYONE)(ask)

    async def test_every_rule_stands_in_the_card(self, town: KeyedCasino) -> None:
        """So that a caller knows what to bring; what has no scheme is public."""
        public = {"tables": {"tableSummary"}, "lobby": {"listRooms"}}
        for origin, names in public.items():
            base = "/tables/1" if origin == "tables" else ""
            url = f"http://{origin}{base}/.well-known/agent-card.json"
            card = orjson.loads((await town.traffic.send("GET", url)).body)
            open_ones = {one["id"] for one in card["skills"] if not one.get("securityRequirements")}
            assert open_ones == names
            schemes = card["securitySchemes"].values()
            assert {one["httpAuthSecurityScheme"]["scheme"] for one in schemes} == {"Bearer"}


class TestWithoutTheRules:
    """The matrix finds a table and a lobby that let everybody in."""

    async def test_a_table(self) -> None:
        """Each of the calls is let in."""
        rules = OpenTable("configuring", "playing", "recording")
        async with keyed_town(table_rules=rules) as town:
            await _play(town)
            for name in ("registerPlayer", "startGame", "leaveTable", "handRecord", "closeTable"):
                skill, data = AT_TABLE[name]
                one = await town.target.call(town.table(), skill, data)
                assert by_admission([one]).has_succeeded, name

    async def test_a_lobby(self) -> None:
        """Each of the calls is let in."""
        rules = OpenLobby("commanding", "announcing", "recording")
        async with keyed_town(lobby_rules=rules) as town:
            await _play(town)
            lobby = Agent("the lobby", "http://lobby")
            for name, (skill, data) in AT_LOBBY.items():
                one = await town.target.call(lobby, skill, data)
                assert by_admission([one]).has_succeeded, name
