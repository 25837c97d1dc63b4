"""Blocks of a match that nobody played, with the chips and the luck that a test wants."""

import random
from collections.abc import Iterable, Iterator

from casino_contracts.play_counts import PlayCounts
from casino_match.domain.block import DecisionCounts, PlayedBlock, PlayedDeck
from casino_match.domain.plan import Deal, Entrant, Plan, StopRule, seatings_of


def plan_of(
    *names: str, decks: int = 100, decks_per_block: int = 50, stop: StopRule | None = None
) -> Plan:
    return Plan(
        players=tuple(Entrant(name=name, player=f"style:{name}") for name in names),
        deal=Deal(seed="made blocks", decks=decks, decks_per_block=decks_per_block),
        stop=stop or StopRule(),
    )


def made_deck(number: int, *nets: tuple[int, ...], luck: Iterable[float] = ()) -> PlayedDeck:
    """Return a deck with the nets of each hand; `luck` is the all-in luck of each player."""
    net = tuple(map(sum, zip(*nets, strict=True)))
    controls = tuple((each,) for each in luck) or ((0.0,),) * len(net)
    return PlayedDeck(number, net, controls, ("f",) * len(nets), nets)


def made_block(plan: Plan, number: int, decks: Iterable[PlayedDeck]) -> PlayedBlock:
    """Return a block whose players decided once a hand."""
    played = tuple(decks)
    hands = len(played) * len(played[0].nets)
    conduct = tuple(
        DecisionCounts(
            outcomes={"ok": hands - 1, "timeout": 1},
            play={"BTN": PlayCounts(vpip=1, vpip_of=2)},
            net={"BTN": sum(deck.net[index] for deck in played)},
            hands={"BTN": hands},
            ended_on={"flop": sum(deck.net[index] for deck in played)},
        )
        for index in range(len(plan.players))
    )
    for each in conduct:
        for _ in range(hands):
            each.latency.add(3)
    return PlayedBlock(plan.digest, number, played, conduct)


def random_blocks(plan: Plan, seed: int = 1, edge: int = 0) -> Iterator[PlayedBlock]:
    """Yield all blocks of a plan: the first player wins `edge` chips a hand more than by chance."""
    dice = random.Random(seed)
    players = len(plan.players)
    hands = len(seatings_of(players, plan.deal.seatings))
    for number in range(plan.blocks):
        decks = []
        for deck in plan.decks_of(number):
            luck = [dice.choice([-20.0, 0.0, 0.0, 0.0, 20.0]) for _ in range(players - 1)]
            luck.append(-sum(luck))
            nets = [_hand(dice, players, edge) for _ in range(hands)]
            nets[0] = tuple(net + int(each) for net, each in zip(nets[0], luck, strict=True))
            decks.append(made_deck(deck, *nets, luck=luck))
        yield made_block(plan, number, decks)


def _hand(dice: random.Random, players: int, edge: int) -> tuple[int, ...]:
    nets = [dice.choice([-2, -1, 1, 2]) for _ in range(players - 1)]
    nets[0] += edge
    return (*nets, -sum(nets))
