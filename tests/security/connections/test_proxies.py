"""A service without a key is for its own machine, which nobody is whom a proxy passes on."""

from typing import Any

import pytest
from casino_agentkit import Caller, CommandRefused, KeyRule, Scheme
from casino_agentkit.authority import FORWARDED
from casino_gateway.settings import GatewaySettings
from casino_lobby.access.lobby_rules import LobbyRules
from casino_lobby.access.operator import Operator
from casino_lobby.access.request_budget import RequestBudget
from casino_table.table_agent import TableRules
from pydantic import SecretStr
from support.casino.casino_side import casino_harness
from support.casino.store_side import new_room

KEY = "a-key-of-sixteen-characters"
LOCAL = Caller(address="127.0.0.1")
HEADERS = sorted(name.decode() for name in FORWARDED)
HARMLESS = "x-request-id"
"""A header that says nothing of a proxy: as if the defence did not know its header."""


class FreeTable:
    """A table of no room."""

    room_key = None
    is_free = True
    is_quiet = False
    visitors = None

    def record_key(self, hand_id: str) -> None:
        """Return that no hand was played."""


@pytest.mark.parametrize("header", [*HEADERS, HARMLESS])
async def test_a_lobby_without_a_key_obeys_no_proxy(header: str) -> None:
    """Over REST and A2A, for rooms and tables; what everybody may read stays open."""
    is_open = header == HARMLESS
    passed_on = {header.title(): "for=203.0.113.7"}
    async with casino_harness(launch_tables=False) as casino, casino.http() as http:
        await casino.store.add(new_room())
        statuses = {
            (await http.request(method, path, json=body, headers=passed_on)).status_code
            for method, path, body in (
                ("POST", "/v1/rooms", {"roomId": "r2"}),
                ("POST", "/v1/rooms/r1/start", {}),
                ("POST", "/v1/rooms/r1/close", {}),
            )
        }
        assert (403 in statuses) is not is_open
        assert is_open or statuses == {403}
        call = {
            "messageId": "m",
            "role": "ROLE_USER",
            "parts": [{"data": {"roomId": "r1"}}],
            "metadata": {"skillId": "startRoom"},
        }
        body = {"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": {"message": call}}
        said = {**passed_on, "A2A-Version": "1.0"}
        answer = (await http.post("/a2a/jsonrpc", json=body, headers=said)).text
        assert ("Through a proxy" in answer) is not is_open, answer
        assert (await http.get("/v1/rooms", headers=passed_on)).status_code == 200


@pytest.mark.parametrize("is_forwarded", [True, False])
@pytest.mark.parametrize(
    "setting", ["CASINO_TABLE_FLEET_KEY", "CASINO_MATCH_OPERATOR_TOKEN", "CASINO_LOBBY_FLEET_KEY"]
)
def test_tables_and_match_services_neither(setting: str, *, is_forwarded: bool) -> None:
    """The refusal names the key that would admit such callers."""
    match = KeyRule(Scheme("k", "the key"), lambda _: None, "CASINO_MATCH_OPERATOR_TOKEN")
    table = TableRules(FreeTable(), None)
    lobby = LobbyRules(
        Operator(None), None, lambda _table: None, budget=RequestBudget(0, lambda: 0.0)
    )
    rules: dict[str, Any] = {
        "CASINO_LOBBY_FLEET_KEY": [lobby.announcing],
        "CASINO_TABLE_FLEET_KEY": [table.configuring, table.playing, table.seating],
        "CASINO_MATCH_OPERATOR_TOKEN": [match],
    }
    for rule in rules[setting]:
        if not is_forwarded:
            rule.admit(LOCAL, None)
            continue
        with pytest.raises(CommandRefused, match=setting):
            rule.admit(LOCAL._replace(is_forwarded=True), None)


@pytest.mark.parametrize("is_forwarded", [True, False])
def test_where_a_key_is_set_it_decides(*, is_forwarded: bool) -> None:
    """Also through a proxy, whose callers send it."""
    keyed = Caller(KEY, "127.0.0.1", is_forwarded=is_forwarded)
    KeyRule(Scheme("k", "the key"), lambda _: KEY, "CASINO_X").admit(keyed, None)
    TableRules(FreeTable(), KEY).configuring.admit(keyed, None)
    KeyRule(Scheme("k", "the key"), lambda _: None).admit(keyed, None)


@pytest.mark.parametrize(
    ("reached", "may"),
    [
        ({}, True),
        ({"public_url": "http://localhost:4050"}, True),
        ({"host": "0.0.0.0"}, False),
        ({"hosts": ("casino.example",)}, False),
        ({"public_url": "https://casino.example"}, False),
        ({"hosts": ("casino.example",), "create_rooms": True}, True),
        ({"operator_token": SecretStr(KEY)}, False),
    ],
)
def test_a_gateway_lends_nobody_else_the_rights_of_its_machine(
    reached: dict[str, Any], *, may: bool
) -> None:
    """At a lobby without a key it may open rooms; others may through it if the operator says so."""
    assert GatewaySettings(**reached).may_create_rooms is may
