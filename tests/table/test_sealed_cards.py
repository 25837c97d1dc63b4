"""A session of a thousand hands tells nobody an unshown card, whatever is computed of its bytes."""

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from hashlib import sha256
from itertools import permutations
from struct import pack
from typing import Any

import pytest
from casino_agentkit.canonical_json import decoded
from casino_agentkit.fair_deal import DeckName, DeckPlan, deck_order_of, deck_secret
from casino_contracts.deal_messages import holdem_order
from casino_games.shuffle import derive_seed
from support.players.any_player import noticed
from support.players.holdem_players import any_legal
from support.table.contributing import CheckedDeal, with_part
from support.table.table_harness import TableHarness
from support.table.table_side import Player, seating

HANDS, BLOCK, FORCED = 1_000, 100, 12


def texts_in(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from texts_in(item)
    elif isinstance(value, str):
        yield value


def pieces_of(messages: Iterable[Any]) -> set[bytes]:
    """Return all runs of 16 bytes in the texts of messages that are base64url or hexadecimal."""
    texts = {text for one in messages for text in texts_in(json.loads(one.model_dump_json()))}
    pieces: set[bytes] = set()
    for text in texts:
        for read in (decoded, bytes.fromhex):
            with suppress(ValueError):
                content = read(text)
                pieces.update(content[at : at + 16] for at in range(len(content) - 15))
    return pieces


def salts_of(secret: bytes) -> list[bytes]:
    """Return the salts of six leaves, if a deck had this secret."""
    blocks = [sha256(b"salt" + secret + pair.to_bytes(2, "big")).digest() for pair in range(3)]
    return [block[start : start + 16] for block in blocks for start in (0, 16)]


def found(name: DeckName, leaf: int, leaf_hash: bytes, salts: Iterable[bytes]) -> tuple[int, ...]:
    """Try all cards of a leaf with all salts; returns what has its hash, () without any."""
    heads = [
        (pair, b"leaf" + name.context + pack(">3H", leaf, *pair))
        for pair in permutations(range(52), 2)
    ]
    for salt in salts:
        for pair, head in heads:
            if sha256(head + salt).digest() == leaf_hash:
                return pair
    return ()


@pytest.mark.full
async def test_nobody_can_compute_an_unshown_card_of_a_thousand_hands(
    harness: TableHarness,
) -> None:
    """Two of three players, the lobby and all who read the events put together all they have."""
    rules = {"seed": None, "rebuy": "auto", "maxHands": HANDS, "dealBlock": BLOCK}
    await harness.begin(rules=rules)
    known: list[Any] = []
    for number in range(3):
        player = Player(f"P{number}", any_legal)
        agent, notices = noticed(player)
        requests = with_part(agent, lambda _request, honest: honest)
        await harness.host.register(seating(number, harness.network.add(f"p{number}", agent)))
        known += [player.asked, requests, notices] if number else [requests]
    await harness.play()
    await harness.host.notices.wait()
    checked = CheckedDeal(harness.lobby.events)
    assert checked.hands == HANDS
    messages = [message for part in (harness.lobby.events, *known) for message in part]
    everything = pieces_of(messages)
    ends = {one["handNumber"]: one["opening"] for one in harness.payloads("hand_completed")}
    buttons = {one["handNumber"]: one["buttonSeat"] for one in harness.payloads("hand_started")}
    tried = hidden = 0
    for hand, opening in ends.items():
        block, given, key = checked.of_hand(hand)
        number = int(block["block"].rpartition("/")[2])
        block_secret = bytes.fromhex(derive_seed(f"entropy {number - 1}", "block"))
        secret = deck_secret(block_secret, hand, key.played)
        assert decoded(opening["audit"]) == deck_secret(block_secret, hand, key.audited)
        assert not any(part[:16] in everything for part in (secret, block_secret))
        assert decoded(opening["audit"])[:16] in everything
        leaf = holdem_order(range(3), buttons[hand]).index(0)
        if leaf in opening.get("leaves", ()):
            continue
        hidden += 1
        salt = salts_of(secret)[leaf]
        assert salt not in everything
        if "closed" not in opening or tried == FORCED:
            continue
        tried += 1
        closed = [other for other in range(6) if other not in opening["leaves"]]
        at = 32 * closed.index(leaf)
        leaf_hash = decoded(opening["closed"])[at : at + 32]
        name = DeckName(block["block"], hand, key.played)
        guesses = [*given, key.key, *(decoded(ends[n]["audit"]) for n in (hand, hand % HANDS + 1))]
        salts = [one for guess in guesses for one in salts_of(guess)]
        opened = decoded(opening["salts"])
        salts += [opened[start : start + 16] for start in range(0, len(opened), 16)]
        assert not found(name, leaf, leaf_hash, salts)
        own = deck_order_of(secret, DeckPlan(52, tuple(block["leaves"])))[2 * leaf : 2 * leaf + 2]
        assert list(found(name, leaf, leaf_hash, [salt])) == own, "with its salt it is found"
    assert (tried, hidden > HANDS // 5) == (FORCED, True)
