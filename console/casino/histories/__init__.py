"""Hand histories: the hands of rooms read from a lobby, and files shown on the page."""
