"""Tokens of a decision's prompt: a record of opponents against the whole history of the table.

A seat of six plays hands of Hold'em against sample styles, in this process, from a seed. For each
of its decisions both prompts are built: the LLM player's own (`compact`), and the one that keeps
all (`history`): the text of the game's adapter for every hand so far, and for the running one. Both
have the same instructions.

A stand-in reads either text, without anything else, and decides from cards, board, chips, offers
and the VPIP of whoever bet last, which it reads in the one text and counts in the other.
`differences` are the decisions in which it reads other facts, or takes another action.

`tokens` are estimated by the rule with which GPT models cut a text before they encode it: runs of
letters (one token for each five), of up to three digits, of signs, of spaces. It gives 1 % less
than o200k_base for the history, and 2 to 8 % more for the compact prompt.

Prints one JSON line. Exits with 1 if a limit is missed.
"""

import argparse
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from statistics import mean
from typing import Any, Final, NamedTuple

from casino_contracts import HOLDEM, GameActionRequest, HandNotice
from casino_games import ArenaConfig, ArenaPlayer
from casino_games.cards import card_from_text
from casino_games.holdem import HoldemGame
from casino_games.holdem.events import ROUNDS
from casino_games.holdem.ranking import chen_points
from casino_games.holdem.spec import SPECIFICATION
from casino_games.registry import state_adapter
from casino_games.specification import result_of, state_of
from casino_play.hand_questions import HandNames, HandQuestions, NamedPlayer, wire_cards
from casino_player_example.opponent_memory import OpponentMemory
from casino_player_example.style_catalogue import decide_of
from casino_player_example.styles.characters import winning_chance
from casino_player_example.styles.llm import conversation
from rig import print_report

Action = dict[str, Any]
LEAST_RATIO: Final = 6.0
"""Required tokens of the history's prompt at the last hand, as a multiple of the compact one's."""
ME: Final = "p0"
STYLES: Final = {"p1": "tight", "p2": "caller", "p3": "maniac", "p4": "tight", "p5": "random"}
PLAYERS: Final = (ME, *STYLES)
STACK, BIG_BLIND = 200, 2

_LETTERS_PER_TOKEN: Final = 5
_PIECES: Final = re.compile(r"[^\r\n\w]?[^\W\d_]+|\d{1,3}| ?(?:[^\s\w]|_)+[\r\n]*|\s*[\r\n]+|\s+")


