"""The result of a session, from its public events: what a lobby signs, and how anybody checks it.

Pure. An event is the JSON object that `GET /v1/rooms/{roomId}/events` returns.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Final, NamedTuple

from casino_agentkit.canonical_json import canonical_json, decoded, encoded
from casino_contracts import SessionResult
from casino_contracts.events.content import (
    KINDS,
    EventContent,
    HandCompleted,
    HandStarted,
    PlayerRegistered,
    StatusChanged,
    content_of,
    stacks_of,
)
from casino_contracts.numbers import MAX_SAFE
from casino_contracts.signed_results import RESULT_PROTOCOL
from pydantic import ValidationError

MOST_PLAYERS: Final = 64
"""Maximum number of players of a result: those who came first."""
_DECIMALS: Final = 6
_BEGINNING: Final = encoded(bytes(32))

Event = Mapping[str, Any]
EventAt = tuple[int, int]
"""Epoch and sequence of an event."""


class _Read(NamedTuple):
    event_type: Any
    payload: Mapping[str, Any] | None


class SignedAs(NamedTuple):
    """What the lobby knows of a player that no event says."""

    display_name: str | None = None
    key: str | None = None
    """Thumbprint of the key that signed its card."""


@dataclass
class PlayerTally:
    """A player's chips and completed hands of a session."""

    name: str | None = None
    net: float = 0
    stack: float | None = None
    hands: int = 0


@dataclass
class SessionTally:
    """What the events of a session say so far; it takes them one after the other."""

    place: EventAt = (1, 0)
    """Of the last event."""
    first: EventAt | None = None
    chain: str = _BEGINNING
    events: int = 0
    hands: int = 0
    has_begun: bool = False
    players: dict[str, PlayerTally] = field(default_factory=dict)
    before: dict[str, float] = field(default_factory=dict)
    """The stacks with which the running hand began."""

    def add(self, event: Event, epoch: int) -> bool:
        """Take an event of an epoch; return whether the session ends with it.

        Raises ValueError if it has no canonical form.
        """
        self.chain = encoded(sha256(decoded(self.chain) + canonical_json(dict(event))).digest())
        self.place = (epoch, event.get("sequence") or self.place[1] + 1)
        self.first = self.first or self.place
        self.events += 1
        match _said(event):
            case PlayerRegistered(seat=seat):
                self._meet(seat.player_id, seat.name, seat.stack)
            case HandStarted() as started:
                self.has_begun = True
                for seat in started.players:
                    self._meet(seat.player_id, seat.name, seat.stack)
                self.before = {
                    key: player.stack
                    for key, player in self.players.items()
                    if player.stack is not None
                }
            case HandCompleted() as completed:
                self._complete(stacks_of(completed.stacks))
            case StatusChanged() as changed:
                return self._change(changed)
        return False

    def statement(
        self, room_id: str, game_type: str, players: Mapping[str, SignedAs]
    ) -> dict[str, Any]:
        """Return the result of the session that has ended, to be sealed, as JSON."""
        first = self.first or self.place
        return {
            "protocol": RESULT_PROTOCOL,
            "roomId": room_id,
            "gameType": game_type,
            "first": dict(zip(("epoch", "sequence"), first, strict=True)),
            "last": dict(zip(("epoch", "sequence"), self.place, strict=True)),
            "events": self.events,
            "hands": self.hands,
            "chain": self.chain,
            "players": [
                _outcome(player_id, player, players.get(player_id, SignedAs()))
                for player_id, player in self.players.items()
                if player.hands
            ],
        }

    def _meet(self, player_id: str, name: str | None, stack: float | None) -> None:
        if player_id not in self.players and len(self.players) == MOST_PLAYERS:
            return
        player = self.players.setdefault(player_id, PlayerTally())
        player.name = name or player.name
        player.stack = player.stack if stack is None else stack

    def _complete(self, stacks: Mapping[str, float]) -> None:
        self.hands += 1
        for player_id, stack in stacks.items():
            before = self.before.get(player_id, stack)  # unknown: its table does not say it
            self._meet(player_id, None, stack)
            if player := self.players.get(player_id):
                player.net = _exact(player.net + stack - before)
                player.hands += 1
        self.before = {}

    def _change(self, changed: StatusChanged) -> bool:
        player = self.players.get(changed.player_id or "")
        match changed.kind:
            case "started":
                self.has_begun = True
            case "hand_cancelled":
                self.before = {}
            case "rebought" | "cashed_out" as kind if player:
                amount = changed.amount or 0
                bought = amount if kind == "rebought" else -amount
                player.stack = _exact((player.stack or 0) + bought)
                if changed.player_id in self.before:  # it is no result of the running hand
                    self.before[changed.player_id] = _exact(self.before[changed.player_id] + bought)
            case "finished" | "closed":
                return self.has_begun
            case None:  # a table of the document alone says it by its status
                return changed.status == "idle" and self.hands > 0
        return False


def may_end(event_type: str, payload: Mapping[str, Any] | None) -> bool:
    """Return whether a session may end with an event, without reading it."""
    return event_type == "table_status" and (payload or {}).get("kind") in {
        "finished",
        "closed",
        None,
    }


