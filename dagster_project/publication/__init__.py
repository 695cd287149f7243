"""Publication: the marts in a file of their own, swapped in by rename, and reading it."""
