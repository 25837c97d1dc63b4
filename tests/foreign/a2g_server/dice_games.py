"""Two games that only this server knows, each with its specification as an A2G operator writes it.

`lantern-duel` is turn-based, `six-wheel` has a betting window. Written from the protocol's
documents; chips are conserved between player, bank and rake.
"""

import json
from random import Random
from typing import Any

Json = dict[str, Any]

FRONT = """---
gameType: {game_type}
version: "{version}"
name: "{name}"
category: {category}
gameModel: {model}
players:
  min: 1
  max: 1
houseEdge: "one chip of a pot over ten"
defaultTimeoutAction: {default}
schemaFormat: json-schema
---

# {name}

## 1. Overview

{overview}

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


def schema(name: str, document: Json) -> Json:
    """Return a schema with its dialect and id."""
    dialect = "https://json-schema.org/draft/2020-12/schema"
    return {"$schema": dialect, "$id": f"https://games.example/{name}", **document}


def action(kind: str, **parameters: Json) -> Json:
    """Return the schema of one kind of action."""
    return closed(["action", *parameters], action={"const": kind}, **parameters)


CHIPS = {"type": "integer", "minimum": 0}
WINNER = closed(
    ["playerId", "grossAmount", "rake", "netAmount"],
    playerId={"type": "string"},
    grossAmount=CHIPS,
    rake=CHIPS,
    netAmount=CHIPS,
)


class Game:
    """One round at a time: `offer` until it is None, each followed by `take`."""

    game_type = ""
    model = "turn_based"
    category = "dice"
    default = "fold"
    overview = ""
    version = "1.0.0"

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.chips = {"player": 10_000, "house": 10_000, "rake": 0}

    def actions(self) -> list[Json]:
        """Return the schemas of the actions."""
        raise NotImplementedError

    def state(self) -> Json:
        """Return the schema of the payload of a request."""
        raise NotImplementedError

    def result(self) -> Json:
        """Return the schema of the payload of `round_result`."""
        return closed(
            ["winners", "totalRake", "roll"],
            winners={"type": "array", "items": WINNER},
            totalRake=CHIPS,
            roll={"type": "integer"},
        )

    def schemas(self) -> dict[str, Json]:
        """Return the three schemas by part."""
        name = f"{self.game_type}/{self.version}"
        return {
            "state": schema(f"{name}/state", self.state()),
            "action": schema(f"{name}/action", {"oneOf": self.actions()}),
            "result": schema(f"{name}/result", self.result()),
        }

    def document(self) -> str:
        """Return the specification."""
        parts = {part: json.dumps(text, indent=1) for part, text in self.schemas().items()}
        return FRONT.format(
            game_type=self.game_type,
            version=self.version,
            name=self.game_type.title(),
            category=self.category,
            model=self.model,
            default=self.default,
            overview=self.overview,
            **parts,
        )

    def pay(self, stake: int, *, wins: int, roll: int) -> Json:
        """Book a round: the player paid `stake` and gets `wins`; returns the round's result."""
        rake = 1 if wins > 10 else 0
        self.chips["player"] += wins - rake - stake
        self.chips["house"] += stake - wins
        self.chips["rake"] += rake
        winner = {"playerId": "p1", "grossAmount": wins, "rake": rake, "netAmount": wins - rake}
        return {"winners": [winner] if wins else [], "totalRake": rake, "roll": roll}


class LanternDuel(Game):
    """A die, a bet, and a guess; a later version adds `double`."""

    game_type = "lantern-duel"
    overview = "Who has the higher die wins; then guess the lantern's colour."

    def actions(self) -> list[Json]:
        """Return the schemas of the actions; those of 1.1.0 have one more."""
        listed = [
            action("fold"),
            action("call"),
            action("raise", amount={"type": "integer", "minimum": 1}),
            action("guess", colour={"enum": ["red", "green", "blue"]}, loud={"type": "boolean"}),
            action("wait"),
        ]
        return [*listed, action("double")] if self.version != "1.0.0" else listed

    def state(self) -> Json:
        """Return the schema of the payload of `game_action_request`."""
        return closed(
            ["myDie", "pot", "phase", "availableActions"],
            myDie={"type": "integer", "minimum": 1, "maximum": 6},
            pot=CHIPS,
            phase={"enum": ["bet", "guess"]},
            availableActions={"type": "array", "minItems": 1, "items": {"type": "object"}},
        )

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
        """Return the payload of `round_result`."""
        wins = 0
        if not self.is_folded:
            wins = self.bonus + (self.pot if self.die > self.other else 0)
        return self.pay(self.stake, wins=wins, roll=self.other)


class SixWheel(Game):
    """A wheel of six numbers, with a betting window."""

    game_type = "six-wheel"
    model = "phase_based"
    category = "table"
    default = "no_bet"
    overview = "Bet on what comes."

    def actions(self) -> list[Json]:
        """Return the schemas of the actions."""
        kinds = {"enum": ["low", "high", "lucky"]}
        amount = {"type": "integer", "minimum": 1, "maximum": 20}
        return [action("no_bet"), action("place_bet", betType=kinds, amount=amount)]

    def state(self) -> Json:
        """Return the schema of the payload of `betting_window_open`."""
        return closed(
            ["lastRoll", "availableActions"],
            lastRoll={"type": ["integer", "null"]},
            availableActions={"type": "array"},
        )

    def begin(self) -> None:
        """Open a window."""
        self.bet: Json | None = None
        self.is_asked = False
        self.roll = self.random.randint(1, 6)

    def offer(self) -> Json | None:
        """Return the payload of the window, then None."""
        if self.is_asked:
            return None
        self.is_asked = True
        bets = {"betTypes": ["low", "high", "lucky"], "minBet": 1, "maxBet": 20}
        offers = [{"type": "place_bet", **bets}, {"type": "no_bet"}]
        return {"lastRoll": None, "availableActions": offers}

    def take(self, chosen: Json) -> None:
        """Take a bet."""
        self.bet = chosen if chosen["action"] == "place_bet" else None

    def end(self) -> Json:
        """Return the payload of `round_result`."""
        if self.bet is None:
            return self.pay(0, wins=0, roll=self.roll)
        hits = {"low": self.roll <= 3, "high": self.roll > 3, "lucky": self.roll == 6}
        times = 6 if self.bet["betType"] == "lucky" else 2
        wins = self.bet["amount"] * times if hits[self.bet["betType"]] else 0
        return self.pay(self.bet["amount"], wins=wins, roll=self.roll)
