"""dbt inside a refresh: its project, its nodes as assets, and the one process that runs them."""
