"""One run: what is stale, the lock of the home, Dagster's instance, watching a job, forgetting what is gone."""
