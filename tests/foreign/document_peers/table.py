"""A poker table agent: seats, hands of Hold'em, and events to its casino."""

import random
import threading
from datetime import UTC, datetime
from typing import Any

from foreign.document_peers import shapes
from foreign.document_peers.a2a import DocumentAgent, Refused, call

RANKS = "23456789TJQKA"
SUITS = ("hearts", "diamonds", "clubs", "spades")
ROUNDS = {"preflop": 0, "flop": 3, "turn": 4, "river": 5}
"""Betting rounds, with how many cards are on the board."""


class DocumentTable(DocumentAgent):
    """The table agent, with the document's four entrypoints."""

    def __init__(self, seed: int) -> None:
        super().__init__("Document table")
        self.reported: list[dict[str, Any]] = []
        self.hands = 0
        self.seats: list[dict[str, Any]] = []
        self.stacks: dict[str, int] = {}
        self.brought_in = 0
        self._configured: dict[str, Any] = {}
        self._status, self._message = "waiting", ""
        self._dice = random.Random(seed)
        self._playing: threading.Thread | None = None
        keys = "tableId config casinoCallback"
        self.offer("configureTable", shapes.CONFIGURE_TABLE, keys, self._configure)
        keys = "playerId agentCardUrl startingStack"
        self.offer("registerPlayer", shapes.TABLE_REGISTER, keys, self._register)
        self.offer("startGame", shapes.OVERRIDES, "", self._start)
        self.offer("tableSummary", shapes.ANYTHING, "", lambda _: self.summary())

    def summary(self) -> dict[str, Any]:
        """Return the table's status, players and latest message."""
        return {
            "tableId": self._configured.get("tableId", ""),
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

    def _configure(self, request: dict[str, Any]) -> dict[str, Any]:
        if self._status == "running":
            raise Refused("a game is running")
        self._configured = request
        self.seats, self.stacks, self.hands, self.brought_in = [], {}, 0, 0
        self._status = "waiting"
        self._tell("table_status", "configured", {"status": self._status})
        return self.summary()

    def _register(self, player: dict[str, Any]) -> dict[str, Any]:
        if len(self.seats) == self._configured["config"]["maxSeats"]:
            raise Refused("the table is full")
        self.stacks[player["playerId"]] = player["startingStack"]
        self.brought_in += player["startingStack"]
        self.seats.append(player)
        seat: dict[str, Any] = self.summary()["players"][-1]
        self._tell("player_registered", f"{player['displayName']} sits down", seat)
        return seat

    def _start(self, overrides: dict[str, Any]) -> dict[str, Any]:
        if self._status == "running" or len(self.seats) < 2:
            raise Refused("two players and no running game are needed")
        self._status = "running"
        config = {**self._configured["config"], **overrides}
        self._playing = threading.Thread(target=self._play, args=(config,))
        self._playing.start()
        return self.summary()

    def _play(self, config: dict[str, Any]) -> None:
        """Play hands until the limit: stacks outlast them."""
        order = [seat["playerId"] for seat in self.seats]
        try:
            for number in range(config["maxHands"]):
                first = number % len(order)
                self._play_hand([*order[first:], *order[:first]], config)
            self._status = "idle"
            self._tell("table_status", f"{self.hands} hands", {"status": self._status})
        except Exception as error:  # noqa: BLE001  a thread has nobody else to tell
            self.violations.append(f"the game stopped: {error!r}")
            self._status = "error"

    def _play_hand(self, order: list[str], config: dict[str, Any]) -> None:
        """Play a hand in which nobody may raise; how hands are ranked is nobody else's concern."""
        cards = [{"rank": rank, "suit": suit} for rank in RANKS for suit in SUITS]
        self._dice.shuffle(cards)
        self._tell("hand_started", "a hand begins", {"stacks": dict(self.stacks)})
        holes = {player: [cards.pop(), cards.pop()] for player in order}
        blinds = zip(order, (config["smallBlind"], config["bigBlind"]), strict=False)
        paid = dict.fromkeys(order, 0) | dict(blinds)
        left = list(order)
        for name, board in ROUNDS.items():
            for player in order:
                if player not in left or len(left) == 1:
                    continue
                owes = config["bigBlind"] - paid[player]
                question = {
                    "bettingRound": name,
                    "communityCards": cards[:board],
                    "holeCards": holes[player],
                    "pot": sum(paid.values()),
                    "minimumRaise": config["bigBlind"],
                    "currentBet": config["bigBlind"] if name == "preflop" else 0,
                    "playerStack": self.stacks[player] - paid[player],
                    "legalActions": ["fold", "call"] if owes else ["check"],
                }
                kind = self._ask(player, question)["action"]
                if kind == "fold":
                    left.remove(player)
                paid[player] += owes if kind == "call" else 0
                payload = {"playerId": player, "action": kind, "pot": sum(paid.values())}
                self._tell("action_taken", f"{player}: {kind}", payload)
        winner = max(left, key=lambda one: max(RANKS.index(card["rank"]) for card in holes[one]))
        for player in order:
            self.stacks[player] -= paid[player]
        self.stacks[winner] += sum(paid.values())
        self.hands += 1
        self._tell("hand_completed", "it is over", {"won": winner, "left": dict(self.stacks)})

    def _ask(self, player: str, question: dict[str, Any]) -> dict[str, Any]:
        seat = next(seat for seat in self.seats if seat["playerId"] == player)
        request = {"tableId": self._configured["tableId"], **question}
        answer = call(seat["agentCardUrl"], seat["actionSkill"], request)
        if not self.note("act output", shapes.ACTION_RESPONSE, answer):
            return {"action": "fold"}
        if answer["action"] not in question["legalActions"]:
            self.violations.append(f"{answer} is none of {question['legalActions']}")
        return answer

    def _tell(self, kind: str, message: str, payload: dict[str, Any]) -> None:
        event = {
            "tableId": self._configured["tableId"],
            "eventType": kind,
            "message": message,
            "timestamp": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "payload": payload,
        }
        callback = self._configured["casinoCallback"]
        self.reported.append(event)
        call(callback["agentCardUrl"], callback["eventSkill"], event)
