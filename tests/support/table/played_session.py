"""A session as a table reports it to the lobby, and what has to follow from it."""

import json
from collections import Counter
from typing import Any

from casino_contracts import TableAgentSkills, TableEvent
from casino_contracts.events.content import content_of
from casino_lobby.domain.player_results import RoomResults
from casino_lobby.domain.room import Room
from casino_lobby.domain.room_fold import apply, big_blind_of
from casino_lobby.domain.room_views import standings_of

from support.table.table_side import config


class PlayedSession:
    """A room, the events that its table reports, and what has to follow from them."""

    def __init__(self, game_type: str = "texas-holdem", **rules: Any) -> None:
        self.room = Room("r1", "t1", config(**rules), game_type, TableAgentSkills())
        self.events: list[tuple[int, TableEvent]] = []
        self.stacks: dict[str, float] = {}
        self.number = 0
        # What has to follow:
        self.nets: dict[str, float] = {}
        self.results: dict[str, list[float]] = {}
        self.outcomes: dict[str, Counter[str]] = {}

    def report(self, kind: str, /, **payload: Any) -> None:
        """Record an event, as the lobby does."""
        event = TableEvent.model_validate(
            {
                "tableId": "t1",
                "eventType": kind,
                "message": kind,
                "timestamp": "2026-11-20T19:43:00.123Z",
                "sequence": self.room.last_sequence + 1,
                "payload": payload,
            }
        )
        self.events.append((self.room.epoch, event))
        apply(self.room, event)

    def sit(self, player_id: str, stack: float = 200, **more: Any) -> None:
        seat = {"playerId": player_id, "displayName": player_id.upper(), "stack": stack}
        card = {"seatNumber": len(self.stacks), "agentCardUrl": f"http://{player_id}/"}
        self.report("player_registered", **{**seat, **card, **more})
        self.stacks[player_id] = stack
        self.results.setdefault(player_id, [])
        self.outcomes.setdefault(player_id, Counter())

    def leave(self, player_id: str) -> None:
        self.status("left", playerId=player_id, stack=self.stacks.pop(player_id))

    def status(self, kind: str, **more: Any) -> None:
        self.report("table_status", kind=kind, status="running", **more)

    def buy(self, player_id: str, amount: float) -> None:
        self.stacks[player_id] += amount
        kind = "rebought" if amount > 0 else "cashed_out"
        stack = self.stacks[player_id]
        self.status(kind, playerId=player_id, amount=abs(amount), stack=stack)

    def begin_hand(self, blind: float | None = 2) -> None:
        self.number += 1
        players = [
            {"playerId": player_id, "seatNumber": number, "stack": stack}
            for number, (player_id, stack) in enumerate(self.stacks.items())
        ]
        stated = {} if blind is None else {"bigBlind": blind}
        self.report("hand_started", handNumber=self.number, players=players, **stated)

    def act(self, player_id: str, outcome: str, **more: Any) -> None:
        named = {"playerId": player_id, "handNumber": self.number}
        self.report("action_taken", **named, action="fold", outcome=outcome, **more)

    def end_hand(
        self, changes: dict[str, float], blind: float, acts: Any = (), **more: Any
    ) -> None:
        """Complete a hand, and note what has to follow."""
        stacks = []
        for player_id, change in changes.items():
            self.stacks[player_id] += change
            stacks.append({"playerId": player_id, "stack": self.stacks[player_id]})
            self.nets[player_id] = self.nets.get(player_id, 0) + change
            self.results[player_id].append(change / blind)
        for player_id, outcome in acts:
            self.outcomes[player_id][outcome] += 1
        self.report("hand_completed", handNumber=self.number, stacks=stacks, **more)

    def hand(self, blind: float = 2, /, **changes: float) -> None:
        self.begin_hand(blind)
        self.end_hand(changes, blind)

    def restart(self) -> None:
        self.room = Room.from_json(json.loads(json.dumps(self.room.to_json())))

    def recount(self) -> RoomResults:
        results = RoomResults()
        for epoch, event in self.events:
            results.add(content_of(event), epoch, big_blind_of(self.room), event.timestamp)
        return results

    def lines(self) -> dict[str, dict[str, Any]]:
        document = standings_of(self.room).model_dump(mode="json")
        return {line["playerId"]: line for line in document["players"]}
