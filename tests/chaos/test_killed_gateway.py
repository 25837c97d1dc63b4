"""A gateway that is killed while its seats play: nobody waits longer than a clock, or acts twice.

`make chaos ROUNDS=20` kills it twenty times in 200 hands; CASINO_CHAOS_SEED repeats a run.
"""

import asyncio
import os
import random
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

import httpx
import pytest
from casino_contracts import HOLDEM, TableEvent
from support.casino.auditor import Auditor
from support.gateway.live_gateway import LiveGateway, OutsideSeat, live_gateway

KILLS = min(20, int(os.environ.get("CASINO_CHAOS_ROUNDS", "3")))
SEED = int(os.environ.get("CASINO_CHAOS_SEED", str(random.SystemRandom().randrange(2**32))))
HANDS_BETWEEN = 10
HANDS = HANDS_BETWEEN * KILLS
CLOCK_MS = 8_000
ROOM = "main"
RULES = {
    "maxHands": HANDS,
    "maxSeats": 3,
    "actionTimeoutMs": CLOCK_MS,
    "maxTimeouts": 10_000,  # nobody sits out
}

pytestmark = [pytest.mark.long, pytest.mark.timeout(120 + 60 * KILLS)]


class Guest:
    """A client that plays by chance, and sends every action a second time."""

    def __init__(self, seat: OutsideSeat) -> None:
        self.seat = seat
        self.chosen: list[tuple[int, str]] = []
        """Turn and action of all that was sent; after a lost answer a turn may be there twice."""
        self.accepted: list[int] = []
        """Turns whose action was accepted."""
        self._dice = random.Random(f"{SEED}:{seat.agent_id}")

    async def play(self) -> None:
        """Play until the session is over."""
        while True:
            try:
                state = await self.seat.state()
                if state["status"] == "ended":
                    return
                if state["stage"] == "act":
                    await self._act(state)
                else:
                    await asyncio.sleep(0.01)  # it polls
            except httpx.TransportError:
                await asyncio.sleep(0.05)  # the gateway is away

    async def _act(self, state: dict[str, Any]) -> None:
        turn, offers = state["turn"], state["state"]["data"]["available_actions"]
        offer = self._dice.choice(offers)
        amount = {"amount": offer["min"]} if "min" in offer else {}
        self.chosen.append((turn, offer["action_type"]))
        response = await self.seat.act(offer["action_type"], turn=turn, **amount)
        if response["status"] != "success":  # answered before it was killed, or too late
            assert response["data"]["code"] in {"STALE_TURN", "NOT_YOUR_TURN"}, response
            return
        self.accepted.append(turn)
        again = await self.seat.act(offer["action_type"], turn=turn, **amount)
        assert again["status"] == "error", again


async def kill_often(live: LiveGateway) -> None:
    dice = random.Random(SEED)
    for number in range(KILLS):
        while await hands(live) < number * HANDS_BETWEEN + HANDS_BETWEEN // 2:
            await asyncio.sleep(0.02)
        await asyncio.sleep(dice.uniform(0, 0.1))  # anywhere in the hand
        await live.kill()
        await live.start()


async def hands(live: LiveGateway) -> int:
    """Return how many hands the room has completed."""
    room = await live.casino.room(ROOM)
    return room.summary.hand_count if room.summary else 0


async def test_a_gateway_killed_again_and_again() -> None:
    """Seats and tokens stay valid, hands keep to their clocks, and every chip is there."""
    async with live_gateway() as live:
        await live.open(ROOM, HOLDEM, **RULES)
        guests = [Guest(await live.sit(ROOM, name)) for name in ("Ada", "Bela")]
        playing = [asyncio.ensure_future(guest.play()) for guest in guests]
        assert (await live.casino.seat(live.bot, ROOM)).status_code == 201
        try:
            await asyncio.gather(kill_often(live), *playing)
        except BaseException as error:
            error.add_note(f"CASINO_CHAOS_SEED={SEED}")
            raise
        for guest in guests:
            assert (await guest.seat.state())["agent_id"] == guest.seat.agent_id
        audit = await Auditor(live.casino.http).read_room(ROOM)
        events = await live.casino.events(ROOM)
    assert (len(audit.completed), audit.epoch) == (HANDS, 1)
    of_player = dict(taken_by_player(events))
    for guest in guests:
        taken = of_player[guest.seat.agent_id]
        assert len(guest.accepted) == len(set(guest.accepted)), f"seed {SEED}"
        assert len(taken) <= len({turn for turn, _ in guest.chosen}), f"seed {SEED}"
        assert is_in_order(taken, [action for _, action in guest.chosen]), f"seed {SEED}"
        assert len(taken) > HANDS // 2, f"seed {SEED}: mostly defaults"
    assert_within_clocks(events)


def taken_by_player(events: Iterable[TableEvent]) -> Iterator[tuple[str, list[str]]]:
    """Return the actions that each player chose, without defaults."""
    taken: dict[str, list[str]] = defaultdict(list)
    for event in events:
        payload = event.payload or {}
        if event.event_type == "action_taken" and payload["outcome"] in {"ok", "retried"}:
            taken[payload["playerId"]].append(payload["action"])
    yield from taken.items()


def is_in_order(some: list[str], longer: list[str]) -> bool:
    rest = iter(action.casefold() for action in longer)
    return all(action.casefold() in rest for action in some)


def assert_within_clocks(events: Iterable[TableEvent]) -> None:
    """Check that no answer counted after its clock, and that every turn had one decision."""
    turns = [event.payload or {} for event in events if event.event_type == "action_taken"]
    late = [turn for turn in turns if turn["outcome"] == "ok" and turn["latencyMs"] > CLOCK_MS]
    assert not late, (SEED, late)
    assert {turn["outcome"] for turn in turns} <= {"ok", "retried", "timeout", "unreachable"}, SEED
