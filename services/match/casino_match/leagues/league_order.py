"""What a league is made of: its players, and a plan for every two of them. Pure."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import combinations, pairwise
from typing import Any, Final

from casino_contracts.match_results import MOST_LEAGUE_PLAYERS

from casino_match.domain.plan import Entrant, Plan
from casino_match.domain.plan_file import complete, entrants_of, merged, plan_of
from casino_match.errors import InvalidPlan
from casino_match.leagues.league_rating import RatedPlayer

PROVISIONAL_BELOW: Final = 5_000
_OWN: Final = ("name", "provisional_below", "players")
_PARTS: Final = ("rules", "deal", "faults")
_PAIR: Final = 2
_LONGEST_OF_PAIR: Final = 31
"""Of each player's name in that of their match."""


@dataclass(frozen=True, slots=True)
class LeagueOrder:
    """A league to play."""

    name: str
    plans: tuple[Plan, ...]
    """One for each pair of players, with their versions."""
    provisional_below: int = PROVISIONAL_BELOW

    @property
    def players(self) -> tuple[RatedPlayer, ...]:
        entrants: dict[str, Entrant] = {}
        for plan in self.plans:
            entrants |= {entrant.name: entrant for entrant in plan.players}
        return tuple(
            RatedPlayer(name, entrants[name].player, entrants[name].version)
            for name in sorted(entrants)
        )


def pair_plans(values: Mapping[str, Any], over: Mapping[str, Any], seed: str) -> list[Plan]:
    """Return a plan for every two players, kept when others join; raises InvalidPlan."""
    for name in values:
        if name not in {*_OWN, *_PARTS}:
            raise InvalidPlan(
                f"{name[:100]}: is unknown; allowed are {', '.join((*_OWN, *_PARTS))}"
            )
    players = values.get("players")
    if not isinstance(players, list):
        raise InvalidPlan("players: must be a list of at least 2 players")
    entrants = sorted(entrants_of(players), key=lambda entrant: str(entrant["name"]))
    if not _PAIR <= len(entrants) <= MOST_LEAGUE_PLAYERS:
        raise InvalidPlan(f"players: a league has from 2 to {MOST_LEAGUE_PLAYERS} players")
    _check_names([str(entrant["name"]) for entrant in entrants])
    common = merged({part: values[part] for part in _PARTS if part in values}, over)
    deal = common.get("deal", {})
    own_seed = deal.get("seed", seed) if isinstance(deal, Mapping) else seed
    plans = []
    for first, second in combinations(entrants, 2):
        name = f"{_cut(first['name'])}-{_cut(second['name'])}"
        of_pair = {
            "name": name,
            "players": [first, second],
            "deal": {"seed": _seed(own_seed, first["name"], second["name"])},
        }
        plans.append(plan_of(complete(merged(common, of_pair))))
    return plans


def file_plans(
    files: Mapping[str, Mapping[str, Any]], over: Mapping[str, Any], seed: str
) -> list[Plan]:
    """Return the plans of a folder's files, by name; raises InvalidPlan that names the file."""
    plans: dict[str, Plan] = {}
    for file, values in files.items():
        stem = file.removesuffix(".toml")
        try:
            completed = complete(
                merged({"name": stem, "deal": {"seed": _seed(seed, stem)}}, merged(values, over))
            )
            plans[file] = plan_of(completed)
        except InvalidPlan as error:
            raise InvalidPlan(f"{file}: {error}") from error
    check_comparable(plans)
    return list(plans.values())


def check_comparable(plans: Mapping[str, Plan]) -> None:
    """Raise InvalidPlan if the results of plans cannot be put in one table; they have names."""
    first_file, first = next(iter(plans.items()))
    entrants: dict[str, tuple[str, Entrant]] = {}
    pairs: dict[frozenset[str], str] = {}
    seeds: dict[str, str] = {}
    for file, plan in plans.items():
        if len(plan.players) != _PAIR:
            raise InvalidPlan(f"{file}: players: a league is made of matches between two players")
        if plan.stop.rule != "decks":
            raise InvalidPlan(f"{file}: stop: a league plays all decks, remove this table")
        if plan.rules != first.rules:
            raise InvalidPlan(f"{file}: rules: are not those of {first_file}")
        pair = frozenset(entrant.name for entrant in plan.players)
        if pair in pairs:
            raise InvalidPlan(f"{file}: players: {pairs[pair]} is the match of the same two")
        if plan.deal.seed in seeds:
            raise InvalidPlan(
                f"{file}: deal.seed: is that of {seeds[plan.deal.seed]}, but the matches of a"
                " league need different decks: remove it, or choose another"
            )
        pairs[pair], seeds[plan.deal.seed] = file, file
        for entrant in plan.players:
            file_before, before = entrants.setdefault(entrant.name, (file, entrant))
            if before != entrant:
                raise InvalidPlan(
                    f"{file}: players: {entrant.name} is another player than in {file_before}:"
                    " choose another name"
                )


def _check_names(names: Sequence[str]) -> None:
    for name, other in pairwise(names):
        if name == other:
            raise InvalidPlan(
                f"players: two players have the name {name}: choose another with `name`"
            )


def _seed(*parts: object) -> str:
    """Return the seed of a match: another one for each pair, so that their errors differ."""
    return sha256(json.dumps([str(part) for part in parts]).encode()).hexdigest()[:32]


def _cut(name: object) -> str:
    return str(name)[:_LONGEST_OF_PAIR]
