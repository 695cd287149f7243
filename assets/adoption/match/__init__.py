"""From requests to tasks: embedding, search, and the matches that are kept."""
