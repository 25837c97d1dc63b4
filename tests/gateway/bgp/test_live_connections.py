"""Rows BGP-22 to BGP-26, BGP-28, BGP-30, BGP-31 of the acceptance page, with real processes."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress

import orjson
import pytest
import pytest_asyncio
from casino_contracts import HOLDEM
from jsonschema import Draft7Validator
from support.gateway.bgp_matches import (
    PATIENCE_S,
    POLLING_S,
    Json,
    Matches,
    message,
    play_out,
    received,
    take_first,
    to_decide,
    until,
)
from support.gateway.live_gateway import OutsideSeat, live_gateway
from support.gateway.strict_schemas import schema_of
from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

pytestmark = [pytest.mark.full, pytest.mark.asyncio(loop_scope="module")]

STRICT = "bgp.schemas-1.0.0"
SUITS = {"c": "clubs", "d": "diamonds", "h": "hearts", "s": "spades"}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def matches() -> AsyncIterator[Matches]:
    """Run a casino with a gateway that thinks nobody is there after two seconds of silence."""
    async with live_gateway({"CASINO_GATEWAY_PRESENCE": "2s"}) as live:
        await live.casino.host_tables(6)
        matches = Matches(live)
        await matches.specification()  # made at the first request, for which a seat waits some time
        yield matches


def data_of(push: Json) -> Json:
    """Return what a push says."""
    data: Json = push["message_response"]["data"]
    return data


async def send(socket: ClientConnection, seat: OutsideSeat, kind: str, **fields: object) -> None:
    """Send a message of a seat over its socket."""
    await socket.send(orjson.dumps(message(seat, kind, **fields)).decode())


class PushedAgent:
    """An agent that plays over its socket as it is pushed, and keeps all that it gets."""

    def __init__(self, matches: Matches, seat: OutsideSeat, *, strict: bool = False) -> None:
        self.seat = seat
        self.dump: list[Json] = []
        subprotocols = [Subprotocol(STRICT)] if strict else None
        self._connection = matches.socket(seat, "?after=0", subprotocols)

    async def play(self) -> None:
        """Play until the session is over."""
        async with asyncio.timeout(PATIENCE_S), self._connection as socket:
            async for content in socket:
                received: Json = orjson.loads(content)
                self.dump.append(received)
                event = received.get("event") or received.get("message_response") or {}
                data = event.get("data", {})
                if data.get("event") == "action_requested":
                    payload = data["payload"]
                    offers = payload["available_actions"]
                    kinds = [offer["action_type"] for offer in offers]
                    kind = next((k for k in ("check", "call") if k in kinds), kinds[0])
                    action = {"version": "1.0.0", "type": kind, "data": {"turn": payload["turn"]}}
                    await send(socket, self.seat, "get_state", state={"version": "1.0.0"})
                    await send(socket, self.seat, "perform_action", action=action)
                elif data.get("payload", {}).get("kind") == "finished":
                    return


async def test_a_whole_session_is_pushed(matches: Matches) -> None:
    """BGP-22, BGP-23: every event once to each, as recorded; responses before own pushes."""
    agents = [PushedAgent(matches, seat) for seat in await matches.pair()]
    await asyncio.gather(*(agent.play() for agent in agents))
    recorded = await matches.live.casino.events(agents[0].seat.match_id)
    for agent in agents:
        pushes = [one for one in agent.dump if one["type"] == "push_message"]
        events = [data_of(push) for push in pushes if "sequence" in data_of(push)]
        assert [event["sequence"] for event in events] == list(range(1, len(recorded) + 1))
        assert [event["payload"] for event in events] == [event.payload for event in recorded]
        assert {one["agent_id"] for one in agent.dump} == {agent.seat.agent_id}
        responses = pushed = 0
        for one in agent.dump:
            responses += one["type"] == "perform_action_response"
            if one["type"] == "push_message" and data_of(one)["event"] == "action_taken":
                pushed += data_of(one)["payload"]["playerId"] == agent.seat.agent_id
            assert responses >= pushed
        assert responses == pushed > 0


async def test_a_decision_outlasts_its_connection(matches: Matches) -> None:
    """BGP-24, BGP-25: the same question over a new socket and over HTTP; no event is missed."""
    pair = await matches.pair()
    actor, state = await to_decide(*pair)
    async with matches.socket(actor, "?after=0") as socket:
        last = 0
        while last < 5:
            last = data_of(await received(socket)).get("sequence", last)
    polled = await actor.state()
    assert polled["turn"] == state["turn"]
    left_ms = polled["state"]["data"]["deadline_ms"]
    assert left_ms < state["state"]["data"]["deadline_ms"]
    async with matches.socket(actor, f"?after={last - 2}") as socket:
        pushes = [data_of(await received(socket)) for _ in range(3)]
        assert [push.get("sequence") for push in pushes] == [last - 1, last, None]
        assert pushes[2]["payload"]["turn"] == state["turn"]
        assert pushes[2]["payload"]["deadline_ms"] <= left_ms
    assert (await take_first(actor, state))["status"] == "success"
    assert len(await matches.until_taken(actor.match_id, 1)) == 1
    await play_out(*pair)


async def test_no_card_of_the_other_before_it_is_shown(matches: Matches) -> None:
    """BGP-26: in any byte of 25 hands; mucked hands never."""
    agents = [
        PushedAgent(matches, seat) for seat in await matches.pair(HOLDEM, maxHands=25, seed="cards")
    ]
    await asyncio.gather(*(agent.play() for agent in agents))
    mucked = 0
    for agent, other in (agents, reversed(agents)):
        hidden = hole_cards(other)
        assert len(hidden) >= 24  # all but walks
        mucked += len(hidden)
        number, shown = 0, False
        for one in agent.dump:
            data = data_of(one) if one["type"] == "push_message" else {}
            event, payload = data.get("event"), data.get("payload", {})
            if event == "hand_started":
                number, shown = payload["handNumber"], False
            elif event == "hand_completed":
                shown = other.seat.agent_id in {hand["playerId"] for hand in payload["shown"]}
                mucked -= shown
            # A state may come before the events of its hand.
            hand = one["state"]["data"]["hand_number"] if "state" in one else number
            if not (shown and hand == number):
                content = orjson.dumps(one).decode()
                assert not any(card in content for card in hidden.get(hand, ())), hand
    assert mucked > 0


def hole_cards(agent: PushedAgent) -> dict[int, list[str]]:
    """Return an agent's own cards by hand, as states and events write them."""
    cards: dict[int, list[str]] = {}
    for one in agent.dump:
        if one["type"] == "get_state_response" and one["stage"] == "act":
            data = one["state"]["data"]
            cards[data["hand_number"]] = [
                text
                for rank, suit in data["private"]["hole_cards"]
                for text in (f'"{rank}{suit}"', f'{{"rank":"{rank}","suit":"{SUITS[suit]}"}}')
            ]
    return cards


