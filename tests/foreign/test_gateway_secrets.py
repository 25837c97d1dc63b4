"""No byte that a seat of the gateway is sent has a hole card of another, unless it was shown."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from casino_contracts import TableEvent
from foreign.gateway_rooms import all_their_own, names, open_room, record, start_with
from support.gateway.live_gateway import LiveGateway, live_gateway
from support.players.foreign import some_are_prepared
from support.players.foreign_client import ForeignClient, a2g_client, boardgame_client
from support.requirements import hands

pytestmark = [
    pytest.mark.foreign,
    pytest.mark.full,
    pytest.mark.asyncio(loop_scope="module"),
]

HANDS = hands(250, 1000)
GAME = "texas-holdem"
SUITS = {"c": ("clubs", "♣"), "d": ("diamonds", "♦"), "h": ("hearts", "♥"), "s": ("spades", "♠")}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def live() -> AsyncIterator[LiveGateway]:
    """Run a lobby, a gateway and a table."""
    some_are_prepared()
    async with live_gateway() as live:
        await live.casino.host_tables(1)
        yield live


@cache
def spelled(card: str) -> re.Pattern[str]:
    """Return every spelling of a card in text and JSON."""
    rank, (word, sign) = card[0], SUITS[card[1]]
    ranks = "(?:T|10)" if rank == "T" else rank
    as_object = rf'"rank"\s*:\s*"{ranks}"\s*,\s*"suit"\s*:\s*"{word}"'
    turned = rf'"suit"\s*:\s*"{word}"\s*,\s*"rank"\s*:\s*"{ranks}"'
    return re.compile(rf"(?<![\w-]){ranks}[{card[1]}{sign}](?![\w-])|{as_object}|{turned}")


@dataclass(frozen=True)
class Sent:
    """A message that a seat was sent: its hand, its bytes, and whether it ends the hand."""

    hand: int
    text: str
    is_final: bool
    own: tuple[str, ...]
    """The seat's own hole cards, where the message has them."""


def over_a2g(client: ForeignClient) -> Iterator[Sent]:
    """Yield what an A2G client was sent; a message without a hand is one of the running hand.

    Public events come beside the table's own messages, and may be behind them. A hand in which the
    blinds leave nothing to decide is over when it is dealt.
    """
    hand = 1
    for text in client.texts():
        message = json.loads(text)
        payload = message.get("payload") or {}
        is_result = message["type"] == "round_result"
        public = payload.get("payload") or {}
        named = message.get("handNumber") or public.get("handNumber")
        is_over = is_result or bool((payload.get("public") or {}).get("results"))
        is_final = is_over or payload.get("eventType") == "hand_completed"
        yield Sent(named or hand, text, is_final, own_cards(payload))
        hand += is_result


def over_boardgame(client: ForeignClient) -> Iterator[Sent]:
    """Yield what a Boardgame client was sent; a hand ends with the push of its end."""
    hand = 1
    for text in client.texts():
        message = json.loads(text)
        pushed = message.get("message_response", {}).get("data", {})
        shown = message.get("state", {}).get("data", {})
        is_end = pushed.get("event") == "hand_completed"
        is_over = is_end or "result" in shown or bool(shown.get("public", {}).get("results"))
        public = pushed.get("payload", {})
        named = shown.get("hand_number") or public.get("handNumber") or public.get("hand_number")
        yield Sent(named or hand, text, is_over, own_cards(shown or public))
        hand += is_end


def own_cards(state: dict[str, Any]) -> tuple[str, ...]:
    """Return the hole cards of a state's private part."""
    return tuple((state.get("private") or {}).get("hole_cards", ()))


def cards_by_hand(messages: Iterable[Sent]) -> dict[int, tuple[str, ...]]:
    """Return what a seat knew of its own cards."""
    return {message.hand: message.own for message in messages if message.own}


def shown_by_hand(events: Iterable[TableEvent]) -> dict[int, set[str]]:
    """Return who showed their cards at the end of each hand."""
    return {
        payload["handNumber"]: {one["playerId"] for one in payload["shown"]}
        for event in events
        if event.event_type == "hand_completed" and (payload := event.payload or {})
    }


def leaks(
    messages: Iterable[Sent], others: dict[int, tuple[str, ...]], shown: set[int]
) -> Iterator[str]:
    """Yield the messages that have a card of the other which the other has not shown by then."""
    for message in messages:
        if message.is_final and message.hand in shown:
            continue
        for card in others.get(message.hand, ()):
            if spelled(card).search(message.text):
                yield f"hand {message.hand}, {card}: {message.text[:2000]}"


async def test_no_hidden_card_is_sent_to_another_seat(live: LiveGateway, tmp_path: Path) -> None:
    """Hundreds of hands of Hold'em between the two protocols, all bytes recorded."""
    await open_room(live.casino, "secret", GAME, maxHands=HANDS, maxSeats=2)
    one = a2g_client(live.url, "One", "secret", dump=tmp_path / "one", rounds=HANDS)
    two = boardgame_client(live.url, "Two", "secret", GAME, dump=tmp_path / "two")
    by_a2g, by_boardgame, _ = await asyncio.gather(
        one.run(), two.run(), start_with(live.casino, "secret", 2)
    )
    assert (by_a2g["gameErrors"], by_a2g["violations"]) == ({}, [])
    assert (by_boardgame["errors"], by_boardgame["violations"]) == ({}, [])
    events = await record(live.casino, "secret", HANDS)
    all_their_own(events)
    ids, shown = names(events), shown_by_hand(events)
    sent = {"One": list(over_a2g(one)), "Two": list(over_boardgame(two))}
    cards = {name: cards_by_hand(messages) for name, messages in sent.items()}
    for name, other in (("One", "Two"), ("Two", "One")):
        # A deal that comes after the question of a later hand is not sent.
        assert len(cards[name]) >= HANDS / 2
        own = [message for message in sent[name] if message.own]
        assert all(spelled(card).search(message.text) for message in own for card in message.own)
        when_shown = {hand for hand, players in shown.items() if ids[other] in players}
        assert 0 < len(when_shown) < HANDS
        assert list(leaks(sent[name], cards[other], when_shown)) == []
