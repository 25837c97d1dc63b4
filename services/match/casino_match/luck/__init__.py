"""How much of a result was luck: control variates of a hand, each zero in the mean. Pure."""
