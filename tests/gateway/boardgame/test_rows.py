"""Rows of the Boardgame Protocol's acceptance page that need a lobby and tables, in one process.

`test_dispatch`, `test_messages`, `test_seats` and `test_websocket` prove those of single messages.
"""

import asyncio
from collections.abc import AsyncIterator

import orjson
import pytest
import pytest_asyncio
from casino_agentkit.protocol import CARD_PATH
from casino_contracts import HOLDEM, WireModel
from casino_games import game_types
from support.gateway.boardgame_matches import (
    POLLING_S,
    Matches,
    play_out,
    take_first,
    to_decide,
    until,
)
from support.gateway.bots_side import call_agent, reason_of
from support.gateway.live_gateway import GATEWAY, PAGE, Json, LoopGateway, OutsideSeat, loop_gateway
from support.gateway.seat_side import INVITATION, notice, request
from support.gateway.strict_schemas import check_shape
from support.processes import eventually
from websockets.typing import Subprotocol

pytestmark = pytest.mark.asyncio(loop_scope="module")

LoopMatches = Matches[LoopGateway]
STRICT = "bgp.schemas-1.0.0"
SUITS = {"c": "clubs", "d": "diamonds", "h": "hearts", "s": "spades"}
CORE = {"version", "type", "game", "match_id", "agent_id"}
STATE_FIELDS = CORE | {
    *("status", "phase", "turn", "stage", "started_at", "ended_at"),
    *("active_agent_id", "agents", "state"),
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def matches() -> AsyncIterator[LoopMatches]:
    """Run a casino with a gateway that thinks nobody is there after two seconds of silence."""
    async with loop_gateway(presence="2s") as live:
        yield Matches(live)


async def test_a_match_against_a_native_agent(matches: LoopMatches) -> None:
    """BGP-01, BGP-02, BGP-06, BGP-08: state, action, end; payloads fit the specification."""
    spec = await matches.specification()
    match_id = await matches.open(actionTimeoutMs=5_000)
    reply = await matches.live.casino.seat(matches.live.bot, match_id)
    assert reply.status_code == 201, reply.text
    person = await matches.live.sit(match_id, "Agent Two", "human")
    _, state = await to_decide(person)
    assert set(state) == STATE_FIELDS
    data = state["state"]["data"]
    assert (state["status"], state["stage"]) == ("started", "act")
    assert state["active_agent_id"] == person.agent_id
    assert state["state"]["version"] == str(spec.version)
    assert 0 <= data["deadline_ms"] <= 5000
    assert data["private"]["card"] in "JQK"
    assert [agent["type"] for agent in state["agents"]] == ["ai", "human"]
    assert state["agents"][1] == {"id": person.agent_id, "name": "Agent Two", "type": "human"}
    assert not spec.check_state({"public": data["public"], "private": data["private"]})
    response = await take_first(person, state)
    assert response["data"] == {"action": data["available_actions"][0], "turn": state["turn"]}
    await play_out(person)
    mine = next(
        one
        for one in await matches.live.casino.payloads(match_id, "action_taken")
        if one["playerId"] == person.agent_id
    )
    assert (mine["outcome"], mine["action"]) == ("ok", response["data"]["action"]["action_type"])
    over = await until(person, status="ended")
    assert (over["stage"], over["active_agent_id"]) == ("wait", None)
    assert over["ended_at"] >= over["started_at"]
    assert not spec.check_result(over["state"]["data"]["result"])


@pytest.mark.parametrize("game", game_types())
async def test_the_default_of_every_game_is_played_by_its_name(
    matches: LoopMatches, game: str
) -> None:
    """Whether or not it is offered; the table hears whose choice it was."""
    one, other = await matches.pair(game, maxHands=1)
    default = (await matches.specification(game)).about.default_timeout_action

    async def is_over() -> bool:
        for seat in (one, other):
            state = await seat.state()
            if state["stage"] == "act":
                assert (await seat.act(default, turn=state["turn"]))["status"] == "success"
            elif state["status"] == "ended":
                return True
        return False

    await eventually(is_over, every=POLLING_S)
    taken = await matches.live.casino.payloads(one.match_id, "action_taken")
    assert taken
    for each in taken:
        why = {"reason": "default_action"} if each["outcome"] == "defaulted" else None
        assert (each["outcome"] in {"ok", "defaulted"}, each.get("defaulted")) == (True, why)


def data_of(push: Json) -> Json:
    data: Json = push["message_response"]["data"]
    return data


class PushedAgent:
    """An agent that plays over its socket as it is pushed, and keeps all that it gets."""

    def __init__(self, matches: LoopMatches, seat: OutsideSeat, *, strict: bool = False) -> None:
        self.seat = seat
        self.dump: list[Json] = []
        subprotocols = [Subprotocol(STRICT)] if strict else None
        self._connection = matches.socket(seat, "?after=0", subprotocols)

    async def play(self) -> None:
        async with self._connection as socket:
            async for content in socket:
                received: Json = orjson.loads(content)
                self.dump.append(received)
                event = received.get("event") or received.get("message_response") or {}
                data = event.get("data", {})
                if data.get("event") == "action_requested":
                    payload = data["payload"]
                    kinds = [offer["action_type"] for offer in payload["available_actions"]]
                    kind = next((k for k in ("check", "call") if k in kinds), kinds[0])
                    action = {"version": "1.0.0", "type": kind, "data": {"turn": payload["turn"]}}
                    for sent in (
                        self.seat.message("get_state", state={"version": "1.0.0"}),
                        self.seat.message("perform_action", action=action),
                    ):
                        await socket.send(orjson.dumps(sent).decode())
                elif data.get("payload", {}).get("kind") == "finished":
                    return


async def test_a_whole_session_is_pushed(matches: LoopMatches) -> None:
    """BGP-22, BGP-23, BGP-30: every event once, as recorded, responses before own pushes.

    In the strict dialect every message fits its shapes. Chips are conserved.
    """
    one, two = await matches.pair(maxHands=5)
    agent, other = PushedAgent(matches, one), PushedAgent(matches, two, strict=True)
    await asyncio.gather(agent.play(), other.play())
    recorded = await matches.live.casino.events(one.match_id)
    pushes = [push for push in agent.dump if push["type"] == "push_message"]
    events = [data_of(push) for push in pushes if "sequence" in data_of(push)]
    assert [event["sequence"] for event in events] == list(range(1, len(recorded) + 1))
    assert [event["payload"] for event in events] == [event.payload for event in recorded]
    assert {each["agent_id"] for each in agent.dump} == {one.agent_id}
    responses = pushed = 0
    for each in agent.dump:
        responses += each["type"] == "perform_action_response"
        if each["type"] == "push_message" and data_of(each)["event"] == "action_taken":
            pushed += data_of(each)["payload"]["playerId"] == one.agent_id
        assert responses >= pushed
    assert responses == pushed > 0
    for each in other.dump:
        check_shape(each)
    assert len([each for each in other.dump if each.get("type") == "get_state_response"]) >= 5
    taken = await matches.live.casino.payloads(one.match_id, "action_taken")
    assert {payload["outcome"] for payload in taken} == {"ok"}
    summary = (await matches.live.casino.room(one.match_id)).summary
    assert summary is not None
    assert sum(player.stack for player in summary.players) == 800


async def test_no_card_of_the_other_before_it_is_shown(matches: LoopMatches) -> None:
    """BGP-26: in any byte of 12 hands; mucked hands never."""
    agents = [
        PushedAgent(matches, seat) for seat in await matches.pair(HOLDEM, maxHands=12, seed="cards")
    ]
    await asyncio.gather(*(agent.play() for agent in agents))
    mucked = 0
    for agent, other in (agents, reversed(agents)):
        hidden = hole_cards(other)
        assert len(hidden) >= 11  # all but walks
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


async def test_nobody_there_costs_the_table_no_time(matches: LoopMatches) -> None:
    """BGP-28: the seat is played by default at once, sits out, and is back with any message."""
    match_id = await matches.open(maxHands=100_000, actionTimeoutMs=2_000)
    seat = await matches.live.sit(match_id, "Ada")
    assert (await matches.live.casino.seat(matches.live.bot, match_id)).is_success
    card = card_of(matches, match_id)
    assert (await matches.live.http.get(card)).status_code == 200

    async def has(word: str) -> bool:
        events = await matches.live.casino.events(match_id)
        return any(
            word in {one.payload.get("outcome"), one.payload.get("kind")}
            for one in events
            if one.payload
        )

    await to_decide(seat)
    await eventually(lambda: has("sat_out"))
    assert await has("away")
    assert (await matches.live.http.get(card)).status_code == 503
    assert (await seat.state())["stage"] == "sitting_out"
    assert (await matches.live.http.get(card)).status_code == 200
    await eventually(lambda: has("returned"))
    assert (await matches.live.http.delete("/bgp/seats", headers=seat.headers)).is_success
    await until(seat, status="abandoned")
    assert (await matches.live.http.get(card)).status_code == 404
    await matches.live.casino.close(match_id)


def card_of(matches: LoopMatches, match_id: str) -> str:
    card: str = matches.live.casino.seat_cards(match_id)[0]
    return card.removeprefix(GATEWAY)


async def test_only_its_lobby_and_its_table_call_a_seat(matches: LoopMatches) -> None:
    """A seat is signed up once, and asked by its table alone."""
    match_id = await matches.open()
    seat = await matches.live.sit(match_id, "Ada")
    agent = card_of(matches, match_id).removesuffix(CARD_PATH)

    async def refusal(skill: str, data: Json, token: str = "") -> str:
        return reason_of(await call_agent(matches.live.http, agent, skill, data, token))

    invitation = INVITATION.model_copy(update={"player_id": seat.agent_id, "table_id": match_id})
    assert await refusal("signup", sent(invitation)) == "FORBIDDEN"
    ids = {"table_id": match_id, "player_id": seat.agent_id}
    state = {"public": {}, "private": {"card": "A"}}
    question = sent(request(1, **ids))
    dealt = sent(notice("dealt", tableId=match_id, playerId=seat.agent_id, state=state))
    for skill, data in (("act", question), ("notify", dealt)):
        assert await refusal(skill, data) == "UNAUTHORIZED"
        assert await refusal(skill, data, seat.token) == "FORBIDDEN"
        other = {**data, "tableId": "another"}
        assert await refusal(skill, other, "mine" * 8) == "FORBIDDEN"
    view = await seat.state()
    assert (view["stage"], view["state"]["data"]["private"]) == ("wait", {})


def sent(message: WireModel) -> Json:
    """Return a message as its sender writes it."""
    content: Json = message.model_dump(mode="json")
    return content


async def test_only_listed_pages_take_seats(matches: LoopMatches) -> None:
    """A listed one may send the token; another one gets no further than the guard."""
    http = matches.live.http
    preflight = {
        "origin": PAGE,
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization,content-type",
    }
    allowed = await http.options("/api/auth/guest", headers=preflight)
    assert allowed.headers["access-control-allow-origin"] == PAGE
    assert "authorization" in allowed.headers["access-control-allow-headers"].lower()
    guest = {"displayName": "Ada"}
    listed = await http.post("/api/auth/guest", json=guest, headers={"origin": PAGE})
    assert listed.is_success
    assert listed.headers["access-control-allow-origin"] == PAGE
    other = {"origin": "https://evil.example"}
    assert (await http.post("/api/auth/guest", json=guest, headers=other)).status_code == 403
