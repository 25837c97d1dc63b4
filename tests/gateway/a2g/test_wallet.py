"""Bookings of a login: made from the table's events, and kept over a restart."""

from pathlib import Path
from typing import Any

from support.gateway.a2g_side import A2gSide, a2g_side
from support.gateway.seat_side import event
from support.processes import eventually

SEAT = {"playerId": "ada", "seatNumber": 0, "displayName": "Ada", "stack": 50}


def hand(side: A2gSide, sequence: int, stack: float) -> None:
    stacks = [{"playerId": "ada", "stack": stack}, {"playerId": "bob", "stack": 1}]
    payload = {"handNumber": sequence, "stacks": stacks}
    side.side.room.take(event(sequence, "hand_completed", payload))


async def booked(side: A2gSide, token: str, count: int) -> dict[str, Any]:
    """Return the transactions, once there are as many: they are booked behind the events."""

    async def all_booked() -> dict[str, Any]:
        page: dict[str, Any] = (await side.get("/api/wallet/transactions", token)).json()
        return page if len(page["transactions"]) >= count else {}

    return await eventually(all_booked)


def rows_of(page: dict[str, Any]) -> list[tuple[str, float, float]]:
    """Return what was booked, newest first."""
    return [(row["type"], row["amount"], row["balance"]) for row in page["transactions"]]


async def test_the_wallet_has_real_bookings(tmp_path: Path) -> None:
    """A buy-in, hands won and lost, a cash-out: newest first, by page and time."""
    async with a2g_side(tmp_path) as side:
        token = await side.seated()
        async with side.client() as client:
            await client.sign_in(token)
            side.side.room.take(event(1, "player_registered", SEAT))
            hand(side, 2, 60)
            hand(side, 3, 60)
            hand(side, 4, 12.5)
            left = {"status": "idle", "kind": "left", "playerId": "ada", "stack": 12.5}
            side.side.room.take(event(5, "table_status", left))
            side.seat.close("left")
            await client.until("seat_closed")
        page = await booked(side, token, 4)
        assert rows_of(page) == [
            ("withdrawal", 12.5, 0),
            ("game_loss", 47.5, 12.5),
            ("game_win", 10, 60),
            ("deposit", 50, 50),
        ]
        assert {row["tableId"] for row in page["transactions"]} == {"room"}
        assert page["transactions"][0]["onChainTxHash"] is None
        part = (await side.get("/api/wallet/transactions?limit=1&offset=2", token)).json()
        assert [row["type"] for row in part["transactions"]] == ["game_win"]
        assert (part["total"], part["limit"], part["offset"]) == (4, 1, 2)
        day = {"startDate": "2026-01-01T00:00:03Z", "endDate": "2026-01-01T00:00:05Z"}
        some = (await side.get("/api/wallet/transactions", token, params=day)).json()
        assert [row["type"] for row in some["transactions"]] == ["game_loss"]
        for wrong in ("limit=201", "limit=0", "limit=x", "offset=-1", "startDate=soon"):
            reply = await side.get(f"/api/wallet/transactions?{wrong}", token)
            assert reply.status_code == 400
            assert reply.json()["message"].startswith(f"{wrong.partition('=')[0]}: must be")
        other = await side.guest()
        assert (await side.get("/api/wallet/transactions", other)).json()["total"] == 0
        withdrawn = await side.post("/api/wallet/withdraw", token, {})
        assert (withdrawn.status_code, withdrawn.json()["code"]) == (403, "NOT_SUPPORTED")
        assert (await side.get("/api/wallet/config", token)).json()["withdrawalsEnabled"] is False


async def test_logins_and_bookings_last_over_a_restart(tmp_path: Path) -> None:
    """The token is valid, and each event is booked once, also one that came meanwhile."""
    async with a2g_side(tmp_path) as side:
        token = await side.seated()
        async with side.client() as client:
            before = (await client.sign_in(token))["sequence"]
        side.side.room.take(event(1, "player_registered", SEAT))
        hand(side, 2, 60)
        await booked(side, token, 2)
    hand(side, 3, 55)
    owner = side.seat.identity.owner
    async with a2g_side(tmp_path, side=side.side, owners=[owner]) as side:
        hand(side, 4, 58)
        assert rows_of(await booked(side, token, 4)) == [
            ("game_win", 3, 58),
            ("game_loss", 5, 55),
            ("game_win", 10, 60),
            ("deposit", 50, 50),
        ]
        async with side.client() as client:
            after = await client.sign_in(token)
            assert after["sequence"] > before
            assert after["payload"]["playerIds"] == ["ada"]
            assert after["payload"]["balance"]["locked"] == 58
