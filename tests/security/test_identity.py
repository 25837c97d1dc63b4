"""Every entrypoint refuses every wrong caller over every binding."""

from collections.abc import AsyncIterator
from typing import Any

import orjson
import pytest
import pytest_asyncio
from casino.attack.attack_base import by_admission
from casino.attack.attack_target import AttackedAgent, Token
from casino.attack.binding_calls import BINDINGS, CAPABILITY, Depth, TriedBinding
from casino.attack.forgery_attacks import OURS
from casino_contracts import RoomKey
from support.attack.forged_calls import AT_LOBBY, AT_TABLE, LOBBY
from support.attack.undefended import OpenLobby, OpenTable
from support.casino.keyed_casino import FLEET_KEY, OPERATOR_KEY, KeyedCasino, keyed_casino

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def casino() -> AsyncIterator[KeyedCasino]:
    """Run two rooms of two players each, who have played a hand."""
    async with keyed_casino() as casino:
        await casino.play_two_rooms(hands=1)
        yield casino


def _wrong_callers(casino: KeyedCasino, role: str) -> list[Token]:
    """Return all callers that are refused; `role` is the caller whose token is right."""
    mine, other = casino.key("r1"), casino.key("r2")
    next_one = RoomKey.of_epoch(casino.stored("r1").secret, 2)
    tokens = {
        "nobody": None,
        "a player with its seat token": casino.seat_token("player-1"),
        "the other player's seat token": casino.seat_token("player-2"),
        "the other room's table right": other.table,
        "the other room's events right": other.events,
        "the room key itself": mine.secret,
        "another epoch's table right": next_one.table,
        "another epoch's events right": next_one.events,
        "a key that the caller made": RoomKey(OURS).table,
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


def _fitting(token: Token, binding: TriedBinding) -> Token:
    """Return a token that is cut to the length of an address, where it stands in one."""
    if token.value is None or not binding.name.startswith(CAPABILITY):
        return token
    return token._replace(value=token.value[:60_000])


async def _all_refused(
    casino: KeyedCasino,
    agent: AttackedAgent,
    calls: dict[str, tuple[str, Any]],
    role: str,
    binding: TriedBinding,
) -> None:
    for name, (skill, data) in calls.items():
        for token in _wrong_callers(casino, role):
            shown = _fitting(token, binding)
            reply = (await casino.target.call(agent, skill, data, shown, binding)).reply
            where = f"{name}, {token.name}, {binding.name}: {reply}"
            if reply.depth is Depth.ABSENT:
                assert binding.name.startswith("streaming"), where
                continue
            assert reply.depth is Depth.DENIED, where
            is_unknown = token.value is None or len(token.value) > 512
            is_unknown = is_unknown and not binding.name.startswith(CAPABILITY)
            if name.startswith("record") or not is_unknown:
                assert reply.reason in {"FORBIDDEN", "UNAUTHORIZED"}, where
            else:
                assert reply.reason == "UNAUTHORIZED", where


@pytest.mark.parametrize("binding", BINDINGS, ids=lambda binding: binding.name)
class TestTheMatrix:
    async def test_a_table_obeys_only_the_lobby_of_its_room(
        self, casino: KeyedCasino, binding: TriedBinding
    ) -> None:
        await _all_refused(casino, casino.table(), AT_TABLE, "table right", binding)
        room = await casino.operator().room()
        assert room.summary is not None
        assert (room.epoch, len(room.summary.players), room.summary.status) == (1, 2, "idle")

    async def test_events_come_only_from_the_rooms_table(
        self, casino: KeyedCasino, binding: TriedBinding
    ) -> None:
        """With and without numbers, and as a batch; and the lobby's part in the deal."""
        skills = {"recordGameEvent", "contribute"}
        events = {name: call for name, call in AT_LOBBY.items() if call[0] in skills}
        await _all_refused(casino, LOBBY, events, "events right", binding)

    async def test_announcements_come_only_with_the_fleet_key(
        self, casino: KeyedCasino, binding: TriedBinding
    ) -> None:
        calls = {"registerTable": AT_LOBBY["registerTable"]}
        await _all_refused(casino, LOBBY, calls, "fleet key", binding)

    async def test_commands_come_only_with_the_operator_key(
        self, casino: KeyedCasino, binding: TriedBinding
    ) -> None:
        names = ("createRoom", "registerPlayer", "leaveRoom", "startRoom")
        calls = {name: AT_LOBBY[name] for name in names}
        await _all_refused(casino, LOBBY, calls, "operator key", binding)
        assert casino.store.room("m") is None


class TestTheRightOne:
    async def test_the_rooms_lobby_is_admitted_at_the_table(self, casino: KeyedCasino) -> None:
        right = casino.key().table
        for binding in BINDINGS:
            reply = await casino.call(
                casino.table(), "leaveTable", {"playerId": "nobody"}, right, binding
            )
            if reply.depth is not Depth.ABSENT:
                assert reply.reason == "UNKNOWN_PLAYER", binding.name
        record = await casino.call(casino.table(), "handRecord", {"handId": "r1/1"}, right)
        assert record.depth is Depth.ANSWERED

    async def test_each_role_is_admitted_at_the_lobby(self, casino: KeyedCasino) -> None:
        nobody = {"roomId": "r1", "playerId": "nobody"}
        here = {"agentCardUrl": casino.table_card(1), "tableId": "r1", "epoch": 1}
        calls: tuple[tuple[str, Any, str, str], ...] = (
            (*AT_LOBBY["recordGameEvent with numbers"], casino.key().events, "SEQUENCE_GAP"),
            ("leaveRoom", nobody, OPERATOR_KEY, "UNKNOWN_PLAYER"),
            ("registerTable", here, FLEET_KEY, ""),
        )
        for skill, data, token, reason in calls:
            reply = await casino.call(LOBBY, skill, data, token)
            assert reply.was_let_in, skill
            assert reply.reason == reason


class TestSummaries:
    @pytest.mark.parametrize("binding", BINDINGS, ids=lambda binding: binding.name)
    async def test_others_see_of_a_table_what_its_lobby_publishes(
        self, casino: KeyedCasino, binding: TriedBinding
    ) -> None:
        for token in _wrong_callers(casino, "table right"):
            shown = _fitting(token, binding)
            one = await casino.target.call(casino.table(), "tableSummary", {}, shown, binding)
            if one.reply.depth is Depth.ABSENT:
                continue
            assert one.reply.depth is Depth.ANSWERED
            summary = one.reply.data
            assert not {"sequence", "keptFrom"} & summary.keys()
            published = (await casino.operator().room()).summary
            assert published is not None
            names = published.model_dump(mode="json").keys() | {"epoch"}
            assert summary.keys() <= names
            assert summary["players"] == published.model_dump(mode="json")["players"]
        own = await casino.call(casino.table(), "tableSummary", {}, casino.key().table, binding)
        if own.depth is Depth.ANSWERED:
            assert len(own.data["players"]) == 2


async def test_every_rule_is_in_the_card(casino: KeyedCasino) -> None:
    """A skill without a security scheme is public."""
    public = {"tables": {"tableSummary"}, "lobby": {"listRooms", "recordTableEvents"}}
    for origin, names in public.items():
        base = "/tables/1" if origin == "tables" else ""
        url = f"http://{origin}{base}/.well-known/agent-card.json"
        card = orjson.loads((await casino.traffic.send("GET", url)).body)
        open_ones = {one["id"] for one in card["skills"] if not one.get("securityRequirements")}
        assert open_ones == names
        schemes = card["securitySchemes"].values()
        assert {one["httpAuthSecurityScheme"]["scheme"] for one in schemes} == {"Bearer"}


class TestWithoutTheRules:
    """The matrix notices a table and a lobby that admit everybody."""

    async def test_an_open_table_admits_everybody(self) -> None:
        rules = OpenTable("configuring", "seating", "playing", "recording")
        async with keyed_casino(table_rules=rules) as casino:
            await casino.play_two_rooms(hands=1)
            for name in ("seat", "start", "unseat", "record", "close"):
                skill, data = AT_TABLE[name]
                one = await casino.target.call(casino.table(), skill, data)
                assert by_admission([one]).has_succeeded, name

    async def test_an_open_lobby_admits_everybody(self) -> None:
        rules = OpenLobby("commanding", "announcing", "recording", "contributing")
        async with keyed_casino(lobby_rules=rules) as casino:
            await casino.play_two_rooms(hands=1)
            for name, (skill, data) in AT_LOBBY.items():
                one = await casino.target.call(LOBBY, skill, data)
                assert by_admission([one]).has_succeeded, name
