"""A lobby replaces a table by a new epoch."""

from support.table.table_harness import TableHarness
from support.table.table_side import calling, configuring


async def test_a_takeover_continues_with_the_lobby_s_stacks() -> None:
    """Seats and numbers are the request's; the running hand is cancelled, nothing is bought."""
    harness = TableHarness()
    await harness.begin()
    for _ in range(2):
        harness.add_player(calling)
    given = {
        "epoch": 2,
        "seats": [
            {
                "playerId": name,
                "displayName": name,
                "seatNumber": number,
                "stack": 150 + 100 * number,
                "agentCardUrl": f"http://{name}",
            }
            for number, name in enumerate(("p0", "p1"))
        ],
        "continuation": {
            "handNumber": 7,
            "handCount": 6,
            "bigBlindSeat": 0,
            "cancelledHand": 7,
        },
    }
    summary = await harness.host.configure(configuring(**given))
    assert (summary.epoch, summary.hand_count, summary.sequence) == (2, 6, 2)
    await harness.play(maxHands=2)
    (cancelled,) = harness.events("hand_cancelled")
    assert cancelled.payload is not None
    assert cancelled.payload["handNumber"] == 7
    first, second = harness.events("hand_started")
    assert first.payload is not None
    assert second.payload is not None
    assert (first.payload["handNumber"], second.payload["handNumber"]) == (8, 9)
    assert [seat["stack"] for seat in first.payload["players"]] == [150, 250]
    assert first.payload["posted"][-1]["playerId"] == "p1"
    assert not harness.events("player_registered", "rebought")
