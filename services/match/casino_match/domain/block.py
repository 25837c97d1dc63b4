"""A block of a match: the decks that were played together, and what came of them. Pure.

A block is a function of the plan and its number, as far as its players are. Its hands are kept as
their actions, from which everything else can be computed again. As canonical JSON, the same block
is the same bytes:

```
{"block": {"conduct", "decks", "number", "plan"}, "digest": "sha256:…", "latency": [{bucket: n}, …],
 "reported": [{"costs", "details", "models", "signers"}, …]}
```

The digest covers `block`, without the times and what players report, which differ from run to run.
Where no player reports anything, `reported` is absent.
"""

import json
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from typing import Any, Final

from casino_contracts import Outcome
from casino_contracts.play_counts import PlayCounts
from casino_contracts.play_statistics import LAST_BUCKET, CostSum, LatencySketch
from pydantic import TypeAdapter, ValidationError

from casino_match.domain.plan import Plan, seatings_of
from casino_match.errors import StoreFailed

_ACTION: Final = "(?:f|cc|cbr[1-9][0-9]{0,11})"
_HAND: Final = re.compile(f"(?:{_ACTION}(?: {_ACTION})*)?")
_FAULTS_SHOWN: Final = 3


@dataclass(frozen=True, slots=True)
class PlayedDeck:
    """One deck, played in every seating."""

    number: int
    net: tuple[int, ...]
    """What each player won or lost in all its hands, in chips; sums to 0."""
    controls: tuple[tuple[float, ...], ...]
    """Of each player, the sums of the control variates over its hands, in chips; see `luck`."""
    hands: tuple[str, ...]
    """The actions of the hand of each seating, such as `cc cbr6 f`: fold, check or call, and
    bet or raise to a total for the street. An all-in is a call or a raise to the whole stack."""
    nets: tuple[tuple[int, ...], ...] = ()
    """What each player won or lost in the hand of each seating, in chips, by player. Each hand
    sums to 0, and each player over the hands to `net`."""


@dataclass(slots=True)
class Reported:
    """What a player's program says of itself."""

    costs: CostSum = field(default_factory=CostSum)
    details: dict[str, str] = field(default_factory=dict)
    """Why defaults were played, in the newest words, by reason."""
    models: list[str] = field(default_factory=list)
    """The language models that signups name."""
    signers: list[str] = field(default_factory=list)
    """Thumbprints of the keys that signed its agent's card; absent in a file without any."""


@dataclass(slots=True)
class DecisionCounts:
    """How a player decided in a block."""

    outcomes: dict[Outcome, int] = field(default_factory=dict)
    defaulted: dict[str, int] = field(default_factory=dict)
    """Decisions with the outcome `defaulted`, by reason."""
    reported: Reported = field(default_factory=Reported)
    latency: LatencySketch = field(default_factory=LatencySketch)
    play: dict[str, PlayCounts] = field(default_factory=dict)
    """Counts of play by position: `BTN`, `SB`, `BB`, `UTG`, …"""
    net: dict[str, int] = field(default_factory=dict)
    """Chips won or lost by position."""
    hands: dict[str, int] = field(default_factory=dict)
    ended_on: dict[str, int] = field(default_factory=dict)
    """Chips won or lost by the street on which the hand's betting ended."""


@dataclass(frozen=True, slots=True)
class PlayedBlock:
    """The decks of one block, in order, and the conduct of each player."""

    plan: str
    number: int
    decks: tuple[PlayedDeck, ...]
    conduct: tuple[DecisionCounts, ...]


@dataclass(frozen=True)
class _BlockFile:
    block: PlayedBlock
    digest: str
    latency: tuple[dict[int, int], ...]
    reported: tuple[Reported, ...] = ()


_NOTHING: Final = Reported()
_FILE: Final[TypeAdapter[_BlockFile]] = TypeAdapter(_BlockFile)


def block_to_json(block: PlayedBlock) -> bytes:
    """Return a block as one line of canonical JSON."""
    content = _content(block)
    latency = [dict(sorted(conduct.latency.buckets.items())) for conduct in block.conduct]
    document = {"block": content, "digest": _digest(content), "latency": latency}
    reported = [conduct.reported for conduct in block.conduct]
    if any(each != _NOTHING for each in reported):
        document["reported"] = [_said_by(each) for each in reported]
    return _canonical(document)


def _said_by(reported: Reported) -> dict[str, Any]:
    said = asdict(reported)
    if not reported.signers:
        del said["signers"]
    return said


def block_digest(block: PlayedBlock) -> str:
    """Return the digest of a block without its times: `sha256:` and 64 hexadecimal digits."""
    return _digest(_content(block))


def block_from_json(data: bytes, plan: Plan, number: int) -> PlayedBlock:
    """Return a file's block if it is whole and of this plan; raises StoreFailed, with why."""
    try:
        stored = _FILE.validate_json(data, strict=True)
    except ValidationError as error:
        raise StoreFailed(f"block {number}: {_faults(error)}") from error
    for conduct, buckets in zip(stored.block.conduct, stored.latency, strict=False):
        conduct.latency = LatencySketch(buckets)
    for conduct, reported in zip(stored.block.conduct, stored.reported, strict=False):
        conduct.reported = reported
    for mistake in _mistakes(stored, plan, number):
        raise StoreFailed(f"block {number}: {mistake}")
    if stored.digest != block_digest(stored.block):
        raise StoreFailed(f"block {number}: digest: it is of another content: the file was changed")
    if block_to_json(stored.block) != data.strip():
        raise StoreFailed(f"block {number}: it is no canonical JSON: other keys, order or spaces")
    return stored.block


