"""`casino join` as a process, and what processes of tests are started by."""
