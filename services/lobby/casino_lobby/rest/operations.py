"""Collects the operations of the REST API from the handler classes that declare them."""

from typing import NamedTuple, get_type_hints

from casino_lobby.rest.handlers.cards import CardHandlers
from casino_lobby.rest.handlers.games import GameHandlers
from casino_lobby.rest.handlers.hands import HandHandlers
from casino_lobby.rest.handlers.histories import HistoryHandlers
from casino_lobby.rest.handlers.lobby import LobbyHandlers
from casino_lobby.rest.handlers.own_hands import OwnHandHandlers
from casino_lobby.rest.handlers.players import PlayerHandlers
from casino_lobby.rest.handlers.published import PublishedHandlers
from casino_lobby.rest.handlers.rooms import RoomHandlers
from casino_lobby.rest.handlers.streams import StreamHandlers
from casino_lobby.rest.operation import operations_of


class Handlers(NamedTuple):
    """The handlers of all operations, in the order of the OpenAPI document."""

    rooms: RoomHandlers
    players: PlayerHandlers
    own_hands: OwnHandHandlers
    hands: HandHandlers
    histories: HistoryHandlers
    cards: CardHandlers
    lobby: LobbyHandlers
    games: GameHandlers
    published: PublishedHandlers
    streams: StreamHandlers


OPERATIONS = tuple(
    operation
    for handlers in get_type_hints(Handlers).values()
    for operation in operations_of(handlers).values()
)