def _content(block: PlayedBlock) -> dict[str, Any]:
    """Return a block without its times. Decks, of which there are many, are not copied."""
    conduct = [asdict(each) for each in block.conduct]
    for each in conduct:
        del each["latency"], each["reported"]
        if not each["defaulted"]:
            del each["defaulted"]  # as in blocks of 0.1.0
    decks = [
        {name: getattr(deck, name) for name in PlayedDeck.__dataclass_fields__}
        for deck in block.decks
    ]
    return {"conduct": conduct, "decks": decks, "number": block.number, "plan": block.plan}


def _digest(content: dict[str, Any]) -> str:
    return "sha256:" + sha256(_canonical(content)).hexdigest()


def _canonical(value: dict[str, Any]) -> bytes:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return text.encode()


def _faults(error: ValidationError) -> str:
    faults = error.errors(include_url=False, include_context=False, include_input=False)
    return "; ".join(
        f"{'.'.join(map(str, fault['loc'])) or 'file'}: {fault['msg']}"
        for fault in faults[:_FAULTS_SHOWN]
    )


def _mistakes(stored: _BlockFile, plan: Plan, number: int) -> Iterator[str]:
    block, players = stored.block, len(plan.players)
    if block.plan != plan.digest:
        yield f"plan: it is of the plan {block.plan}, not {plan.digest}"
    if block.number != number:
        yield f"number: it is block {block.number}"
    numbers = [deck.number for deck in block.decks]
    if numbers != list(plan.decks_of(number)):
        yield f"decks: they are not the {len(plan.decks_of(number))} decks of the block, in order"
    if len(block.conduct) != players or len(stored.latency) != players:
        yield f"conduct, latency: not of {players} players"
    if stored.reported and len(stored.reported) != players:
        yield f"reported: not of {players} players"
    seatings = len(seatings_of(players, plan.deal.seatings))
    yield from _mistakes_of_decks(block.decks, players, seatings)
    for index, conduct in enumerate(block.conduct):
        net = sum(deck.net[index] for deck in block.decks)
        hands = seatings * len(block.decks)
        for mistake in _mistakes_of_conduct(conduct, net, hands):
            yield f"conduct.{index}.{mistake}"
    actions = sum(len(hand.split()) for deck in block.decks for hand in deck.hands)
    if actions != sum(sum(conduct.outcomes.values()) for conduct in block.conduct):
        yield "conduct: outcomes: their sum is not the number of actions"


def _mistakes_of_decks(decks: Sequence[PlayedDeck], players: int, seatings: int) -> Iterator[str]:
    for deck in decks:
        yield from _mistakes_of_deck(deck, players, seatings)
    if len({len(luck) for deck in decks for luck in deck.controls}) > 1:
        yield "decks.controls: their numbers differ"


def _mistakes_of_deck(deck: PlayedDeck, players: int, seatings: int) -> Iterator[str]:
    where = f"deck {deck.number}"
    if len(deck.net) != players or len(deck.controls) != players:
        yield f"{where}: net, controls: not of {players} players"
    if sum(deck.net):
        yield f"{where}: net: the chips add up to {sum(deck.net)}, not 0"
    if len(deck.hands) != seatings or len(deck.nets) != seatings:
        yield f"{where}: hands, nets: not of {seatings} seatings"
    if any(len(net) != players or sum(net) for net in deck.nets):
        yield f"{where}: nets: the chips of a hand do not add up to 0"
    elif tuple(map(sum, zip(*deck.nets, strict=True))) != deck.net:
        yield f"{where}: nets: they do not add up to net"
    for index, hand in enumerate(deck.hands):
        if not _HAND.fullmatch(hand):
            yield f"{where}: hands.{index}: an action is f, cc, or cbr with a total, such as cbr6"
    if not all(math.isfinite(luck) for lucks in deck.controls for luck in lucks):
        yield f"{where}: controls: they are no finite numbers"


def _mistakes_of_conduct(conduct: DecisionCounts, net: int, hands: int) -> Iterator[str]:
    counts = [count for play in conduct.play.values() for count in asdict(play).values()]
    counts += [*conduct.outcomes.values(), *conduct.hands.values(), *conduct.defaulted.values()]
    counts += [count for count in asdict(conduct.reported.costs).values() if isinstance(count, int)]
    buckets = conduct.latency.buckets
    if min([0, *counts, *buckets.values()]) < 0:
        yield "outcomes, defaulted, play, hands, latency, costs: there is no number below 0"
    if sum(conduct.defaulted.values()) != conduct.outcomes.get("defaulted", 0):
        yield "defaulted: the reasons do not add up to the outcome"
    if sum(conduct.hands.values()) != hands:
        yield f"hands: not {hands} in all positions together"
    if sum(conduct.net.values()) != net or sum(conduct.ended_on.values()) != net:
        yield f"net, ended_on: they do not add up to {net}, the net of the decks"
    if not all(0 <= bucket <= LAST_BUCKET for bucket in buckets):
        yield f"latency: a bucket is 0 to {LAST_BUCKET}"
    if conduct.latency.total != sum(conduct.outcomes.values()):
        yield "latency: their number is not that of the decisions"