def tokens_in(text: str) -> int:
    """Return the estimated number of tokens of a text."""
    return sum(-(-len(piece.strip()) // _LETTERS_PER_TOKEN) or 1 for piece in _PIECES.findall(text))


class Facts(NamedTuple):
    """What the stand-in knows of a decision."""

    cards: list[str]
    board: list[str]
    pot: int
    to_call: int
    stack: int
    others: int
    """Number of opponents who are still in."""
    bettor_vpip: int | None
    """In percent; None if nobody has bet, or is known."""
    offers: list[Action]


def offers_in(text: str) -> list[Action]:
    """Return the available actions of a prompt."""
    found = map(json.loads, re.findall(r'^\{"action_type".*\}$', text, re.MULTILINE))
    return [offer for offer in found if offer["action_type"] != "…"]


def read_compact(text: str) -> Facts:
    """Read the LLM player's own prompt."""
    me, cards = re.findall(r" You: (\S+), (.+)$", text, re.MULTILINE)[0]
    board = re.findall(r"^(?:Flop|Turn|River) (.+) \(pot", text, re.MULTILINE)
    ((pot, to_call, stack),) = re.findall(
        r"^Pot .+ \((\d+) chips\), to call .+ \((\d+) chips\), your stack (\d+) chips$",
        text,
        re.MULTILINE,
    )
    bets = re.findall(r"(\S+) (?:bet|raise|all-in) ", text[text.index("\nPreflop:") :])
    known = dict(re.findall(r"^(\S+): \d+ hands, VPIP (\d+)", text, re.MULTILINE))
    bettor = bets[-1] if bets else None
    (stacks,) = re.findall(r"^Stacks: (.+)$", text, re.MULTILINE)
    return Facts(
        cards.split(),
        " ".join(board).split(),
        pot=int(pot),
        to_call=int(to_call),
        stack=int(stack),
        others=stacks.count(","),
        bettor_vpip=int(known[bettor]) if bettor != me and bettor in known else None,
        offers=offers_in(text),
    )


def read_history(text: str) -> Facts:
    """Read the prompt with all hands, whose last one is running."""
    *past, now = re.split(r"^Hand \d+$", text, flags=re.MULTILINE)[1:]
    (me,) = re.findall(r"^You are: (\S+)$", now, re.MULTILINE)
    (cards,) = re.findall(r"^Your cards: (.+)$", now, re.MULTILINE)
    (board,) = re.findall(r"^Board: (?:no cards yet|(.+))$", now, re.MULTILINE)
    ((pot, bet),) = re.findall(r"^Pot: (\d+), to match in this round: (\d+)$", now, re.MULTILINE)
    seats = re.findall(r"^- (\S+): stack (\d+), in for (\d+), (\S+)$", now, re.MULTILINE)
    ((stack, paid),) = [seat[1:3] for seat in seats if seat[0] == me]
    bets = re.findall(r"^- \w+: (\S+) (?:bet|raise|all-in)\b", now, re.MULTILINE)
    return Facts(
        cards.split(),
        board.split(),
        pot=int(pot),
        to_call=min(int(bet) - int(paid), int(stack)),
        stack=int(stack),
        others=sum(seat[0] != me and seat[3] != "folded" for seat in seats),
        bettor_vpip=_vpip(bets[-1], past) if bets and bets[-1] != me else None,
        offers=offers_in(now),
    )


def _vpip(player: str, hands: list[str]) -> int | None:
    """Count how often somebody paid to see a flop; a walk is no hand of the big blind."""
    counts: Counter[bool] = Counter()
    for hand in hands:
        decisions = re.findall(r"^- (\w+): (\S+) (\S+)", hand, re.MULTILINE)
        decisions = [decision for decision in decisions if decision[0] in ROUNDS]
        own = [kind for street, who, kind in decisions if who == player and street == "preflop"]
        if own or any(kind != "fold" for _, _, kind in decisions):
            counts[bool({"call", "raise", "all-in"} & {*own})] += 1
    return round(100 * counts[True] / counts.total()) if counts else None


def decide(facts: Facts) -> Action:
    """Play good hands, and against a bet the better ones the more seldom its player comes in."""
    kinds = {offer["action_type"]: offer for offer in facts.offers}
    loose = 50 if facts.bettor_vpip is None else facts.bettor_vpip
    if facts.board:
        chance = winning_chance(wire_cards(facts.cards), wire_cards(facts.board))
        chance **= 1 + 0.15 * (facts.others - 1)
        strong, playable = chance > 0.7, chance + loose / 500  # noqa: PLR2004
    else:
        points = chen_points([card_from_text(card) for card in facts.cards])
        strong, playable = points > 12 - loose / 25, points / 25 + loose / 500
    price = facts.to_call / (facts.pot + facts.to_call)
    more = kinds.get("bet") or kinds.get("raise")
    if strong and more:
        wish = facts.to_call + facts.pot // 2
        return {
            "action_type": more["action_type"],
            "amount": min(max(wish, more["min"]), more["max"]),
        }
    if "check" in kinds:
        return kinds["check"]
    return kinds["call"] if strong or playable > price else kinds["fold"]


def raw_hand(number: int, state: Mapping[str, Any]) -> str:
    """Return a completed hand as the adapter tells it, with what was shown and won."""
    public = state["public"]
    told = state_adapter(HOLDEM).state_to_prompt(public, state["private"], [])
    lines = told.partition("\n\nYou may now")[0]
    for hand in public["results"]["shown"]:
        lines += f"\nShown: {hand['player_id']} {' '.join(hand['cards'])}"
    for pot in public["results"]["pots"]:
        for share in pot["winners"]:
            lines += f"\nWon: {share['player_id']} {share['amount']}"
    return f"Hand {number}\n{lines}"


class PromptsOfDecision(NamedTuple):
    """The prompts of one decision."""

    hand: int
    history: str
    compact: str
    is_same: bool


class SeatOfSix:
    """A seat of six, which remembers in both ways."""

    def __init__(self, seed: str) -> None:
        """Take the seats; `seed` determines the decks."""
        self.seed = seed
        self.stacks = dict.fromkeys(PLAYERS, STACK)
        self.memory = OpponentMemory()
        self.past: list[str] = []
        self.styles = {name: decide_of(style) for name, style in STYLES.items()}

    def play(self, number: int) -> Iterator[PromptsOfDecision]:
        """Play a hand, and yield the decisions of the seat."""
        game = self._dealt(number)
        names = [*PLAYERS[number % 6 + 1 :], *PLAYERS[: number % 6 + 1]]
        seats = tuple(NamedPlayer(name, name, PLAYERS.index(name)) for name in names)
        questions = HandQuestions(game.hand, HandNames("t1", f"t1/{number}", number, seats))
        while not game.is_over():
            player = game.get_current_player()
            if player == ME:
                measured, action = self._decide(number, game)
                yield measured
            else:
                response = self.styles[player](questions.request(1, 10_000))
                action = {"action_type": response.action}
                action |= {} if response.amount is None else {"amount": int(response.amount)}
            game.step(action)
        self._remember(number, game)

    def _dealt(self, number: int) -> HoldemGame:
        stacks = [stack if stack >= BIG_BLIND else STACK for stack in self.stacks.values()]
        blinds = {"small_blind": BIG_BLIND // 2, "big_blind": BIG_BLIND}
        config = {"stacks": stacks, "button": number % len(stacks), **blinds}
        game = HoldemGame(ArenaConfig(tuple(map(ArenaPlayer, PLAYERS)), game_config=config))
        game.reset(f"{self.seed} {number}")
        return game

    def _decide(self, number: int, game: HoldemGame) -> tuple[PromptsOfDecision, Action]:
        state = state_of(game, ME)
        request = GameActionRequest(
            table_id="t1",
            game_type=HOLDEM,
            spec_version=SPECIFICATION.version,
            request_id=f"t1/{number}:{len(game.hand.actions)}:1",
            player_id=ME,
            state=state,
            available_actions=tuple(game.get_available_actions()),
            deadline_ms=10_000,
        )
        told = conversation(request, None, self.memory.opponents("t1", ME))
        system, compact = (message["content"] for message in told)
        turn = state_adapter(HOLDEM).state_to_prompt(
            state["public"], state["private"], list(request.available_actions)
        )
        history = "\n\n".join((*self.past, f"Hand {number}\n{turn}"))
        facts, others = read_compact(compact), read_history(history)
        action = decide(facts)
        is_same = facts == others and action == decide(others)
        return PromptsOfDecision(
            number, f"{system}\n{history}", f"{system}\n{compact}", is_same
        ), action

    def _remember(self, number: int, game: HoldemGame) -> None:
        self.past.append(raw_hand(number, state_of(game, ME)))
        seats = game.get_public_state()["players"]
        self.stacks = {seat["player_id"]: seat["stack"] for seat in seats}
        self.memory.notice(
            HandNotice(
                table_id="t1",
                game_type=HOLDEM,
                spec_version=SPECIFICATION.version,
                player_id=ME,
                hand_id=f"t1/{number}",
                hand_number=number,
                kind="completed",
                result=result_of(game),
            )
        )


def figures(decisions: list[PromptsOfDecision], size_of: Callable[[str], int]) -> dict[str, float]:
    """Return the mean sizes of both prompts, and their ratio."""
    history = mean(size_of(decision.history) for decision in decisions)
    compact = mean(size_of(decision.compact) for decision in decisions)
    return {
        "history": round(history),
        "compact": round(compact),
        "ratio": round(history / compact, 1),
    }


def measure(hands: int, seed: str) -> dict[str, Any]:
    """Play hands, and compare the prompts of all decisions and of those in the last hand."""
    room = SeatOfSix(seed)
    decisions = [made for number in range(1, hands + 1) for made in room.play(number)]
    last = [made for made in decisions if made.hand == decisions[-1].hand]
    differences = sum(not made.is_same for made in decisions)
    at_last = figures(last, tokens_in)
    return {
        "bench": "prompt",
        "seed": seed,
        "hands": hands,
        "decisions": len(decisions),
        "differences": differences,
        "last_hand": last[0].hand,
        "tokens": {"last_hand": at_last, "all": figures(decisions, tokens_in)},
        "characters": {"last_hand": figures(last, len), "all": figures(decisions, len)},
        "limit": {"ratio": LEAST_RATIO, "differences": 0},
        "missed": [
            *(["ratio"] if at_last["ratio"] < LEAST_RATIO else []),
            *(["differences"] if differences or not decisions else []),
        ],
    }


def main() -> None:
    """Parse the arguments and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hands", type=int, default=100)
    parser.add_argument("--seed", default="prompt", help="of the decks")
    arguments = parser.parse_args()
    print_report(measure(arguments.hands, arguments.seed))


if __name__ == "__main__":
    main()
