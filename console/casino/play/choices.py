"""Numbered choices of a decision, and what a person types for one. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from casino.errors import NotUnderstood
from casino.public_state import words

Json = dict[str, Any]

_KIND = "action_type"
_LIMITS = {"min", "max"}


@dataclass(frozen=True)
class Choice:
    """One available action: its type, its further fields and its range."""

    kind: str
    fields: Json
    least: int | None = None
    most: int | None = None

    @property
    def name(self) -> str:
        """The action in words, without the range."""
        values = (f"{value}" for value in self.fields.values())
        return " ".join((words(self.kind), *values))

    def __str__(self) -> str:
        """Return the choice as it is offered."""
        return self.name if self.least is None else f"{self.name} {self.least} to {self.most}"

    def data(self, amount: int | None) -> Json:
        """Return the action's data."""
        return self.fields if amount is None else {**self.fields, "amount": amount}


def choices_of(offers: Sequence[Json]) -> list[Choice]:
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
        choices.append(Choice(kind, fields, *((least, most) if has_range else ())))
    return choices


def chosen(typed: str, choices: Sequence[Choice]) -> tuple[Choice, int | None]:
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


def _by_number(name: str, choices: Sequence[Choice]) -> Choice | None:
    is_number = name.isascii() and name.isdigit() and len(name) <= 3  # noqa: PLR2004
    return choices[int(name) - 1] if is_number and 1 <= int(name) <= len(choices) else None


def _by_name(name: str, choices: Sequence[Choice]) -> Choice | None:
    if not name:
        return None
    exact = [choice for choice in choices if choice.name.casefold() == name]
    starting = [choice for choice in choices if choice.name.casefold().startswith(name)]
    matching = exact or starting
    return matching[0] if len(matching) == 1 else None


def _amount(choice: Choice, amount: str | None, typed: str) -> int | None:
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
