"""Practice: questions of hands that nobody plays, and the judgement of answers, without a room."""
