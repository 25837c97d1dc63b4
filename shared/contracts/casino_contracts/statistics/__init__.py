"""How players play and how fast they decide: counted from the events of hands."""
