"""Short plans of matches, and bots for them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from casino_match.domain.plan import Plan

CALLER = "return {'action': 'check' if 'check' in turn['legalActions'] else 'call'}"
FOLDER = "return {'action': 'check' if 'check' in turn['legalActions'] else 'fold'}"


def plan_of(players: Sequence[str], decks: int = 10, **parts: Any) -> Plan:
    """Return a plan of players without names; `parts` are its other tables."""
    deal = {"seed": "a seed", "decks": decks, "decks_per_block": decks} | parts.pop("deal", {})
    named = [{"name": f"p{number}", "player": bot} for number, bot in enumerate(players)]
    return Plan.model_validate({"players": named, "deal": deal, **parts})


def bot(folder: Path, body: str, *, name: str = "bot", head: str = "def act(turn):") -> str:
    """Write a bot's file, with lines of a function `act`; returns its player in a plan."""
    file = folder / f"{name}.py"
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    file.write_text(f"{head}\n{lines}")
    return f"{file}:act"
