"""How document tables play: with blinds and totals, and as the original's table did."""

from foreign.document_peers.table import Card, DocumentTable, best_of, chips
from foreign.document_peers.wires import Json, Refused

ROUNDS = {"preflop": 0, "flop": 3, "turn": 4, "river": 5}
"""Betting rounds, with how many cards are on the board."""


def play_plainly(table: DocumentTable, config: Json) -> None:
    """Play hands in which nobody may raise; an event begins and ends each."""
    order = [seat["playerId"] for seat in table.seats]
    for number in range(config["maxHands"]):
        first = number % len(order)
        _plain_hand(table, [*order[first:], *order[:first]], config)
    table.end(f"{table.hands} hands")
    table.tell("table_status", "it is over")


def _plain_hand(table: DocumentTable, order: list[str], config: Json) -> None:
    cards = table.shuffled()
    table.tell("hand_started", "a hand begins")
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
                "playerStack": table.stacks[player] - paid[player],
                "legalActions": ["fold", "call"] if owes else ["check"],
            }
            kind = table.ask(player, question)["action"]
            if kind not in question["legalActions"]:
                table.violations.append(f"{kind} is none of {question['legalActions']}")
            if kind == "fold":
                left.remove(player)
            paid[player] += owes if kind == "call" else 0
            table.tell("action_taken", f"{player}: {kind}", {"playerId": player})
    winner = best_of(left, holes)
    for player in order:
        table.stacks[player] -= paid[player]
    table.stacks[winner] += sum(paid.values())
    table.hands += 1
    table.tell("hand_completed", f"{winner} wins")


def play_as_the_original(table: DocumentTable, config: Json) -> None:
    """Play as the original casino's table at the time of the document.

    No blinds and no button; an amount is what a player adds, `currentBet` what it owes,
    `minimumRaise` the small blind; an action that is not legal is rewritten. `hand_started` comes
    once, `hand_completed` twice a hand and once at the end, and no payload has stacks or a status.
    A pot is split into floats. An event that the casino refuses is only logged.
    """
    order = [seat["playerId"] for seat in table.seats]
    _log(table, "hand_started", "Starting", {"maxHands": config["maxHands"]})
    while table.hands < config["maxHands"] and min(table.stacks.values()) > 0:
        _original_hand(table, order, config["smallBlind"])
    table.end(f"Completed {table.hands} hands.")
    _log(table, "hand_completed", "Game over", {"handsPlayed": table.hands})


def _original_hand(table: DocumentTable, order: list[str], small_blind: float) -> None:
    cards = table.shuffled()
    holes = {player: [cards.pop(), cards.pop()] for player in order}
    board, pot, left = cards[:5], 0.0, list(order)
    for name, shown in ROUNDS.items():
        bets = dict.fromkeys(order, 0.0)
        waiting = list(left)
        while waiting:
            player = waiting.pop(0)
            owes = max(bets.values()) - bets[player]
            added, is_fold = _original_action(
                table, player, name, board[:shown], holes[player], pot, owes, small_blind
            )
            bets[player] += added
            pot += added
            if is_fold and len(left) > 1:
                left.remove(player)
            if added > owes:  # everybody else decides again
                place = left.index(player)
                waiting = [*left[place + 1 :], *left[:place]]
    table.hands += 1
    _pay(table, left, holes, pot)
    shorts = [card["rank"] + card["suit"][0].upper() for card in board]
    payload = {"communityCards": shorts, "handNumber": table.hands}
    _log(table, "hand_completed", f"Hand {table.hands} complete", payload)
    for player in order:
        if table.stacks[player] == 0:
            _log(table, "player_busted", f"{player} is out", {"playerId": player})


def _original_action(
    table: DocumentTable,
    player: str,
    name: str,
    board: list[Card],
    hole: list[Card],
    pot: float,
    owes: float,
    small_blind: float,
) -> tuple[float, bool]:
    """Ask a player; return the chips that it adds, and whether it folds."""
    stack = table.stacks[player]
    if owes:
        legal = ["call", "raise", "fold"] if stack > owes else ["call", "fold"]
    else:
        legal = ["check", "bet", "fold"] if stack else ["check", "fold"]
    question = {
        "bettingRound": name,
        "communityCards": board,
        "holeCards": hole,
        "pot": chips(pot),
        "minimumRaise": small_blind,
        "currentBet": chips(owes),
        "playerStack": chips(stack),
        "legalActions": legal,
    }
    answer = table.ask(player, question)
    kind = answer["action"]
    if kind not in legal:
        kind = "call" if "call" in legal else "check"
    added = min(stack, owes if kind == "call" else answer.get("amount", 0))
    if kind in {"check", "fold"}:
        added = 0
    table.stacks[player] = chips(stack - added)
    payload = {"playerId": player, "bettingRound": name, "amount": added, "pot": pot + added}
    _log(table, "action_taken", f"{player} {kind}", payload)
    return added, kind == "fold"


def _pay(table: DocumentTable, left: list[str], holes: dict[str, list[Card]], pot: float) -> None:
    """Pay out; every third pot is split, whatever the cards."""
    names = {seat["playerId"]: seat["displayName"] for seat in table.seats}
    winners = left if table.hands % 3 == 0 else [best_of(left, holes)]
    share = pot / len(winners)
    for winner in winners:
        table.stacks[winner] = chips(table.stacks[winner] + share)
    payload: Json = {"pot": pot, "winners": [names[one] for one in winners], "share": share}
    if len(left) == 1:
        payload = {"winner": names[left[0]], "amount": pot}
    _log(table, "hand_completed", "The pot is paid", payload)


def _log(table: DocumentTable, kind: str, message: str, payload: Json) -> None:
    """Send an event; a refusal is only logged."""
    try:
        table.tell(kind, message, payload)
    except Refused as refused:
        table.violations.append(f"{kind} was refused: {refused}")
