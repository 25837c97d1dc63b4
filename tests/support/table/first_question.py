"""The first question of a hand of three."""

from casino_games import ArenaConfig, ArenaPlayer
from casino_games.holdem import HoldemGame
from casino_play.holdem_question import HoldemQuestion
from casino_table.domain.admission import seat_for
from casino_table.domain.table import Table
from casino_table.play.holdem_presenter import HoldemPresenter

from support.table.table_side import config, seating


def facing_the_blind() -> tuple[Table, HoldemQuestion]:
    """Return a table of three and the first question: call 2, raise from 4, or fold."""
    table = Table("t1", "Casino", config(), 1, "texas-holdem", {})
    for number in range(3):
        table.take_seat(seat_for(table, seating(number, f"http://p{number}"))[0])
    deal = table.next_deal()
    players = tuple(ArenaPlayer(seat.player_id) for seat in deal.seats)
    settings = {"small_blind": 1, "big_blind": 2, "stacks": [200] * 3, "button": deal.button}
    game = HoldemGame(ArenaConfig(players, game_config=settings))
    game.reset("seed")
    seat = deal.seat_of(game.get_current_player())
    question = HoldemPresenter(table, deal, game).question(seat)
    assert isinstance(question, HoldemQuestion)
    return table, question
