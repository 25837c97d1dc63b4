"""Two verifiers that share no code with ours: that of the page, in Python, and one of Node."""

import json
import runpy
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from casino_agentkit.canonical_json import decoded, encoded
from support.histories.fair_room import FairRoom
from support.requirements import unavailable

Json = dict[str, Any]
REFERENCE = runpy.run_path(str(Path(__file__).parents[2] / "docs" / "verify_fair_deal.py"))
NODE_VERIFIER = Path(__file__).with_name("verify_fair_deal.mjs")


def flipped(text: str) -> str:
    content = decoded(text)
    return encoded(bytes([content[0] ^ 1, *content[1:]]))


def another_board(room: FairRoom) -> None:
    room.payload("hand_completed")["communityCards"].reverse()


def another_hand(room: FairRoom) -> None:
    shown = room.payload("hand_completed")["shown"]
    shown[0]["cards"], shown[1]["cards"] = shown[1]["cards"], shown[0]["cards"]


def another_audit(room: FairRoom) -> None:
    room.opening(2)["audit"] = flipped(room.opening(2)["audit"])


def another_salt(room: FairRoom) -> None:
    room.opening(2)["salts"] = flipped(room.opening(2)["salts"])


def another_root(room: FairRoom) -> None:
    room.opening(3)["root"] = flipped(room.opening(3)["root"])


def another_contribution(room: FairRoom) -> None:
    given = room.payload("deal_contributed")["contributions"][0]
    given["entropy"] = flipped(given["entropy"])


def another_commitment(room: FairRoom) -> None:
    room.payload("deal_committed")["seats"].reverse()


def a_hand_again(room: FairRoom) -> None:
    room.steps.insert(5, room.step("hand_started"))


CHEATS = [
    another_board, another_hand, another_audit, another_salt, another_root, another_contribution,
    another_commitment, a_hand_again,
]  # fmt: skip


def documents(room: FairRoom) -> list[Json]:
    """Return a room as its events, and its first hand as a proof."""
    events = room.events()
    kinds = {"commitment": "deal_committed", "contributed": "deal_contributed"}
    block = {name: room.payload(kind) for name, kind in kinds.items()}
    return [{"events": events}, {**block, "handNumber": 1, "events": events[2:5]}]


def by_reference(document: Json) -> bool:
    verdict: str = REFERENCE["check"](REFERENCE["events_in"](json.dumps(document)))
    return "UNFAIR" not in verdict and "are fair" in verdict


def test_the_reference_takes_honest_rooms_and_proofs() -> None:
    assert all(map(by_reference, documents(FairRoom(8))))


@pytest.mark.parametrize("cheat", CHEATS)
def test_the_reference_refuses_cheats(cheat: Callable[[FairRoom], None]) -> None:
    room = FairRoom()
    cheat(room)
    assert not by_reference(documents(room)[0])


@pytest.mark.full
def test_a_verifier_from_the_page_alone_agrees(tmp_path: Path) -> None:
    """Its author saw docs/fair-deal.md and rooms as data, and no other code."""
    node = shutil.which("node")
    if node is None:
        unavailable("Node is not installed")

    def is_fair(document: Json) -> bool:
        file = tmp_path / "room.json"
        file.write_text(json.dumps(document))
        return subprocess.run([node, NODE_VERIFIER, file], check=False).returncode == 0

    assert all(map(is_fair, documents(FairRoom(8))))
    for cheat in CHEATS:
        room = FairRoom()
        cheat(room)
        assert not is_fair(documents(room)[0]), cheat.__name__
