"""The A2A SDK as it is served: routes, replies, tasks and their owners."""
