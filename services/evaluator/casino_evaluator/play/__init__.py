"""A level as it is played: a room of the lobby, the candidate's seat, the opponent's seat."""
