"""What tables and matches share: questions to players, their judgement, and asking in time."""
