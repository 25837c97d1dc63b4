"""The bot's part in a fair deal: nobody can choose the cards while one player's part is random.

It is 32 random bytes for each block of hands. The table first gets their hash, and the bytes only
for the first decks to which it commits itself, so that it cannot try one deck after the other.
"""

import base64
import hashlib
import secrets
import threading

MOST_BLOCKS = 1000
"""After so many the bot takes no part until it is started again: it never forgets one."""

parts: dict = {}
lock = threading.Lock()


def contribute(request: dict) -> dict:
    """Answer one of the table's three calls for a block; raises ValueError."""
    if request.get("contributed"):  # what all gave, from which anybody can compute the deal
        return {}
    place = tuple(str(request.get(name)) for name in ("tableId", "playerId", "block"))
    given = request.get("commitment")
    with lock:
        if not given:
            if place not in parts and len(parts) < MOST_BLOCKS:
                parts[place] = {"entropy": secrets.token_bytes(32)}
            return {"commitment": hash_of(parts[place])} if place in parts else {}
        part = parts.get(place)
        ours = part and {"playerId": request.get("playerId"), "commitment": hash_of(part)}
        if not ours or ours not in given.get("commitments", ()):
            raise ValueError("commitment: it does not have this bot's part")
        if part.setdefault("first", given) != given:
            raise ValueError("commitment: the block has had another one before")
        return {"entropy": text_of(part["entropy"])}


def hash_of(part: dict) -> str:
    """Return what the table gets first."""
    return text_of(hashlib.sha256(part["entropy"]).digest())


def text_of(content: bytes) -> str:
    """Return bytes as base64url without padding."""
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()
