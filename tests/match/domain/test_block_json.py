"""The same block is the same bytes; what was changed, or is another block, is refused by name."""

import json
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from typing import Any

import pytest
from casino_contracts import Usage
from casino_contracts.play_statistics import LatencySketch
from casino_match.domain.block import PlayedBlock, block_digest, block_from_json, block_to_json
from casino_match.errors import StoreFailed
from casino_match.play.played_block import play_block
from casino_match.players.local_players import local_players
from support.match.plans import plan_of

PLAN = plan_of(["style:random", "style:maniac", "style:tight"], 6, deal={"decks_per_block": 4})


@cache
def block() -> PlayedBlock:
    """Return the second block of the plan, which is a short one."""
    return play_block(PLAN, 1, local_players(PLAN))


def written(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def test_a_block_is_read_as_it_was_written() -> None:
    data = block_to_json(block())
    assert block_from_json(data, PLAN, 1) == block()
    assert block_to_json(block_from_json(data + b"\n", PLAN, 1)) == data
    assert data == written(json.loads(data))


def test_the_digest_is_of_the_block_without_times() -> None:
    content = json.loads(block_to_json(block()))
    expected = "sha256:" + sha256(written(content["block"])).hexdigest()
    slower = block_from_json(block_to_json(block()), PLAN, 1)
    decisions = sum(slower.conduct[0].outcomes.values())
    slower.conduct[0].latency = LatencySketch({0: decisions - 1, 90: 1})
    assert block_digest(slower) == block_digest(block()) == content["digest"] == expected
    assert block_to_json(slower) != block_to_json(block())
    assert block_from_json(block_to_json(slower), PLAN, 1) == slower


def test_what_players_report_is_kept_and_not_in_the_digest() -> None:
    """Costs, words and models; a block without any is one of 0.1.0."""
    silent = json.loads(block_to_json(block()))
    assert set(silent) == {"block", "digest", "latency"}
    assert set(silent["block"]["conduct"][0]) == {"ended_on", "hands", "net", "outcomes", "play"}
    reporting = block_from_json(block_to_json(block()), PLAN, 1)
    reported = reporting.conduct[2].reported
    reported.costs.add(Usage(model="small", input_tokens=900, cost_usd=0.002))
    reported.details["model_failed"] = "401"
    reported.models.append("small")
    assert block_digest(reporting) == block_digest(block())
    assert block_from_json(block_to_json(reporting), PLAN, 1) == reporting
    content = json.loads(block_to_json(reporting))
    content["reported"][2]["costs"]["attempts"] = -1
    with pytest.raises(StoreFailed, match="costs: there is no number below 0"):
        block_from_json(written(content), PLAN, 1)
    content["reported"].pop()
    with pytest.raises(StoreFailed, match="reported: not of 3 players"):
        block_from_json(written(content), PLAN, 1)


def _signed(change: Callable[[dict[str, Any]], object]) -> bytes:
    """Return a file with a changed block, whose digest is right again."""
    content = json.loads(block_to_json(block()))
    change(content["block"])
    content["digest"] = "sha256:" + sha256(written(content["block"])).hexdigest()
    return written(content)


CHANGES: dict[str, Callable[[dict[str, Any]], object]] = {
    "plan: it is of the plan sha256:0": lambda block: block.update(plan="sha256:0"),
    "number: it is block 0": lambda block: block.update(number=0),
    "decks: they are not the 2 decks": lambda block: block["decks"].pop(),
    "deck 4: net: the chips add up to 1, not 0": lambda block: _raise(block["decks"][0]["net"]),
    "deck 4: nets: they do not add up to net": lambda block: _swap(block["decks"][0]["net"]),
    "deck 5: nets: the chips of a hand": lambda block: _raise(block["decks"][1]["nets"][2]),
    "deck 4: hands, nets: not of 3 seatings": lambda block: block["decks"][0]["hands"].pop(),
    "deck 4: hands.0: an action is f, cc": lambda block: _replace(block["decks"][0]["hands"], "x"),
    "conduct: outcomes: their sum": lambda block: _replace(block["decks"][0]["hands"], "f"),
    "conduct, latency: not of 3 players": lambda block: block["conduct"].pop(),
    "conduct.1.hands: not 6 in all": lambda block: block["conduct"][1]["hands"].pop("BB"),
    "conduct.0.net, ended_on: they": lambda block: block["conduct"][0]["net"].update(BTN=99_999),
    "conduct.2.latency: their number": lambda block: block["conduct"][2]["outcomes"].update(ok=1),
    "decks.controls: their numbers": lambda block: block["decks"][0]["controls"][0].append(0.5),
    "conduct.0.outcomes, defaulted, play": lambda block: block["conduct"][0]["outcomes"].update(
        away=-1
    ),
    "conduct.1.defaulted: the reasons": lambda block: block["conduct"][1].update(
        defaulted={"budget": 1}
    ),
    "block.decks.0.net.0: Input should be a valid int": lambda block: _replace(
        block["decks"][0]["net"], "1"
    ),
}


def _raise(numbers: list[int]) -> None:
    numbers[0] += 1


def _swap(numbers: list[int]) -> None:
    numbers[0] += 1
    numbers[1] -= 1


def _replace(values: list[Any], value: Any) -> None:
    values[0] = value


@pytest.mark.parametrize("message", CHANGES)
def test_what_cannot_be_so_is_refused(message: str) -> None:
    with pytest.raises(StoreFailed, match=f"block 1: .*{message}"):
        block_from_json(_signed(CHANGES[message]), PLAN, 1)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "file: Invalid JSON"),
        (b"[]", "file: Input should be an object"),
        (b'{"block": {}}', "block.plan: Field required"),
    ],
)
def test_what_is_no_block_is_refused(data: bytes, message: str) -> None:
    with pytest.raises(StoreFailed, match=message):
        block_from_json(data, PLAN, 1)
    whole = block_to_json(block())
    with pytest.raises(StoreFailed, match="file: Invalid JSON"):
        block_from_json(whole[: len(whole) // 2], PLAN, 1)


def test_a_changed_file_is_refused() -> None:
    """Although its numbers agree: of two seatings the hands were exchanged."""
    content = json.loads(block_to_json(block()))
    for key in ("hands", "nets"):
        content["block"]["decks"][0][key].reverse()
    with pytest.raises(StoreFailed, match="block 1: digest: it is of another content"):
        block_from_json(written(content), PLAN, 1)


def test_another_form_of_the_same_block_is_refused() -> None:
    """So that two files of a block are never different bytes."""
    content = json.loads(block_to_json(block()))
    for data in (json.dumps(content, indent=1).encode(), written(content | {"comment": "mine"})):
        with pytest.raises(StoreFailed, match="block 1: it is no canonical JSON"):
            block_from_json(data, PLAN, 1)
