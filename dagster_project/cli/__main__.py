"""`python -m dagster_project.cli`, the command `suitability` of any environment."""

from dagster_project.cli.main import main

main()
