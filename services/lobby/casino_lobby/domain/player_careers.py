"""What players did over all rooms of the casino, merged from the rooms' results. Pure.

A player is an agent, by the address of its card: no other can take its results by taking its name,
and it keeps them under another one.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from casino_contracts import HOLDEM, Career, CareerLine, Outcome, PlayerProfile, PlayerType
from casino_contracts.careers import (
    CareerGame,
    CareerHand,
    CareerRoom,
    PlayStyle,
    ResultUnit,
    RoomState,
    StyleWord,
)
from casino_contracts.play_counts import PlayCounts, kept_reason
from casino_contracts.play_statistics import (
    CostSum,
    DefaultCount,
    LatencySketch,
    WinRate,
    latency_of,
    statistics_of,
)

from casino_lobby.domain.observed_hand import BEST_KEPT
from casino_lobby.domain.player_results import PlayerResults, bounded
from casino_lobby.domain.room import Room
from casino_lobby.domain.room_books import NO_FAULTS
from casino_lobby.domain.room_views import CareerIds, shown_rate, shown_result, unit_of

MOST_RANKED = 5_000
"""Maximum number of players of a ranking; those with the fewest hands are left out."""
ROOMS_SHOWN = 50
_SEATS_SHOWN = 10
STYLE_HANDS = 100
"""Number of hands below which a player has no style."""
_STYLE_BETS = 30
"""Number of bets, raises and calls below which it is neither passive nor aggressive."""
_TIGHT, _LOOSE, _PASSIVE, _AGGRESSIVE = 0.2, 0.35, 1, 2


class RoomCareer(NamedTuple):
    """What one player did in one room."""

    career_id: str
    room_id: str
    player_id: str
    game_type: str
    state: RoomState
    is_seated: bool
    results: PlayerResults

    @property
    def unit(self) -> ResultUnit:
        return unit_of(self.game_type)


def careers_in(room: Room, ids: CareerIds) -> Iterator[RoomCareer]:
    """Yield what the players of a room did, those who left too."""
    state: RoomState = "archived" if room.archived_at else "closed" if room.is_over else "open"
    for player_id, player in room.results.players.items():
        own_id = ids.of(room, player_id)
        if own_id is not None and (player.rate.hands or player.is_seated):
            is_seated = state == "open" and player_id in room.seats
            yield RoomCareer(
                own_id, room.room_id, player_id, room.game_type, state, is_seated, player
            )


@dataclass
class _Sum:
    """What a player did in several rooms, added up in the order in which the rooms were opened."""

    name: str = ""
    player_type: PlayerType | None = None
    profile: PlayerProfile | None = None
    description: str | None = None
    rooms: int = 0
    rate: WinRate = field(default_factory=WinRate)
    outcomes: Counter[Outcome] = field(default_factory=Counter)
    seated_in: list[str] = field(default_factory=list)

    def add(self, part: RoomCareer) -> None:
        player = part.results
        self.name = player.name
        self.player_type = player.player_type or self.player_type
        self.profile = player.profile or self.profile
        self.description = player.description or self.description
        self.rooms += bool(player.rate.hands)
        self.rate.include(player.rate)
        self.outcomes.update(player.outcomes)
        if part.is_seated and len(self.seated_in) < _SEATS_SHOWN:
            self.seated_in.append(part.room_id)

    @property
    def is_decided(self) -> bool:
        half = self.rate.half_interval
        return half is not None and abs(self.rate.per_100) > half

    @property
    def faults(self) -> dict[Outcome, int]:
        return {
            outcome: count for outcome, count in self.outcomes.items() if outcome not in NO_FAULTS
        }


def ranking(parts: Iterable[RoomCareer], game_type: str) -> list[CareerLine]:
    """Return the players of a game, without people: the decided ones by their lower bound, ranked.

    The others follow by their number of hands. Without a common unit, in games without blinds,
    nobody has a rank.
    """
    sums = defaultdict[str, _Sum](_Sum)
    for part in parts:
        if part.game_type == game_type:
            sums[part.career_id].add(part)
    lines = [
        CareerLine(
            id=own_id,
            name=total.name,
            player_type=total.player_type,
            profile=total.profile,
            rooms=total.rooms,
            **shown_result(total.rate),
            decided=total.is_decided,
            faults=total.faults,
            decisions=total.outcomes.total(),
            seated_in=tuple(total.seated_in),
        )
        for own_id, total in sums.items()
        if total.player_type != "human" and total.rate.hands
    ]
    has_ranks = game_type == HOLDEM
    ranked = [line for line in lines if line.decided] if has_ranks else []
    ranked.sort(key=lambda line: (-_lower(line), line.id))
    others = [line for line in lines if not (has_ranks and line.decided)]
    others.sort(key=lambda line: (-line.hands, -line.bb_per_100, line.id))
    first = [line.model_copy(update={"rank": rank}) for rank, line in enumerate(ranked, start=1)]
    return [*first, *others][:MOST_RANKED]


def _lower(line: CareerLine) -> float:
    return line.bb_per_100 - (line.half_interval_95 or 0)


def career_of(parts: Sequence[RoomCareer], rank: int | None) -> Career:
    """Return what one player did, at least in one room; `rank` is that in Hold'em.

    `parts` are in the order in which the rooms were opened.
    """
    whole, games = _Sum(), defaultdict[str, _Sum](_Sum)
    play, latency, costs = PlayCounts(), LatencySketch(), CostSum()
    for part in parts:
        whole.add(part)
        games[part.game_type].add(part)
        play.include(part.results.play)
        latency.include(part.results.latency)
        costs.include(part.results.costs)
    spent = costs.over(whole.rate.hands, bounded(whole.rate.per_100))
    if spent is not None and games.keys() != {HOLDEM}:
        spent = spent.model_copy(update={"won_per_usd": None, "won_per_1000_tokens": None})
    by_hands = sorted(games.items(), key=lambda game: -game[1].rate.hands)
    return Career(
        id=parts[0].career_id,
        name=whole.name,
        player_type=whole.player_type,
        profile=whole.profile,
        description=whole.description,
        seated_in=tuple(whole.seated_in),
        games=tuple(
            _game(name, total, rank if name == HOLDEM else None) for name, total in by_hands
        ),
        rooms=tuple(_room(part) for part in reversed(parts[-ROOMS_SHOWN:])),
        statistics=statistics_of(play),
        style=style_of(play),
        latency=latency_of(latency),
        faults=whole.faults,
        decisions=whole.outcomes.total(),
        defaulted=tuple(_defaults(parts)) or None,
        costs=spent,
        best_hands=_noted(parts, "best"),
        greatest_wins=_noted(parts, "wins"),
    )


def _game(game_type: str, total: _Sum, rank: int | None) -> CareerGame:
    return CareerGame(
        game_type=game_type,
        unit=unit_of(game_type),
        rank=rank if total.is_decided else None,  # the ranking may be a little older
        rooms=total.rooms,
        **shown_result(total.rate),
        decided=total.is_decided,
    )


def _room(part: RoomCareer) -> CareerRoom:
    return CareerRoom(
        room_id=part.room_id,
        player_id=part.player_id,
        game_type=part.game_type,
        unit=part.unit,
        state=part.state,
        net=bounded(part.results.net),
        **shown_result(part.results.rate),
    )


def _defaults(parts: Iterable[RoomCareer]) -> list[DefaultCount]:
    """Return the defaults by reason, each with its newest detail, the most frequent first."""
    counts: dict[str, DefaultCount] = {}
    for part in parts:
        for reason, default in part.results.defaults.items():
            kept = kept_reason(reason, counts)
            before = counts.get(kept)
            counts[kept] = DefaultCount(
                reason=kept,
                count=default.count + (before.count if before else 0),
                detail=default.detail or (before.detail if before else None),
            )
    return sorted(counts.values(), key=lambda default: -default.count)


def style_of(play: PlayCounts) -> PlayStyle | None:
    """Return a style in words; None below `STYLE_HANDS`."""
    if play.vpip_of < STYLE_HANDS:
        return None
    words: list[StyleWord] = []
    entered = play.vpip / play.vpip_of
    if entered <= _TIGHT or entered >= _LOOSE:
        words.append("tight" if entered <= _TIGHT else "loose")
    if play.aggressive + play.calls >= _STYLE_BETS:
        if play.aggressive <= _PASSIVE * play.calls:
            words.append("passive")
        elif play.aggressive >= _AGGRESSIVE * play.calls:
            words.append("aggressive")
    return PlayStyle(hands=play.vpip_of, words=tuple(words))


def _noted(parts: Iterable[RoomCareer], kind: Literal["best", "wins"]) -> tuple[CareerHand, ...]:
    """Return the best hands by score, or of Hold'em the greatest wins."""
    hands = sorted(
        (value, part.room_id, epoch, number)
        for part in parts
        if kind == "best" or part.unit == "bb"
        for value, epoch, number in getattr(part.results, kind).hands
    )
    return tuple(
        CareerHand(
            room_id=room_id,
            epoch=epoch,
            hand_number=number,
            score=-int(value) if kind == "best" else None,
            net=shown_rate(-value) if kind == "wins" else None,
        )
        for value, room_id, epoch, number in hands[:BEST_KEPT]
    )
