"""Reads what previews say about rooms and hands from the store."""

from casino_contracts import HOLDEM
from casino_contracts.events.content import HandStarted

from casino_lobby.domain.room import Room
from casino_lobby.domain.standings.view import standings_of
from casino_lobby.preview.facts import HandFacts, RoomFacts, hand_facts, room_facts
from casino_lobby.service.hands import Hands
from casino_lobby.service.use_cases import UseCases
from casino_lobby.store import Store, StoredHand


class Previews:
    """Facts of rooms and completed hands."""

    def __init__(self, lobby: UseCases, hands: Hands, store: Store) -> None:
        self._lobby = lobby
        self._hands = hands
        self._store = store

    async def room(self, room_id: str) -> RoomFacts:
        """Return the facts of a room; raises CommandRefused and StoreFailed."""
        room = await self._lobby.find_room(room_id)
        standings = standings_of(room)
        return room_facts(room, standings, is_holdem=room.game_type == HOLDEM)

    async def hand(self, room_id: str, number: int, epoch: int | None) -> HandFacts:
        """Return the facts of a hand, by default of the newest epoch that has one.

        Raises CommandRefused: ROOM_NOT_FOUND, HAND_NOT_FOUND, and StoreFailed.
        """
        room = await self._lobby.find_room(room_id)
        hand = await self._hands.find(room, number, epoch)
        results = room.results
        names = {player_id: player.name for player_id, player in results.players.items()}
        return hand_facts(room, hand, await self._started(room, hand), names)

    async def _started(self, room: Room, hand: StoredHand) -> HandStarted | None:
        """Return how a hand began, None if that is not stored."""
        if hand.first_sequence is None:
            return None
        first = hand.first_sequence
        events = await self._store.events(room, first - 1, 1, hand.key.epoch)
        is_first = bool(events) and events[0].event_type == "hand_started"
        return HandStarted(events[0].payload) if is_first else None