async def test_who_sits_out_is_back_with_any_message(matches: Matches) -> None:
    """BGP-28: after three missed clocks."""
    one, person = await matches.pair(actionTimeoutMs=1500, maxTimeouts=3, maxHands=1000)
    agent = PushedAgent(matches, one)
    playing = asyncio.create_task(agent.play())
    times, stage = 0, ""
    async with asyncio.timeout(PATIENCE_S):
        # The table may take a seat back before it is known here; then it sits out once more.
        while stage != "sitting_out":
            kinds = [
                data_of(push)["payload"].get("kind")
                for push in agent.dump
                if push["type"] == "push_message"
            ]
            if kinds.count("sat_out") > times:
                times, stage = kinds.count("sat_out"), (await person.state())["stage"]
            await asyncio.sleep(POLLING_S)
    state = await until(person, stage="act")
    assert (await take_first(person, state))["status"] == "success"
    playing.cancel()
    await asyncio.wait([playing])
    await matches.live.casino.http.delete(f"/v1/rooms/{one.match_id}")


async def test_the_organisations_dialect(matches: Matches) -> None:
    """BGP-30: every message of a session fits its shapes."""
    agents = [PushedAgent(matches, seat, strict=True) for seat in await matches.pair(maxHands=5)]
    await asyncio.gather(*(agent.play() for agent in agents))
    for agent in agents:
        for one in agent.dump:
            Draft7Validator(schema_of(one)).validate(one)
        states = [one for one in agent.dump if one.get("type") == "get_state_response"]
        assert len(states) >= 5


async def test_a_killed_gateway_keeps_the_decision(matches: Matches) -> None:
    """BGP-31: same match, same turn, same question or its default; nothing twice."""
    pair = await matches.pair(actionTimeoutMs=20_000, maxActionTimeoutMs=20_000)
    actor, state = await to_decide(*pair)
    async with matches.socket(actor) as socket:
        await matches.live.kill()
        with suppress(ConnectionClosed):
            await socket.recv()
    await matches.live.start()
    again = await until(actor, stage="act")
    assert (again["turn"], again["match_id"]) == (state["turn"], state["match_id"])
    assert again["state"]["data"]["private"] == state["state"]["data"]["private"]
    assert (await take_first(actor, again))["status"] == "success"
    twice = await take_first(actor, again)
    assert twice["data"]["code"] == "STALE_TURN"
    taken = await matches.until_taken(actor.match_id, 1)
    assert [(event.payload or {})["outcome"] for event in taken[:1]] == ["ok"]
    await play_out(*pair)
