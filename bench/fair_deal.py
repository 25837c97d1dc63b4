"""CPU of a fair deal at the table, its bytes in events, and the CPU of checking it afterwards.

Sample players play `BLOCKS` blocks of hands of Hold'em at six seats; the lobby and all players
contribute. Prints one JSON line. Limits:

* a hand at the table (its part of the commitment, cards, six proofs and the opening) costs as much
  as `MOST_AT_TABLE` SHA-256 of 32 bytes at most: 0.5 ms where one takes 0.42 µs;
* a hand has at most `MOST_BYTES` in events: its opening, and its part of the two events of a block;
* a hand is checked from the room's events for `MOST_TO_CHECK` SHA-256: 1,000 hands in a second.

The least CPU time of a lap counts, and hashes are measured in turns with the rest, so that neither
the machine nor what else it does is measured.
"""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import timedelta
from hashlib import sha256
from statistics import mean
from typing import Any, cast

from casino_agentkit.canonical_json import encoded
from casino_agentkit.card_key import CardKey
from casino_agentkit.fair_deal import block_root, commitment_to
from casino_contracts import (
    ActionRequest,
    Contribution,
    DealContributed,
    EntropyCommitment,
    SigningKey,
    StatusPayload,
    TableConfig,
    WireModel,
)
from casino_histories.fair_check import checked
from casino_play.holdem_question import HoldemQuestion
from casino_play.turn import Decision
from casino_player_example.style_catalogue import decide_of
from casino_table.domain.seat import Places, Seat, next_deal
from casino_table.domain.table import Table
from casino_table.play.deal_block import BlockHand, CommittedBlock
from casino_table.play.running_hand import RunningHand, deck_plan
from rig import print_report

BLOCKS, HANDS, LAPS = 10, 100, 7
STYLES = ("aggressive", "caller", "cautious", "loose", "tight", "tricky")
STACK = 200
MOST_AT_TABLE, MOST_TO_CHECK, MOST_BYTES = 1_200, 2_400, 1_200
_HASHES = 20_000
_CLOCK = timedelta(seconds=7)
_CONFIG = {"startingStack": STACK, "smallBlind": 1, "bigBlind": 2, "minBuyIn": 40}


@dataclass
class PlayedBlock:
    """The hands of a block, and its events."""

    block: CommittedBlock
    events: list[dict[str, Any]]
    opened: dict[int, tuple[int, ...]] = field(default_factory=dict)
    """The leaves that were opened, by number of the hand."""


