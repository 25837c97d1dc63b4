"""Page of scorecards and replays."""