class ResultCheck:
    """Checks one signed result, the JSON of a `SessionResult`, against the events of its room.

    `signer` is the thumbprint of the key that must have signed it.
    """

    def __init__(self, statement: Mapping[str, Any], signer: str | None = None) -> None:
        # Imported lazily: few processes check signatures.
        from casino_agentkit.card_key import sealed_by  # noqa: PLC0415

        self.fault: str | None = None
        """What is wrong first."""
        self.key: str | None = None
        """Thumbprint of the key that has signed it."""
        self.is_covered = False
        """Whether its first event was there: old ones may be deleted."""
        self.session = "no session"
        """Its room, and the places of its first and last event."""
        self._statement = statement
        self._ends: EventAt | None = None
        try:
            self._result = _read_result(statement)
            first, last = self._result.first, self._result.last
            self._first, self._last = (first.epoch, first.sequence), (last.epoch, last.sequence)
            self._epoch = first.epoch
            self._tally = SessionTally((first.epoch, first.sequence - 1))
            self.session = f"{self._result.room_id} {_text(self._first)} to {_text(self._last)}"
            self.key = sealed_by(statement)
        except ValueError as error:
            self.fault = str(error)
            return
        if signer not in {None, self.key}:
            self.fault = f"key: {self.key} has signed it, not {signer}"

    def take(self, event: Event) -> None:
        """Take the next event of the room; those of other sessions are skipped."""
        if self.fault is not None:
            return
        self._epoch = _number(event.get("epoch")) or self._epoch
        place, tally = (self._epoch, _number(event.get("sequence"))), self._tally
        if not self._first <= place <= self._last:
            return
        self.is_covered |= place == self._first
        if place <= tally.place:
            self.fault = f"events: {_text(place)} comes after {_text(tally.place)}"
        elif self._ends is not None:
            self.fault = f"last: the session ends with {_text(self._ends)}, not {_text(self._last)}"
        else:
            self._add(event, place)

    def _add(self, event: Event, place: EventAt) -> None:
        try:
            if self._tally.add(event, place[0]):
                self._ends = place
        except ValueError as error:
            self.fault = f"events: {_text(place)} {error}"

    def end(self) -> str | None:
        """Return what is wrong first, after the last event; None if nothing is."""
        self.fault = self.fault or self._difference() or self._other_numbers()
        return self.fault

    def _difference(self) -> str | None:
        tally, result = self._tally, self._result
        covered = f"from {_text(self._first)} to {_text(self._last)}"
        if tally.events != result.events:
            return f"events: there are {tally.events} {covered}, not {result.events}"
        if tally.chain != result.chain:
            return f"chain: the events {covered} are not those that were signed: one was changed"
        if self._ends != self._last:
            return f"last: no session ends with {_text(self._last)}"
        return None

    def _other_numbers(self) -> str | None:
        """Return where a result says something else than the very events that it covers."""
        tally, result = self._tally, self._result
        signed = {
            player.player_id: SignedAs(player.display_name, player.key) for player in result.players
        }
        for player_id, player in tally.players.items():
            name = signed.get(player_id, SignedAs()).display_name
            if name and player.name not in {None, player_id, name}:
                return f"players: {player_id} is {player.name!r} in the events, not {name!r}"
        again = tally.statement(result.room_id, result.game_type, signed)
        for part in ("hands", "players"):
            said = self._statement[part]
            if canonical_json(again[part]) != canonical_json(said):
                return f"{part}: the events give {again[part]}, not {said}"
        return None


def check_result(
    statement: Mapping[str, Any],
    events: Iterable[Event] | None = None,
    signer: str | None = None,
) -> str | None:
    """Return what is wrong first with a signed result of a session, or None; as `ResultCheck`.

    `events` are those of its room in order; without them only the signature is checked.
    """
    check = ResultCheck(statement, signer)
    if events is None:
        return check.fault
    for event in events:
        check.take(event)
    return check.end()


def _read_result(statement: Mapping[str, Any]) -> SessionResult:
    """Raise ValueError, naming the field, for a result that is none."""
    try:
        result = SessionResult.model_validate(statement)
    except ValidationError as error:
        first = error.errors()[0]
        raise ValueError(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from error
    if result.protocol != RESULT_PROTOCOL:
        raise ValueError(f"protocol: {result.protocol!r} is not {RESULT_PROTOCOL}")
    return result


def _said(event: Event) -> EventContent | None:
    kind, payload = event.get("eventType"), event.get("payload")
    if not isinstance(kind, str) or kind not in KINDS:
        return None
    return content_of(_Read(kind, payload if isinstance(payload, Mapping) else None))


def _outcome(player_id: str, player: PlayerTally, known: SignedAs) -> dict[str, Any]:
    outcome = {
        "playerId": player_id,
        "displayName": known.display_name or player.name or player_id,
        "net": max(-MAX_SAFE, min(MAX_SAFE, player.net)),
        "stack": player.stack,
        "hands": player.hands,
    }
    return outcome if known.key is None else {**outcome, "key": known.key}


def _exact(amount: float) -> float:
    return round(amount, _DECIMALS)


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0


def _text(place: EventAt) -> str:
    return f"{place[0]}/{place[1]}"
