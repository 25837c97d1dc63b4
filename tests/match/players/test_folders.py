"""Two versions of a bot in two folders do not share modules of the same name."""

import sys
from pathlib import Path

import pytest
from casino_match.play.block import play_block
from casino_match.players.folders import folder_of
from casino_match.players.local import local_players
from support.match.plans import bot, plan_of

STRATEGIES = {"old": "fold", "new": "call"}


@pytest.fixture
def versions(tmp_path: Path) -> dict[str, Path]:
    """Return two folders, each with a module and a package of the same names."""
    folders = {}
    for name, word in STRATEGIES.items():
        folder = folders[name] = tmp_path / name
        (folder / "parts_of_a_bot").mkdir(parents=True)
        (folder / "parts_of_a_bot" / "__init__.py").touch()
        (folder / "parts_of_a_bot" / "inner.py").write_text(f"WORD = {word!r}\n")
        (folder / "strategy_of_a_bot.py").write_text(
            "with open(__file__ + '.loads', 'a') as file:\n    file.write('!')\n"
            f"from parts_of_a_bot.inner import WORD\ndef choose(legal):\n"
            f"    assert WORD == {word!r}\n"
            "    return {'action': 'check' if 'check' in legal else WORD}\n"
        )
    return folders


@pytest.mark.parametrize("place", ["above", "within"])
def test_each_folder_has_its_own_modules(versions: dict[str, Path], place: str) -> None:
    """Imported with the bot, or only when it is asked; once, although there are two seatings."""
    line, call = "import strategy_of_a_bot\n", "strategy_of_a_bot.choose(turn['legalActions'])"
    head = f"{line}def act(turn):" if place == "above" else "def act(turn):"
    body = f"return {call}" if place == "above" else f"{line}return {call}"
    players = [bot(folder, body, head=head) for folder in versions.values()]
    plan = plan_of([*players, players[0]], 4)
    block = play_block(plan, 0, local_players(plan))
    assert [set(conduct.outcomes) for conduct in block.conduct] == [{"ok"}] * 3
    assert all("cbr" not in hand for deck in block.decks for hand in deck.hands)
    assert block.conduct[0].play["BTN"].vpip == 0
    assert block.conduct[1].play["BTN"].vpip == 4
    for folder in versions.values():
        assert (folder / "strategy_of_a_bot.py.loads").read_text() == "!"


def test_what_was_imported_before_stays(tmp_path: Path) -> None:
    """Modules that the program itself has from a folder are everybody's."""
    (tmp_path / "module_of_the_program.py").write_text("")
    sys.path.insert(0, str(tmp_path))
    try:
        __import__("module_of_the_program")
        own = sys.modules["module_of_the_program"]
        folder_of(tmp_path / "bot.py").enter()
        folder_of(tmp_path / "elsewhere" / "bot.py").enter()
        assert sys.modules["module_of_the_program"] is own
    finally:
        sys.modules.pop("module_of_the_program", None)
        sys.path[:] = [path for path in sys.path if not path.startswith(str(tmp_path))]