class PlayedRoom:
    """A room of sample players."""

    def __init__(self) -> None:
        config = TableConfig.model_validate(
            {**_CONFIG, "maxBuyIn": 400, "maxHands": BLOCKS * HANDS, "maxSeats": len(STYLES)}
        )
        self.bytes_of_deal = 0
        self.blocks: list[PlayedBlock] = []
        self._events = 0
        self._table = Table("main", "casino", config, 1, "texas-holdem", {})
        self._seats = [
            Seat(number, f"{style}-{number}", style, "http://player/", "act", STACK)
            for number, style in enumerate(STYLES)
        ]
        self._table.bought_in = STACK * len(STYLES)
        self._table.seats = {seat.number: seat for seat in self._seats}
        self._key = CardKey.new()
        last: Places | None = None
        for first in range(1, BLOCKS * HANDS, HANDS):
            played = self._new_block(first)
            self.blocks.append(played)
            for number in range(first, first + HANDS):
                for seat in self._seats:
                    seat.stack = STACK
                deal = next_deal(self._seats, last, number)
                last = deal.places
                hand = RunningHand(self._table, deal, BlockHand(played.block, number))
                played.events += self._play(hand)
                opening = played.events[-1]["payload"]["opening"]
                played.opened[number] = tuple(opening.get("leaves", ()))
                self.bytes_of_deal += len(json.dumps({"opening": opening}, separators=(",", ":")))

    def _new_block(self, first: int) -> PlayedBlock:
        players = tuple(seat.player_id for seat in self._seats)
        parts = {who: sha256(f"{who} {first}".encode()).digest() for who in (None, *players)}
        block = CommittedBlock(
            f"main/1/{1 + first // HANDS}",
            "texas-holdem",
            first,
            HANDS,
            *deck_plan(self._table, len(players)),
            players,
            encoded(sha256(b"secret %d" % first).digest()),
            tuple(
                EntropyCommitment(player_id=who, commitment=commitment_to(part))
                for who, part in parts.items()
            ),
        )
        roots = [block.root_of(number) for number in range(first, first + HANDS)]
        key = SigningKey.model_validate(self._key.public.jwk)
        fields = json.loads(block.committed(roots, key).wire())
        fields["signature"] = encoded(self._key.sign(block_root(fields)))
        contributed = DealContributed(
            block=block.name,
            contributions=tuple(
                Contribution(player_id=who, entropy=encoded(part)) for who, part in parts.items()
            ),
        )
        told = (
            {"kind": "deal_committed", "commitment": fields},
            {"kind": "deal_contributed", "contributed": json.loads(contributed.wire())},
        )
        payloads = [StatusPayload.model_validate({"status": "running", **one}) for one in told]
        self.bytes_of_deal += sum(len(payload.wire()) for payload in payloads)
        block = replace(block, commitment=fields).contributed(contributed.contributions)
        events = [self._event("table_status", payload) for payload in payloads]
        return PlayedBlock(block, events)

    def _play(self, hand: RunningHand) -> list[dict[str, Any]]:
        decide = {seat.player_id: decide_of(seat.display_name) for seat in self._seats}
        drafts = hand.started()
        while not hand.is_over:
            seat = hand.next_seat
            question = cast("HoldemQuestion", hand.question(seat))
            request = ActionRequest.model_validate_json(question.request(1, _CLOCK, None))
            action = question.action(decide[seat.player_id](request))
            drafts += hand.act(Decision(action, "ok"))
        drafts += hand.settle()
        return [self._event(draft.event_type, draft.payload) for draft in drafts]

    def _event(self, event_type: str, payload: WireModel) -> dict[str, Any]:
        self._events += 1
        return {
            "tableId": "main",
            "eventType": event_type,
            "payload": json.loads(payload.wire()),
            "epoch": 1,
            "sequence": self._events,
        }


def at_table(played: PlayedBlock) -> None:
    """Do for each hand what a table does more than without a fair deal, and write it as JSON."""
    for number, opened in played.opened.items():
        played.block.root_of(number)
        hand = BlockHand(played.block, number)
        hand.dealt()
        for leaf in range(len(STYLES)):
            hand.proof(leaf).wire()
        hand.opening(opened).wire()


def check(played: PlayedBlock) -> None:
    """Check all hands, of which none may have a fault."""
    report = checked(played.events)
    if report.fault or report.checked != HANDS:
        raise RuntimeError(f"{report.checked} of {HANDS} hands are checked: {report.fault}")


def hash_often(_played: PlayedBlock) -> None:
    content = bytes(32)
    for _count in range(_HASHES):
        sha256(content).digest()


def cpu_us(work: Callable[[PlayedBlock], None], room: PlayedRoom, times: int) -> float:
    """Return the least CPU of this process for one of so many parts of the work with a block."""
    laps = []
    for played in room.blocks:
        before = time.process_time()
        work(played)
        laps.append((time.process_time() - before) / times * 1e6)
    return min(laps)


def main() -> None:
    """Measure and print the report."""
    room = PlayedRoom()
    works = {"hash": (hash_often, _HASHES), "at_table": (at_table, HANDS), "check": (check, HANDS)}
    laps = [
        {name: cpu_us(work, room, times) for name, (work, times) in works.items()}
        for _ in range(LAPS)
    ]
    us = {name: min(lap[name] for lap in laps) for name in works}
    found = {
        "hashes_at_table": round(us["at_table"] / us["hash"]),
        "hashes_to_check": round(us["check"] / us["hash"]),
        "bytes": round(room.bytes_of_deal / (BLOCKS * HANDS)),
    }
    limits = {
        "hashes_at_table": MOST_AT_TABLE,
        "hashes_to_check": MOST_TO_CHECK,
        "bytes": MOST_BYTES,
    }
    opened = [len(leaves) for played in room.blocks for leaves in played.opened.values()]
    print_report(
        {
            "bench": "fair_deal",
            "unit": "of a hand",
            "us": {name: round(least, 2) for name, least in us.items()},
            **found,
            "opened_leaves": round(mean(opened), 2),
            "limit": limits,
            "missed": [name for name, limit in limits.items() if found[name] > limit],
        }
    )


if __name__ == "__main__":
    main()
