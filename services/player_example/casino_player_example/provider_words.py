"""What a model's provider said, as one line in which neither secrets nor the prompt stand.

A provider may quote what it was sent: the key, whole or with its middle left out, and the prompt,
which has cards. Both are replaced.
"""

import re
from collections.abc import Collection, Iterable
from itertools import groupby
from operator import itemgetter
from typing import Any

from casino_contracts.base import DEFAULT_DETAIL_LIMIT
from pydantic_core import PydanticSerializationError, to_json

_MOST_READ = 4_000
"""Characters of a text that are read; the rest is left out before anything else."""
_RUN = 4
"""So many words of the prompt in a row are a quote."""
_LEAST_SECRET = 4
"""Shorter secrets are placeholders, such as the key of a server that takes any."""
_PIECE = 6
"""So many characters of a secret in a row are a piece of it."""
_EDGE = 2
"""So many characters of a secret before or after asterisks or dots are a piece of it."""
_WORD = re.compile(r"\w+")
_MASKED = re.compile(r"[\w.\-]*(?:\*{2,}|…|\.{3,}|•{2,}|[xX]{4,})[\w.\-]*")
_MASK = re.compile(r"\*{2,}|…|\.{3,}|•{2,}|[xX]{4,}")
_CARD = re.compile(r"(?<!\w)(?:10|[2-9TJQKA])(?:[cdhsCDHS](?!\w)|[♣♦♥♠])")
_LEFT_OUT = "…"


def said_in_body(body: object) -> str:
    """Return the message of an error's body, as providers write it; else the whole body.

    >>> said_in_body({"error": {"message": "no such model", "type": "invalid_request_error"}})
    'no such model'
    >>> said_in_body([{"detail": "busy"}])
    '[{"detail":"busy"}]'
    """
    found: Any = body
    while isinstance(found, dict):
        for key in ("error", "message", "detail", "error_description"):
            if found.get(key):
                found = found[key]
                break
        else:
            break
    if isinstance(found, str):
        return found
    try:
        return to_json(found).decode() if found is not None else ""
    except PydanticSerializationError:
        return ""


def scrubbed(text: str, *, secrets: Collection[str] = (), prompt: Iterable[str] = ()) -> str:
    """Return one line of at most 300 characters, without secrets and without quotes of a prompt.

    >>> scrubbed("Incorrect API key: sk-th***-see.", secrets=["sk-the-key-that-you-see"])
    'Incorrect API key: [key].'
    >>> scrubbed("no: your two cards are As Kd!", prompt=["Here your two cards are As Kd."])
    'no: …!'
    """
    line = text[:_MOST_READ]
    for secret in secrets:
        if len(secret) >= _LEAST_SECRET:
            line = _without_secret(line, secret)
    line = _without_quotes(line, list(prompt))
    shown = "".join(letter if letter.isprintable() else " " for letter in line)
    return " ".join(shown.split())[:DEFAULT_DETAIL_LIMIT]


def cards_in(texts: Iterable[str]) -> str:
    """Return the cards that stand in texts, in one text.

    >>> cards_in(["You have As Kd."])
    'As Kd'
    """
    return " ".join(card for text in texts for card in _CARD.findall(text))


def _without_secret(text: str, secret: str) -> str:
    text = text.replace(secret, "[key]")

    def masked(match: re.Match[str]) -> str:
        pieces = _MASK.split(match[0].rstrip("."))
        before, after = pieces[0], pieces[-1]
        is_piece = (len(before) >= _EDGE and secret.startswith(before)) or (
            len(after) >= _EDGE and secret.endswith(after)
        )
        return match[0].replace(match[0].rstrip("."), "[key]") if is_piece else match[0]

    text = _MASKED.sub(masked, text)
    starts = {secret[start : start + _PIECE] for start in range(len(secret) - _PIECE + 1)}
    kept: list[str] = []
    position = 0
    while position < len(text):
        if text[position : position + _PIECE] in starts:
            end = position + _PIECE
            while text[end - _PIECE + 1 : end + 1] in starts and end < len(text):
                end += 1
            kept.append("[key]")
            position = end
        else:
            kept.append(text[position])
            position += 1
    return "".join(kept)


def _without_quotes(text: str, prompt: list[str]) -> str:
    """Leave out cards that stand in the prompt, and runs of its words."""
    cards = {card for part in prompt for card in _CARD.findall(part)}
    words = [_WORD.findall(part) for part in prompt]
    runs = {
        tuple(part[start : start + _RUN]) for part in words for start in range(len(part) - _RUN + 1)
    }
    found = list(_WORD.finditer(text.replace("\\n", "  ")))
    quoted = [False] * len(found)
    for start in range(len(found) - _RUN + 1):
        if tuple(match[0] for match in found[start : start + _RUN]) in runs:
            quoted[start : start + _RUN] = [True] * _RUN
    pieces: list[str] = []
    position = 0
    for is_quoted, group in groupby(zip(found, quoted, strict=True), key=itemgetter(1)):
        span = [match for match, _ in group]
        if is_quoted:
            pieces += [text[position : span[0].start()], _LEFT_OUT]
            position = span[-1].end()
    pieces.append(text[position:])
    return _CARD.sub(lambda match: _LEFT_OUT if match[0] in cards else match[0], "".join(pieces))
