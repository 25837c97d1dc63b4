"""Numbered choices of a decision, what a person types for one, and the table as text."""

import asyncio
import os
import re
import threading
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any

from casino.errors import NotUnderstood
from casino.gateway_api import MatchState
from casino.output import sanitize
from casino.public_state import facts_of, game_words, words

Json = dict[str, Any]

_KIND = "action_type"
_LIMITS = {"min", "max"}


@dataclass(frozen=True)
class TypedChoice:
    """One available action: its type, its further fields and its range."""

    kind: str
    fields: Json
    least: int | None = None
    most: int | None = None

    @property
    def name(self) -> str:
        values = (f"{value}" for value in self.fields.values())
        return " ".join((words(self.kind), *values))

    def __str__(self) -> str:
        return self.name if self.least is None else f"{self.name} {self.least} to {self.most}"

    def data(self, amount: int | None) -> Json:
        return self.fields if amount is None else {**self.fields, "amount": amount}


def choices_of(offers: Sequence[Json]) -> list[TypedChoice]:
    """Return the choices of a decision; offers without a type are left out."""
    choices = []
    for offer in offers:
        kind, least, most = offer.get(_KIND), offer.get("min"), offer.get("max")
        if not isinstance(kind, str):
            continue
        has_range = type(least) is int and type(most) is int
        fields = {
            key: value
            for key, value in offer.items()
            if key != _KIND and not (has_range and key in _LIMITS)
        }
        choices.append(TypedChoice(kind, fields, *((least, most) if has_range else ())))
    return choices


def chosen(typed: str, choices: Sequence[TypedChoice]) -> tuple[TypedChoice, int | None]:
    """Return the choice, and its amount, that a person typed.

    Typed is the number of a choice or the beginning of its name, then the amount, `min` or `max`.
    Raises NotUnderstood.

    >>> chosen("2 12", choices_of([{"action_type": "fold"},
    ...                            {"action_type": "raise", "min": 4, "max": 200}]))[1]
    12
    """
    text = " ".join(typed.casefold().split())
    match = re.fullmatch(r"(.*?)(?: (min|max|[0-9]{1,15}))?", text)
    name, amount = (match[1], match[2]) if match else (text, None)
    choice = _by_number(name, choices) or _by_name(name, choices)
    if choice is None and amount is not None:  # a name may end with a number: "pocket 17"
        choice, amount = _by_name(text, choices), None
    if choice is None:
        raise NotUnderstood(f"type a number from 1 to {len(choices)}, or the name of an action")
    return choice, _amount(choice, amount, typed)


def _by_number(name: str, choices: Sequence[TypedChoice]) -> TypedChoice | None:
    is_number = name.isascii() and name.isdigit() and len(name) <= 3  # noqa: PLR2004
    return choices[int(name) - 1] if is_number and 1 <= int(name) <= len(choices) else None


def _by_name(name: str, choices: Sequence[TypedChoice]) -> TypedChoice | None:
    if not name:
        return None
    exact = [choice for choice in choices if choice.name.casefold() == name]
    starting = [choice for choice in choices if choice.name.casefold().startswith(name)]
    matching = exact or starting
    return matching[0] if len(matching) == 1 else None


def _amount(choice: TypedChoice, amount: str | None, typed: str) -> int | None:
    if choice.least is None or choice.most is None:
        if amount is not None:
            raise NotUnderstood(f"{choice.name} needs no amount")
        return None
    number = {"min": choice.least, "max": choice.most}.get(amount or "")
    if number is None and amount is not None:
        number = int(amount)
    if number is None or not choice.least <= number <= choice.most:
        example = f"{typed.split(maxsplit=1)[0]} {choice.least}"
        raise NotUnderstood(
            f"{choice.name} needs an amount from {choice.least} to {choice.most}: type `{example}`"
        )
    return number


RULE = "─" * 60


def table_lines(match: MatchState, own_id: str, game: str) -> list[str]:
    """Return the table: hand, everybody's public facts, and one's own cards."""
    names = {
        agent_id: f"{name} (you)" if agent_id == own_id else name
        for agent_id, name in match.names().items()
    }
    data = match.state.data
    hand = f"hand {data.hand_number}" if data.hand_number is not None else match.phase
    title = ", ".join(dict.fromkeys((game_words(game) or "hold'em", hand, match.phase)))
    lines = [RULE, title]
    lines += _facts(facts_of(data.public, names))
    own = facts_of(data.private, names)
    lines += [f"  yours: {label} {text}" for label, text in own.items()]
    return [sanitize(line) for line in lines]


def result_lines(match: MatchState) -> list[str]:
    result = match.state.data.result
    facts = facts_of(result, match.names()) if result is not None else {}
    return [sanitize(line) for line in _facts(facts)]


def choice_lines(choices: Sequence[TypedChoice]) -> list[str]:
    return [sanitize(f"  {number}) {choice}") for number, choice in enumerate(choices, 1)]


def _facts(facts: dict[str, str]) -> list[str]:
    width = max(map(len, facts), default=0)
    return [f"  {label:<{width}}  {text}" for label, text in facts.items()]


_LINE_BYTES = 4096
_WAITING = 64


@dataclass(frozen=True)
class TypedLines:
    """Lines as they come. On a terminal they belong to what is shown when they are typed."""

    lines: AsyncIterator[str]
    is_terminal: bool


def typed_lines(descriptor: int = 0) -> TypedLines:
    """Return the lines of a file descriptor, standard input by default; needs a running loop."""
    loop = asyncio.get_running_loop()
    queue: asyncio.Queue[str | None] = asyncio.Queue()
    places = threading.Semaphore(_WAITING)

    def put(line: str | None) -> None:
        places.acquire()
        loop.call_soon_threadsafe(queue.put_nowait, line)

    def read() -> None:
        rest = b""
        # The descriptor, because Python's own buffer may not be in use when the process ends.
        try:
            while content := os.read(descriptor, _LINE_BYTES):
                *lines, rest = (rest + content).split(b"\n")
                for line in lines:
                    put(line.decode(errors="replace"))
                rest = rest[:_LINE_BYTES]
            if rest:
                put(rest.decode(errors="replace"))
            put(None)
        except (OSError, RuntimeError):  # the descriptor or the loop is closed
            return

    async def lines() -> AsyncIterator[str]:
        while (line := await queue.get()) is not None:
            places.release()
            yield line

    threading.Thread(target=read, daemon=True, name="typed lines").start()
    return TypedLines(lines(), os.isatty(descriptor))
