"""Tables of practice: seats, stacks and blinds that lead to every kind of question."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from casino_contracts import HOLDEM, TableConfig
from casino_games.hosting.game_properties import chips_needed, traits_of

from casino_table.domain.seat import Seat
from casino_table.domain.table import Table

CASINO: Final = "Practice"
_HANDS: Final = 1_000
_MOST_BLINDS: Final = 10_000_000_000


class Examinee(NamedTuple):
    """The player that is asked, as it signed up."""

    table_id: str
    player_id: str
    display_name: str
    plays_any_game: bool = False


NOBODY: Final = Examinee("practice", "player-0", "Nobody")


@dataclass(frozen=True)
class PracticeTable:
    """One table of practice; stacks are in its config's unit, by seat."""

    label: str
    stacks: Sequence[float]
    small_blind: float = 1
    big_blind: float = 2
    ante: float = 0
    game_type: str = HOLDEM

    def table(self, seat_number: int = 0, examinee: Examinee = NOBODY) -> Table:
        """Return its table with all players seated, the examinee in the seat `seat_number`."""
        deepest, shortest = max(self.stacks), min(self.stacks)
        stack = max(deepest, self.big_blind)
        traits = traits_of(self.game_type)
        table = Table(
            examinee.table_id,
            CASINO,
            TableConfig(
                starting_stack=stack,
                small_blind=self.small_blind,
                big_blind=self.big_blind,
                min_buy_in=min(shortest, stack),
                max_buy_in=stack,
                max_hands=_HANDS,
                max_seats=len(self.stacks),
                ante=self.ante,
            ),
            epoch=1,
            game_type=self.game_type,
            game_config={},
            min_players=traits.min_players,
            chips_needed=chips_needed(self.game_type, {}),
            plays_for_chips=traits.plays_for_chips,
        )
        for number, chips in enumerate(self.stacks):
            player = examinee
            if number != seat_number:
                opponent = f"opponent-{number + 1}", f"Opponent {number + 1}"
                player = Examinee(examinee.table_id, *opponent)
            seat = Seat(
                number,
                player.player_id,
                player.display_name,
                card_url="",
                action_skill="",
                stack=table.unit.chips(chips),
                is_new=False,
                plays_any_game=player.plays_any_game,
            )
            table.take_seat(seat)
        return table


HOLDEM_TABLES: Final = (
    PracticeTable("six seats", (200,) * 6),
    PracticeTable("heads-up", (200, 200)),
    PracticeTable("nine seats", (200, 180, 320, 90, 200, 40, 510, 200, 200)),
    PracticeTable("short stacks", (3, 1, 2, 12, 7, 200)),
    PracticeTable("short stack against deep ones", (9, 400, 400)),
    PracticeTable("antes", (100, 60, 100, 80), ante=1),
    PracticeTable("decimals", (50, 37.25, 50.5), small_blind=0.25, big_blind=0.5),
    PracticeTable(
        "big numbers",
        (200 * _MOST_BLINDS, 150 * _MOST_BLINDS + 7, 200 * _MOST_BLINDS),
        small_blind=_MOST_BLINDS // 2,
        big_blind=_MOST_BLINDS,
    ),
)
"""Tables of Hold'em."""

OTHER_GAMES_TABLES: Final = (
    PracticeTable("Leduc", (200, 200), game_type="leduc_poker"),
    PracticeTable("Kuhn", (200, 200), game_type="kuhn_poker"),
)
"""Tables of other games, for players that play any game."""
