"""Boardgame Protocol clients, written from the document alone, play at the gateway."""

import json
import os
from collections.abc import AsyncIterator, Iterable
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio
from foreign.gateway_rooms import decisions, open_room, record, seat, start_with
from jsonschema import Draft7Validator, Draft202012Validator, FormatChecker
from jsonschema.protocols import Validator
from support.gateway.live_gateway import LiveGateway, live_gateway
from support.players.foreign import FOREIGN, boardgame_client, some_are_prepared
from support.processes import PATIENCE_S

pytestmark = [
    pytest.mark.foreign,
    pytest.mark.full,
    pytest.mark.asyncio(loop_scope="module"),
]

ORGANISATION = "https://raw.githubusercontent.com/Boardgame-Protocol/json-schemas/c297f65/"
FILES = {
    "get_state": "requests/get_state.json",
    "perform_action": "requests/perform_action.json",
    "get_state_response": "responses/get_state.json",
    "perform_action_response": "responses/perform_action.json",
    "push_event": "responses/push_event.json",
}
OWN = FOREIGN / "boardgame_client"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def live() -> AsyncIterator[LiveGateway]:
    """Run a lobby, a gateway and tables."""
    some_are_prepared()
    async with live_gateway() as live:
        await live.casino.host_tables(3)
        yield live


async def organisations_schemas(directory: Path) -> Path | None:
    """Return a directory with the organisation's own schemas, or None where they are out of reach.

    They have no licence, so they are not kept here. `BOARDGAME_SCHEMAS` names a copy of
    `schemas/1.0.0` of its repository; else they are downloaded.
    """
    copy = os.environ.get("BOARDGAME_SCHEMAS")
    if copy is not None:
        return Path(copy)
    try:
        async with httpx.AsyncClient(base_url=ORGANISATION, timeout=PATIENCE_S) as http:
            for file in FILES.values():
                schema = (await http.get(f"schemas/1.0.0/{file}")).raise_for_status()
                (directory / file).parent.mkdir(exist_ok=True)
                (directory / file).write_bytes(schema.content)
    except httpx.HTTPError:
        return None
    return directory


def validated(messages: Iterable[dict[str, Any]], validators: dict[str, Validator]) -> set[str]:
    """Validate messages by jsonschema; returns the names of their kinds."""
    seen = set()
    for message in messages:
        name = message.get("type", "push_event")
        validators[name].validate(message)
        seen.add(name)
    return seen


def is_faultless(counted: dict[str, Any]) -> None:
    """Check that the client was refused nothing, and found every message as it has to be."""
    assert (counted["errors"], counted["refused"], counted["violations"]) == ({}, {}, [])
    assert counted["gaps"] == 0
    assert counted["status"] == "ended"


async def test_it_plays_by_push_over_lost_connections(live: LiveGateway, tmp_path: Path) -> None:
    """Every tenth decision loses the socket; no push is lost or doubled, no decision either."""
    await open_room(live.casino, "push", "leduc_poker", maxHands=50, maxSeats=2)
    await seat(live.casino, "push", live.bot)
    client = boardgame_client(
        live.url, "Push", "push", "leduc_poker", dump=tmp_path / "dump", drop_every=10
    )
    counted = await client.beside(start_with(live.casino, "push", 2))
    is_faultless(counted)
    assert counted["hands"] == 50
    assert counted["reconnects"] >= 5
    events = await record(live.casino, "push", 50)
    assert decisions(events)["Push"] >= counted["decisions"]
    own = json.loads((OWN / "seed.json").read_text())
    seen = validated(client.messages(), {name: Draft202012Validator(own[name]) for name in own})
    assert seen == own.keys() - {"error"}


async def test_the_strict_dialect_is_the_organisations(live: LiveGateway, tmp_path: Path) -> None:
    """Fifty hands pass the organisation's own schemas in ajv and in jsonschema."""
    schemas = await organisations_schemas(tmp_path)
    await open_room(live.casino, "strict", "texas-holdem", maxHands=50, maxSeats=2)
    await seat(live.casino, "strict", live.bot)
    options: dict[str, Any] = {} if schemas is None else {"schemas": schemas}
    client = boardgame_client(
        live.url,
        "Strict",
        "strict",
        "texas-holdem",
        dump=tmp_path / "dump",
        dialect="strict",
        subprotocol=True,
        **options,
    )
    counted = await client.beside(start_with(live.casino, "strict", 2))
    is_faultless(counted)
    assert counted["hands"] == 50
    await record(live.casino, "strict", 50)
    if schemas is None:
        own = json.loads((OWN / "strict.json").read_text())
    else:
        own = {name: json.loads((schemas / file).read_text()) for name, file in FILES.items()}
    checker = FormatChecker()
    seen = validated(
        client.messages(),
        {name: Draft7Validator(schema, format_checker=checker) for name, schema in own.items()},
    )
    assert seen == FILES.keys()
