"""A match's result is signed with the key of what played it, and names the keys of its agents."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from casino_agentkit import CardSigner, Service
from casino_agentkit.card_key import CardKey, sealed_by
from casino_contracts.match_results import MatchResult
from casino_match.domain.block import block_from_json, block_to_json
from casino_match.executors.executor import LocalExecutor
from casino_match.match_directory import MatchDirectory
from casino_match.results.match_result import result_of, signed_result, wrong_in
from casino_match.run.match_run import play_match
from casino_match.run.match_start import MatchStarter
from casino_match.run.verification import verify
from support.match.agent_side import MatchSide, by_cards, plan_of
from support.match.plans import VALUES, today
from support.table.table_side import Player

KEY, ADAS = CardKey.new(), CardKey.new()
Json = dict[str, Any]


def play(folder: Path, key: CardKey | None = KEY) -> Json:
    """Play a match of styles into a directory; returns its written result."""
    begun = MatchStarter(lambda: "drawn").begin(VALUES, folder.parent, folder)
    seal = None if key is None else key.sealed
    assert play_match(begun, LocalExecutor(), now=today, seal=seal) is not None
    result: Json = json.loads(MatchDirectory(folder).result_file.read_bytes())
    return result


def test_a_signed_result_is_right_wherever_it_is_read(tmp_path: Path) -> None:
    result = play(tmp_path / "match")
    thumbprint = KEY.public.thumbprint
    assert sealed_by(result) == thumbprint
    published = MatchResult.model_validate(result).wire()  # as a lobby stores it
    assert sealed_by(json.loads(published)) == thumbprint
    report = verify(tmp_path / "match", 0)
    assert report.is_right
    assert f"its result is signed with the key {thumbprint}" in report.notes
    assert "signature" not in play(tmp_path / "unsigned", None)
    unsigned = verify(tmp_path / "unsigned", 0)
    assert unsigned.is_right
    assert any("is not signed" in note for note in unsigned.notes)


def rename(result: Json) -> None:
    result["players"][0]["name"] = "mallory"
    for pair in result["pairs"]:
        pair["first"] = "mallory"


@pytest.mark.parametrize(
    ("change", "is_sealed_again", "fault"),
    [
        (rename, True, "players: name of tight: the blocks give tight, not mallory"),
        (lambda result: result["players"][0].update(net=1), True, "players: net of tight"),
        (lambda result: result["players"][0].update(key="A" * 43), True, "players: key of tight"),
        (lambda result: result.update(digest="sha256:" + "0" * 64), True, "digest: the blocks"),
        (lambda result: result.update(finishedAt="2020-01-01"), False, "signature: it is none"),
        (lambda result: result.update(key=ADAS.sealed({})["key"]), False, "signature: it is none"),
        (lambda result: result.pop("key"), False, "key: it is not a key"),
    ],
)
def test_a_changed_result_is_named(
    tmp_path: Path, change: Callable[[Json], object], *, is_sealed_again: bool, fault: str
) -> None:
    """Whoever has the key cannot sign what the blocks do not give."""
    folder = tmp_path / "match"
    result = play(folder)
    change(result)
    if is_sealed_again:
        result = KEY.sealed(result)
    MatchDirectory(folder).write_result(json.dumps(result).encode())
    (told,) = verify(folder, 0).faults
    assert fault in told


async def test_a_result_names_the_key_of_an_agents_card() -> None:
    """From its blocks: also one that is computed after a restart."""
    side = MatchSide(Player("a", by_cards), Player("b", by_cards))
    signed = Service(
        {"": Player("a", by_cards).agent()}, public_url="http://a", signer=CardSigner(ADAS)
    )
    side.network.transport.apps["http://a"] = signed.asgi()
    plan = plan_of("a", "b")
    match = await side.match(plan)
    content = block_to_json(await match.play(0))
    block = block_from_json(content, plan, 0)
    result = signed_result(result_of(plan, [block]), KEY.sealed)
    assert [player.key for player in result.players] == [ADAS.public.thumbprint, None]
    assert wrong_in(json.loads(result.wire()), result_of(plan, [block])) is None
