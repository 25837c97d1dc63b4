"""Verify the deal of a room or of a hand: `python3 verify_fair_deal.py FILE`, exit status 0 or 1.

FILE: a hand's proof (`GET /v1/rooms/ROOM/hands/NUMBER/proof`) or a room's events in their order,
also line by line. Left out: signatures, why a block began, the results of games but Hold'em.
"""

import base64
import hashlib
import hmac
import json
import sys
from pathlib import Path

T = b"a2a-casino/fair/v1/"
SUITS = ("clubs", "diamonds", "hearts", "spades")
CARDS = [{"rank": rank, "suit": suit} for rank in "23456789TJQKA" for suit in SUITS]


def must(is_right, otherwise):
    if not is_right:
        raise ValueError(otherwise)


def sha(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def read(text):
    return base64.urlsafe_b64decode(text + "==")


def prf(key, use, number):
    return hmac.digest(key, T + use + number.to_bytes(8, "big"), "sha256")


def shuffled(key, use, count):
    size, order, stream, block = 1 if count <= 256 else 4, list(range(count)), b"", 0
    for place in range(count - 1):
        left, draw = count - place, 256**size
        while draw >= 256**size - 256**size % left:
            if not stream:
                stream, block = prf(key, use, block), block + 1
            draw, stream = int.from_bytes(stream[:size], "big"), stream[size:]
        other = place + draw % left
        order[place], order[other] = order[other], order[place]
    return order


def leaf_hash(context, leaf, numbers, salt):
    return sha(b"leaf", context, *(one.to_bytes(2, "big") for one in (leaf, *numbers)), salt)


def root_of_secret(secret, context, cards, leaves):
    if not leaves:
        return sha(b"whole", context, secret)
    order, hashes = iter(shuffled(secret, b"order", cards)), []
    for leaf, size in enumerate(leaves):
        salt = sha(b"salt", secret, (leaf // 2).to_bytes(2, "big"))[16 * (leaf % 2) :][:16]
        hashes.append(leaf_hash(context, leaf, [next(order) for _ in range(size)], salt))
    return sha(b"deck", *hashes)


def root_of_opening(opening, context, leaves):
    numbers, hashes, opened = list(opening["numbers"]), [], {}
    salts, closed = read(opening["salts"]), read(opening["closed"])
    for leaf, size in enumerate(leaves):
        if leaf in opening["leaves"]:
            opened[leaf], numbers = numbers[:size], numbers[size:]
            hashes.append(leaf_hash(context, leaf, opened[leaf], salts[:16]))
            salts = salts[16:]
        else:
            hashes, closed = [*hashes, closed[:32]], closed[32:]
    must(not (numbers or salts or closed), "the opening has more than its leaves")
    return sha(b"deck", *hashes), opened


def check_hand(block, entropy, started, ended):
    number, opening, leaves = ended["handNumber"], ended["opening"], block["leaves"]
    must(opening["block"] == block["block"] and entropy, "its block is not the one before it")
    place, key = 32 * (number - block["firstHand"]), prf(entropy, b"hand", number)
    committed, played = read(block["roots"])[place:][:32] if place >= 0 else b"", key[0] & 1
    name = sha(T, b"block/", block["block"].encode())[:16] + number.to_bytes(8, "big")
    context, other = name + b"AB"[played : played + 1], name + b"BA"[played : played + 1]
    opened, audit = {}, root_of_secret(read(opening["audit"]), other, block["cards"], leaves)
    if "secret" in opening:
        root = root_of_secret(read(opening["secret"]), context, block["cards"], leaves)
    elif "leaves" in opening:
        root, opened = root_of_opening(opening, context, leaves)
    else:
        root = read(opening["root"])
    roots = (audit, root) if played else (root, audit)
    must(sha(b"hand", *roots) == committed, "its decks are not those that were committed to")
    if block["gameType"] == "texas-holdem":
        values = shuffled(key, b"values", block["cards"])
        cards = {leaf: [CARDS[values[x]] for x in own] for leaf, own in opened.items()}
        seats = {one["seatNumber"]: one["playerId"] for one in started["players"]}
        order = [seats[n] for n in sorted(seats, key=lambda n: (n <= started["buttonSeat"], n))]
        shown = {order.index(one["playerId"]): one["cards"] for one in ended["shown"]}
        board = [card for leaf in sorted(cards.keys() - shown.keys()) for card in cards[leaf]]
        must(board == ended["communityCards"], "its board is not what was dealt")
        for leaf, own in shown.items():
            is_right = all(card in own for card in cards.get(leaf, [0]))
            must(is_right, f"the cards of {order[leaf]} are not what was dealt")


def check(events):
    block, entropy, started, last, checked, skipped, names = None, None, None, 0, 0, 0, set()
    for event in events:
        said = event.get("payload") or {}
        try:
            if said.get("kind") == "deal_committed":
                block, entropy = said["commitment"], None
                must(block["block"] not in names, "a block was committed to twice")
                names.add(block["block"])
                plain = {name: value for name, value in block.items() if name != "signature"}
                form = json.dumps(plain, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
            elif said.get("kind") == "deal_contributed" and not said["contributed"].get("missing"):
                given = said["contributed"]["contributions"]
                parts = [read(one["entropy"]) for one in given]
                answers = [(a.get("playerId"), sha(e)) for a, e in zip(given, parts, strict=True)]
                asked = [(a.get("playerId"), read(a["commitment"])) for a in block["commitments"]]
                must(not entropy and answers == asked, "contributions are not as committed to")
                entropy = sha(T, b"entropy/", sha(form.encode()), *parts)
            elif event.get("eventType") == "hand_started":
                must(said["handNumber"] > last, f"hand {said['handNumber']} was dealt again")
                started, last = said, said["handNumber"]
                must(block is None or entropy, "it was dealt before the contributions")
            elif event.get("eventType") == "hand_completed":
                is_known = block is not None and started is not None
                checked, skipped = checked + is_known, skipped + (not is_known)
                if is_known:
                    check_hand(block, entropy, started, said)
        except (ValueError, KeyError, TypeError, IndexError) as fault:
            return f"UNFAIR from hand {last} on: {fault!r}"
    return f"{checked} hands are fair, {skipped} have no block here" if checked else "no fair hand"


def events_in(text):
    try:
        found = json.loads(text)
    except ValueError:
        return [json.loads(line) for line in text.splitlines() if line]
    kinds = ("deal_committed", "deal_contributed") if "commitment" in found else ()
    return [{"payload": {**found, "kind": kind}} for kind in kinds] + found["events"]


if __name__ == "__main__":
    verdict = check(events_in(Path(sys.argv[1]).read_text(encoding="utf-8")))
    print(verdict)
    sys.exit("fair," not in verdict)
