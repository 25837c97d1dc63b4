"""Whatever third parties sign a player up for, its table goes on as before."""

import asyncio
import json
from asyncio import StreamReader, StreamWriter
from collections import Counter
from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest
from support.attack.seated_player import QUESTION, invitation
from support.casino.casino import process_casino
from support.casino.members import Process

INVITATIONS = 10_000
TABLE = "main"


def _invitations(player_id: str) -> Iterator[dict[str, Any]]:
    """Return invitations to the running table and to others, with tokens and names of all kinds."""
    for number in count():
        yield {
            **invitation(TABLE if number % 2 else f"table-{number}", f"{number:032}"),
            "playerId": player_id if number % 3 else f"player-{number}",
            "displayName": "n" * (number % 64),
        }


async def _flood(player: Process, calls: int, player_id: str) -> Counter[bytes]:
    """Send invitations, and questions in the table's name, by 20 lines; counts the status lines."""
    sent = iter(_invitations(player_id))
    statuses = Counter[bytes]()
    host, port = player.url.removeprefix("http://").split(":")

    async def call(line: tuple[StreamReader, StreamWriter], skill: str, data: Any) -> bytes:
        reader, writer = line
        body = json.dumps(data).encode()
        writer.write(
            f"POST /entrypoints/{skill}/invoke HTTP/1.1\r\nhost: {host}:{port}\r\ncontent-type:"
            f" application/json\r\ncontent-length: {len(body)}\r\n\r\n".encode()
            + body
        )
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        await reader.readexactly(int(head.partition(b"content-length: ")[2].split(b"\r\n")[0]))
        return head.split(b"\r\n")[0]

    async def send(share: int) -> None:
        line = await asyncio.open_connection(host, int(port))
        for number in range(share):
            statuses[await call(line, "signup", next(sent))] += 1
            if number % 10 == 0:
                question = {**QUESTION, "tableId": TABLE, "requestId": f"{TABLE}/1:{number}"}
                await call(line, "act", question)
        line[1].close()

    await asyncio.gather(*(send(calls // 20) for _ in range(20)))
    return statuses


@pytest.mark.full
@pytest.mark.timeout(240)
async def test_ten_thousand_invitations_change_no_outcome() -> None:
    """Before the first decision, while it plays, and around a restart of the player."""
    async with process_casino() as casino:
        player = await casino.sample("caller", name="Victim", CASINO_PLAYER_THINK="20ms")
        other = await casino.sample("caller", name="Other")
        await casino.open(TABLE, maxHands=100_000, rebuy="auto", actionTimeoutMs=30_000)
        for one in (player, other):
            assert (await casino.seat(one.cards[0], TABLE)).is_success
        statuses = await _flood(player, INVITATIONS // 4, "player-1")
        assert (await casino.http.post(f"/v1/rooms/{TABLE}/start", json={})).is_success
        await casino.hands(5)
        statuses += await _flood(player, INVITATIONS // 4, "player-1")
        await player.kill()
        await player.start()
        statuses += await _flood(player, INVITATIONS // 2, "player-1")
        await casino.hands(20)
        await casino.close(TABLE)
        assert statuses == {b"http/1.1 200 ok": INVITATIONS}
        outcomes = await casino.outcomes()
        assert {outcome for of_player in outcomes.values() for outcome in of_player} == {"ok"}
        await casino.audit()
