"""For the tests of a bot: questions, a table and the check of a bot, in one process."""
