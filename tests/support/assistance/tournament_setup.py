"""A small tournament on the scripted server: two candidates, a worker, three judges, one task, as a user sets it up.

Belongs here: sources, llm.toml, the commands, the assets. Does not belong here: answers (tournament_server.py) and
assertions.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from click.testing import CliRunner, Result

from assets.assistance.tournament_assets import TABLES, tournament_calls
from assets.settings import Settings
from assets.sources.input_root import sources_folder
from assets.sources.readers import read_candidates, read_outputs, read_traits, read_verdicts
from dagster_project.cli.main import main
from tests.support.assistance.tournament_server import TournamentServer
from tests.support.llm.scripted_server import LIMITS
from tests.support.steps import MemoryWarehouse, run_steps

FAMILIES = {
    "zephyrine": "Boreal", "quillon": "Austral", "wimbrel": "Boreal", "juror-one": "Jurassic",
    "juror-two": "Keltic", "juror-kin": "Boreal",
}  # fmt: skip
ROLES = [("candidate", "zephyrine"), ("candidate", "quillon"), ("worker", "wimbrel")]
ROLE_CELLS = {"wimbrel": "worker"}
JUDGES = [("judge", name) for name in ("juror-one", "juror-two", "juror-kin")]
N_RUNS, MAX_TOKENS, IN_FLIGHT = 2, 60, 2
# a run: two deliverables, two assistance texts, the worker alone, then the worker with each assistance
N_OPENINGS, N_AIDED = N_RUNS * 5, N_RUNS * 2
# a run: two judges see all of 1 + 3 pairs; Boreal's judge only quillon's with the unaided worker
N_VERDICTS = N_RUNS * (2 * 4 + 1)
# a run: two coders for zephyrine's text, three for quillon's
N_CODINGS = N_RUNS * 5
TOML = """
[[{role}]]
name = "{name}"
model = "{name}"
base_url = "{base_url}"
api_key_env = "TEST_LLM_KEY"
json_schema = true
max_tokens = {max_tokens}
max_in_flight = {in_flight}
input_price = 1000
output_price = 2000
"""
TASK = """# Haiku

## Prompt

Write a haiku on rain.

## Components

- season: A word for a season.
- cut: A cut between two images.

## Dimensions

- season: The word fits.
- cut: The images stand apart.
"""
FILES = ("candidate", "tournament_output", "tournament_verdict", "assistance_trait")
KEYS = ["task", "mode", "run"]


class Setup:
    """Sources with one task of their own, and llm.toml on the server."""

    def __init__(self, folder: Path, server: TournamentServer) -> None:
        self.server, self.sources, self.home = server, folder / "sources", folder / "home"
        (self.sources / "tournament/tasks").mkdir(parents=True)
        self.task = self.sources / "tournament/tasks/haiku.md"
        self.task.write_text(TASK)
        self.options = {"SUITABILITY_TOURNAMENT_RUNS": str(N_RUNS), "SUITABILITY_TOURNAMENT_TASKS": "haiku"}
        self.panel([*ROLES, *JUDGES])
        self.families(FAMILIES)

    def panel(self, roles: list[tuple[str, str]]) -> None:
        tables = [
            TOML.format(role=role, name=name, base_url=self.server.base_url, max_tokens=MAX_TOKENS,
                        in_flight=IN_FLIGHT)
            for role, name in roles
        ]  # fmt: skip
        (self.sources / "llm.toml").write_text("".join(tables) + LIMITS)

    def families(self, families: dict[str, str], roles: dict[str, str] | None = None) -> None:
        rows = [
            f'{name},{family},"{(roles or ROLE_CELLS).get(name, "")}"' for name, family in families.items()
        ]
        text = "\n".join(["candidate,family,role", *rows, ""])
        (self.sources / "tournament/candidates.csv").write_text(text)

    @property
    def environment(self) -> dict[str, str]:
        paths = {"SUITABILITY_HOME": str(self.home), "SUITABILITY_SOURCES": str(self.sources)}
        return paths | self.options

    @property
    def settings(self) -> Settings:
        options = {
            name.removeprefix("SUITABILITY_").lower(): value for name, value in self.environment.items()
        }
        return Settings.model_validate(options)

    def guidance(self, file: str) -> Result:
        return CliRunner().invoke(main, ["llm", "guidance", str(self.sources / file)], env=self.environment)

    def call(self, verb: str, step: str, *more: str) -> Result:
        return CliRunner().invoke(main, ["llm", verb, f"tournament-{step}", *more], env=self.environment)

    def run(self, *steps: str) -> None:
        """Each step given; without any, all of the tournament.

        Raises:
            AssertionError: a command failed; its output.
        """
        for step in steps or ("runs", "runs", "judge", "traits"):
            done = self.call("run", step)
            assert done.exit_code == 0, done.output

    def tables(self) -> MemoryWarehouse:
        """All raw tables, those of the ledger too."""
        sources = sources_folder(self.settings)
        readers = (read_candidates, read_outputs, read_verdicts, read_traits)
        tables = MemoryWarehouse()
        for read in readers:
            tables.write(read(sources).frames)
        assert run_steps(tables, self.settings, tournament_calls).keys() == TABLES.keys()
        return tables

    def collect(self) -> dict[str, pd.DataFrame]:
        """The tables of the ledger: outputs, verdicts, codings."""
        tables = self.tables()
        return {name.removeprefix("raw."): tables.read(name) for name in TABLES}


def counts(frame: pd.DataFrame) -> dict[str, int]:
    return {str(status): int(n) for status, n in frame["status"].value_counts().items()}


def texts(outputs: pd.DataFrame) -> dict[tuple[str, ...], str]:
    return {tuple(row[:4]): row[4] for row in outputs[[*KEYS, "candidate", "output"]].to_numpy().tolist()}
