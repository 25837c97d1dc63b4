"""Several processes that share the tables of one configuration; the first starts the others."""
