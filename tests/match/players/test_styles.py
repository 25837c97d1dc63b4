"""Styles and functions are asked as at a table, and their answers count as there."""

import random
import sys
from pathlib import Path
from typing import Any

import pytest
from casino_agentkit import Malformed
from casino_games.holdem import Hand
from casino_match.domain.plan import Rules, deck_of
from casino_match.errors import PlayerFailed
from casino_match.play.match_hand import apply, deal_hand
from casino_match.play.played_block import play_block
from casino_match.players.answer_check import choice, plain_choice, read_answer
from casino_match.players.function_player import folder_of
from casino_match.players.local_players import local_players
from casino_play.errors import IllegalAnswer
from support.match.plans import bot, plan_of


def test_an_unknown_style_is_named() -> None:
    plan = plan_of(["style:caller", "style:wild"])
    with pytest.raises(PlayerFailed, match="p1: there is no style wild; there are aggressive"):
        local_players(plan)


KINDS = ("fold", "check", "call", "bet", "raise", "all-in", "dance", "", "Call", None, 3, ["call"])


class Text(str):
    __slots__ = ()


class Same:
    """A key that equals the text `action`, and is no JSON."""

    def __hash__(self) -> int:
        return hash("action")

    def __eq__(self, other: object) -> bool:
        return other == "action"


def answers(hand: Hand, dice: random.Random) -> Any:
    """Return a random answer: legal, illegal or malformed."""
    amounts = (
        hand.min_raise_to,
        hand.max_raise_to,
        hand.min_raise_to - 1,
        hand.max_raise_to + 1,
        float(hand.min_raise_to),
        hand.min_raise_to + 0.5,
        0,
        -1,
        True,
        None,
        "8",
        2**53,
        2**80,
        float("inf"),
    )
    answer: dict[Any, Any] = {"action": dice.choice(KINDS)}
    if dice.random() < 2 / 3:
        answer["amount"] = dice.choice(amounts)
    if dice.random() < 1 / 8:
        answer[dice.choice(("message", "away", "reasoning", "other"))] = dice.choice(
            ("text", 1, True, None, object(), "\ud800")
        )
    if dice.random() < 1 / 20:
        return dice.choice((None, "call", [answer], {"result": answer}, 7, {}))
    if dice.random() < 1 / 20:
        key = dice.choice((Same(), Text("action")))
        return {key: answer.pop("action"), **answer}
    return answer


def full_verdict(answer: Any, hand: Hand) -> tuple[str, int] | str:
    """Return the choice as a table takes it, or why it takes none."""
    try:
        response = read_answer(answer)
        return "away" if response.away else choice(response, hand)
    except Malformed:
        return "malformed"
    except IllegalAnswer:
        return "illegal"


def test_a_plain_choice_is_the_table_s() -> None:
    """In thousands of random situations and answers; most legal ones are plain."""
    dice = random.Random(7)
    plain = legal = 0
    for deck in range(250):
        seats = dice.choice((2, 2, 3, 6))
        rules = Rules(stack=dice.choice((3, 20, 200)), ante=dice.choice((0, 1)))
        hand = deal_hand(rules, deck_of("a", deck, seats), seats)
        while not hand.is_over:
            for _ in range(6):
                answer = answers(hand, dice)
                verdict = full_verdict(answer, hand)
                short = plain_choice(answer, hand)
                assert short is None or short == verdict, answer
                plain += short is not None
                legal += isinstance(verdict, tuple)
            totals = (hand.min_raise_to, hand.max_raise_to) if hand.max_raise_to else ()
            if totals and dice.random() < 1 / 4:
                hand.raise_to(dice.choice(totals))
            else:
                apply(hand, "call" if hand.to_call else "check", 0)
    assert plain > 1000
    assert plain > 0.7 * legal


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
