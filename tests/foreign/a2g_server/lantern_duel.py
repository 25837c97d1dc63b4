"""A game that only this server knows, with its specification as an A2G operator writes it.

Written from the protocol's documents; chips are conserved between player, bank and rake.
"""

import json
from random import Random
from typing import Any

Json = dict[str, Any]

DIALECT = "https://json-schema.org/draft/2020-12/schema"
DOCUMENT = """---
gameType: lantern-duel
version: "{version}"
name: "Lantern duel"
category: dice
gameModel: turn_based
players:
  min: 1
  max: 1
houseEdge: "one chip of a pot over ten"
defaultTimeoutAction: fold
schemaFormat: json-schema
---

# Lantern duel

## 1. Overview

Who has the higher die wins; then guess the lantern's colour.

## 2. Rules

The house plays against you.

## 3. Actions

See the Action Schema.

## 4. State Schema

```json
{state}
```

## 5. Action Schema

```json
{action}
```

## 6. Result Schema

```json
{result}
```

## 7. Examples

None.

## 8. Rake

One chip of a pot over ten.
"""


def closed(required: list[str], **properties: Any) -> Json:
    """Return the schema of a closed object."""
    return {
        "type": "object",
        "additionalProperties": False,
        "required": required,
        "properties": properties,
    }


def action(kind: str, **parameters: Json) -> Json:
    """Return the schema of one kind of action."""
    return closed(["action", *parameters], action={"const": kind}, **parameters)


CHIPS = {"type": "integer", "minimum": 0}
STATE = closed(
    ["myDie", "pot", "phase", "availableActions"],
    myDie={"type": "integer", "minimum": 1, "maximum": 6},
    pot=CHIPS,
    phase={"enum": ["bet", "guess"]},
    availableActions={"type": "array", "minItems": 1, "items": {"type": "object"}},
)
ACTIONS = [
    action("fold"),
    action("call"),
    action("raise", amount={"type": "integer", "minimum": 1}),
    action("guess", colour={"enum": ["red", "green", "blue"]}, loud={"type": "boolean"}),
    action("wait"),
]
WINNER = closed(
    ["playerId", "grossAmount", "rake", "netAmount"],
    playerId={"type": "string"},
    grossAmount=CHIPS,
    rake=CHIPS,
    netAmount=CHIPS,
)
RESULT = closed(
    ["winners", "totalRake", "roll"],
    winners={"type": "array", "items": WINNER},
    totalRake=CHIPS,
    roll={"type": "integer"},
)


class LanternDuel:
    """One round at a time: `offer` until it is None, each followed by `take`.

    A die, a bet, and a guess; a later version adds `double`.
    """

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.version = "1.0.0"
        self.chips = {"player": 10_000, "house": 10_000, "rake": 0}

    def schemas(self) -> dict[str, Json]:
        """Return the three schemas by part; the actions of 1.1.0 have one more."""
        actions = ACTIONS if self.version == "1.0.0" else [*ACTIONS, action("double")]
        parts = {"state": STATE, "action": {"oneOf": actions}, "result": RESULT}
        base = f"https://games.example/lantern-duel/{self.version}"
        return {
            part: {"$schema": DIALECT, "$id": f"{base}/{part}", **schema}
            for part, schema in parts.items()
        }

    def document(self) -> str:
        """Return the specification."""
        parts = {part: json.dumps(schema, indent=1) for part, schema in self.schemas().items()}
        return DOCUMENT.format(version=self.version, **parts)

    def begin(self) -> None:
        """Begin a round: both pay an ante of 2."""
        self.die, self.other = self.random.randint(1, 6), self.random.randint(1, 6)
        self.pot, self.stake, self.phase, self.is_folded = 4, 2, "bet", False
        self.bonus = 0

    def offer(self) -> Json | None:
        """Return the payload of the next request, None at the end of the round."""
        if self.phase == "over" or self.is_folded:
            return None
        if self.phase == "bet":
            offers: list[Json] = [
                {"type": "fold"},
                {"type": "call", "callAmount": 2},
                {"type": "raise", "minAmount": 3, "maxAmount": 12},
            ]
            if self.version != "1.0.0":  # from 1.1.0 on there is nothing else to do
                offers = [{"type": "double"}]
        else:
            offers = [
                {"type": "guess", "colour": colour, "loud": False, "hint": "it flickers"}
                for colour in ("red", "green", "blue")
            ]
            offers.append({"type": "wait"})
        return {
            "myDie": self.die,
            "pot": self.pot,
            "phase": self.phase,
            "availableActions": offers,
        }

    def take(self, chosen: Json) -> None:
        """Play an action."""
        kind = chosen["action"]
        self.is_folded = kind == "fold"
        fixed = {"call": 2, "double": 4}
        paid: int = fixed[kind] if kind in fixed else chosen.get("amount", 0)
        self.stake += paid
        self.pot += 2 * paid
        if kind == "guess" and chosen["colour"] == self.random.choice(["red", "green", "blue"]):
            self.bonus = 3
        self.phase = "over" if self.phase == "guess" else "guess"

    def end(self) -> Json:
        """Book the round; returns the payload of `round_result`."""
        wins = 0
        if not self.is_folded:
            wins = self.bonus + (self.pot if self.die > self.other else 0)
        rake = 1 if wins > 10 else 0
        self.chips["player"] += wins - rake - self.stake
        self.chips["house"] += self.stake - wins
        self.chips["rake"] += rake
        winner = {"playerId": "p1", "grossAmount": wins, "rake": rake, "netAmount": wins - rake}
        return {"winners": [winner] if wins else [], "totalRake": rake, "roll": self.other}
