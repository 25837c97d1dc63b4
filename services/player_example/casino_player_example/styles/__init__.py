"""The sample players' styles of play."""
