"""A poker table agent: seats, commands, and events to its casino; how it plays is a function."""

import random
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from foreign.document_peers import shapes
from foreign.document_peers.document_agent import DocumentAgent
from foreign.document_peers.wires import Json, Refused, Wire

RANKS = "23456789TJQKA"
SUITS = ("hearts", "diamonds", "clubs", "spades")

Card = dict[str, str]
Play = Callable[["DocumentTable", Json], None]
"""Plays a table's hands by a config, and ends the game."""


class DocumentTable(DocumentAgent):
    """The table agent, with the document's four entrypoints; its events say as little as it may.

    `answers_late`: `startGame` is answered when the game is over.
    """

    def __init__(self, wire: Wire, play: Play, seed: int, *, answers_late: bool) -> None:
        super().__init__("Document table", wire)
        self.reported: list[Json] = []
        self.hands = 0
        self.seats: list[Json] = []
        self.stacks: dict[str, float] = {}
        self.brought_in: float = 0
        self.configured: Json = {}
        self.dice = random.Random(seed)
        self._play, self._answers_late = play, answers_late
        self._status, self._message = "waiting", ""
        self._playing: threading.Thread | None = None
        self.offer("configureTable", shapes.CONFIGURE_TABLE, self._configure)
        self.offer("registerPlayer", shapes.TABLE_REGISTER, self._register)
        self.offer("startGame", shapes.OVERRIDES, self._start)
        self.offer("tableSummary", shapes.ANYTHING, lambda _: self.summary())

    def summary(self) -> Json:
        """Return the table's status, players and latest message."""
        return {
            "tableId": self.configured.get("tableId", ""),
            "status": self._status,
            "handCount": self.hands,
            "players": [
                {
                    "playerId": seat["playerId"],
                    "displayName": seat["displayName"],
                    "seatNumber": number,
                    "stack": self.stacks[seat["playerId"]],
                }
                for number, seat in enumerate(self.seats)
            ],
            "message": self._message,
        }

    def join(self) -> None:
        """Wait for the end of play."""
        if self._playing is not None:
            self._playing.join()

    def shuffled(self) -> list[Card]:
        cards = [{"rank": rank, "suit": suit} for rank in RANKS for suit in SUITS]
        self.dice.shuffle(cards)
        return cards

    def ask(self, player: str, question: Json) -> Json:
        """Return a player's answer; one that is not of the document's shape is a violation."""
        seat = next(seat for seat in self.seats if seat["playerId"] == player)
        request = {"tableId": self.configured["tableId"], **question}
        answer = self.call(seat["agentCardUrl"], seat["actionSkill"], request)
        if not self.note("act output", shapes.ACTION_RESPONSE, answer):
            return {"action": "fold"}
        return answer

    def tell(self, kind: str, message: str, payload: Json | None = None) -> None:
        """Send an event to the casino. Raises Refused."""
        event: Json = {
            "tableId": self.configured["tableId"],
            "eventType": kind,
            "message": message,
            "timestamp": datetime.now(UTC).isoformat(timespec="milliseconds"),
        }
        if payload is not None:
            event["payload"] = payload
        callback = self.configured["casinoCallback"]
        self.reported.append(event)
        self.call(callback["agentCardUrl"], callback["eventSkill"], event)

    def end(self, message: str) -> None:
        """End the game, and tell nobody."""
        self._status, self._message = "idle", message

    def _configure(self, request: Json) -> Json:
        if self._status == "running":
            raise Refused("a game is running")
        self.configured = request
        self.seats, self.stacks, self.hands, self.brought_in = [], {}, 0, 0
        self._status, self._message = "waiting", "configured"
        self.tell("table_status", self._message)
        return self.summary()

    def _register(self, player: Json) -> Json:
        if len(self.seats) == self.configured["config"]["maxSeats"]:
            raise Refused("the table is full")
        self.stacks[player["playerId"]] = player["startingStack"]
        self.brought_in += player["startingStack"]
        self.seats.append(player)
        seat: Json = self.summary()["players"][-1]
        told = {name: seat[name] for name in ("playerId", "seatNumber", "stack")}
        self.tell("player_registered", f"{player['displayName']} sits down", told)
        return seat

    def _start(self, overrides: Json) -> Json:
        if self._status == "running" or len(self.seats) < 2:
            raise Refused("two players and no running game are needed")
        self._status = "running"
        config = {**self.configured["config"], **overrides}
        self._playing = threading.Thread(target=self._run, args=(config,))
        self._playing.start()
        if self._answers_late:
            self._playing.join()
        return self.summary()

    def _run(self, config: Json) -> None:
        try:
            self._play(self, config)
        except Exception as error:  # noqa: BLE001  a thread has nobody else to tell
            self.violations.append(f"the game stopped: {error!r}")
            self._status = "error"


def best_of(players: list[str], holes: dict[str, list[Card]]) -> str:
    """Return the winner; how hands are ranked is nobody else's concern."""
    return max(players, key=lambda one: max(RANKS.index(card["rank"]) for card in holes[one]))


def chips(amount: float) -> Any:
    """Return an amount as JSON has it: a whole one as an integer."""
    return int(amount) if amount == int(amount) else amount
