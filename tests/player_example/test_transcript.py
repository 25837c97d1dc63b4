"""The transcript of a process's model."""

import json
import stat
from pathlib import Path

import pytest
from casino_agentkit import InvalidSettings
from casino_player_example.transcript import Transcript
from support.players.llm_harness import PROSE, LlmHarness
from support.players.model_server import KEY, hangs, says, status


async def test_every_call_is_a_line(tmp_path: Path) -> None:
    """Prompt, answer, thoughts and action, or why there is none; for its owner, without the key."""
    path = tmp_path / "transcript.jsonl"
    replies = says("Hm."), says(PROSE, thoughts="A king."), status(401, f"not {KEY}"), hangs
    async with LlmHarness(*replies, transcript=path) as harness:
        for number in range(3):
            await harness.act(requestId=f"t1/7:{number}:1", handId="t1/7")
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [line.get("action") for line in lines] == [None, {"action_type": "BET"}, None, None]
    errors = [line.get("error", "") for line in lines]
    assert errors[0].startswith("the text contains no JSON object")
    assert errors[2:] == ["HTTP 401: not [key]", "no answer in time"]
    assert lines[1]["messages"][0]["role"] == "system"
    assert lines[1]["messages"][2] == {"role": "assistant", "content": "Hm."}
    assert lines[1]["reply"] == PROSE
    assert lines[1]["thoughts"] == "A king."
    assert lines[1]["usage"] == {
        "model": "stand-in",
        "latencyMs": 0,
        "attempts": 1,
        "inputTokens": 40,
        "outputTokens": 10,
    }
    named = {(line["table"], line["hand"], line["player"], line["model"]) for line in lines}
    assert named == {("t1", "t1/7", "p1", "stand-in")}
    assert [line["requestId"] for line in lines] == [f"t1/7:{number}:1" for number in (0, 0, 1, 2)]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert KEY not in path.read_text()


def test_two_files_bound_what_is_kept(tmp_path: Path) -> None:
    """The newest records are in the file, those before in another one."""
    path = tmp_path / "transcript.jsonl"
    transcript = Transcript(path, most_bytes=250)
    for number in range(20):
        transcript.write({"number": number, "text": "x" * 50})
    transcript.close()
    newest, before = (
        [json.loads(line)["number"] for line in file.read_text().splitlines()]
        for file in (path, path.with_name("transcript.jsonl.1"))
    )
    assert [*before, *newest] == [16, 17, 18, 19]
    assert {file.name for file in tmp_path.iterdir()} == {path.name, f"{path.name}.1"}


def test_a_file_that_others_can_read_is_refused(tmp_path: Path) -> None:
    """So is one that cannot be written, and what is no file."""
    path = tmp_path / "transcript.jsonl"
    path.touch(0o644)
    path.chmod(0o644)
    with pytest.raises(InvalidSettings, match=r"`chmod 600` it, .* \(mode 0644\)"):
        Transcript(path)
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "elsewhere")
    for wrong in (link, tmp_path, tmp_path / "nowhere" / "transcript.jsonl"):
        with pytest.raises(InvalidSettings, match="cannot be written"):
            Transcript(wrong)
