"""Every setting of the product, read once from the environment (`SUITABILITY_<NAME>`).

Belongs here: values a user may change, their defaults and units, and the paths that follow from them.
Does not belong here: policies (dbt/seeds/policies.csv) and anything that is computed.
"""

from __future__ import annotations

import difflib
import hashlib
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, ValidationInfo, field_validator, model_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from assets.slices import SLICES

PROJECT = Path(__file__).resolve().parents[1]
# set for dbt, and for tests
NOT_SETTINGS = {"SUITABILITY_WAREHOUSE_PATH", "SUITABILITY_REAL_DATA"}
PROPENSITIES = ("red_blue", "risk", "extraversion", "ultracrepidarianism")
PAIRS = "must be pairs of names such as 'north = south; alpha = beta'"
WHOLE_RISING = "must be whole numbers from 1, rising, joined by commas"


class Settings(BaseSettings):
    """Settings of one refresh. Unknown values fail at start, naming the variable."""

    # a NaN or infinite threshold or prior would pass every check, or end in a fit that never does
    model_config = SettingsConfigDict(
        env_prefix="SUITABILITY_", extra="forbid", frozen=True, allow_inf_nan=False
    )

    sources: Path | None = Field(None, description="folder of input files; unset = the embedded demo")
    home: Path = Field(PROJECT / ".suitability", description="folder for everything that is written")
    llm: Path | None = Field(
        None,
        description="file that says which model plays which role; unset = llm.toml in the sources, if any",
    )
    seed: int = Field(20260101, ge=0, description="the one seed; every random step derives its own from it")
    demo_items: int = Field(19576, ge=500, description="battery items in the embedded demo")
    owner: str = Field(
        "team:data-platform",
        pattern=r"^(team:[\w.-]+|[\w.%+-]+@[\w-]+(\.[\w-]+)+)$",
        description="owner of all assets in Dagster's UI: team:<name>, or an email address",
    )
    lock_wait_seconds: float = Field(30, ge=0, description="how long a command waits for the warehouse file")

    quiet_seconds: float = Field(
        60, ge=0, description="how long no input file may have changed before the sensor takes it as whole"
    )

    model_seconds: float = Field(
        3600, gt=0, description="how long dbt may work on one table or test before it counts as hung"
    )

    annotation_mode: Literal["one", "all"] = Field(
        "one", description="capabilities that one call to a rater asks about: one, or all together"
    )
    annotation_sample: int = Field(100, ge=10, description="texts annotated in both modes to compare them")
    selection_items: int | None = Field(
        None, ge=1, description="number of items to choose for a battery; unset = choose none"
    )
    selection_sample: int = Field(200, ge=1, description="items per benchmark whose demands set the target")
    selection_max_share: float = Field(
        0.10, gt=0, le=1, description="largest share of one benchmark in the chosen battery"
    )
    selection_observed_weight: float = Field(
        0.7,
        ge=0,
        le=1,
        description="weight of the observed demands in the target; the rest is flat over the levels",
    )
    tournament_runs: int = Field(10, ge=1, description="independent runs of every task, mode and candidate")
    tournament_tasks: str = Field(
        "", description="names of the tasks that models are asked about, joined by commas; blank = all"
    )
    tournament_both_seats: bool = Field(
        False, description="whether each pair is judged in both orders of seats"
    )
    min_spearman: float = Field(
        0.30,
        description="Spearman correlation; a capability is dropped when both agreement figures are lower",
    )
    min_kappa: float = Field(
        0.30, description="quadratic-weighted kappa, the other of the two agreement figures"
    )
    cluster_cut: float = Field(0.5, gt=0, lt=2, description="dendrogram cut on the distance 1 - r")
    composite: Literal["active_mean", "mean"] = Field(
        "active_mean",
        description="demand of a dimension on an item: mean over its demanded capabilities, or over all",
    )
    consensus: Literal["mean", "posterior"] = Field(
        "mean",
        description="demand of a capability on an item: mean of raters, or posterior of the rater model",
    )
    min_join_coverage: float = Field(
        0.90, ge=0, le=1, description="smallest share of result rows that must find their item"
    )

    # text would be read as JSON before anything here could tell what is wrong with it
    allow_empty: Annotated[tuple[str, ...], NoDecode] = Field(
        (),
        description="slices, joined by commas, that may be published empty though they have inputs; otherwise "
        "a slice without usable rows stops the refresh",
    )

    @field_validator("allow_empty", mode="before")
    @classmethod
    def _slices(cls, value: object) -> object:
        names = value.split(",") if isinstance(value, str) else value
        if not isinstance(names, Iterable):
            raise ValueError(f"must be names of slices joined by commas: {', '.join(SLICES)}")
        found = tuple(dict.fromkeys(str(name).strip() for name in names if str(name).strip()))
        if unknown := [name for name in found if name not in SLICES]:
            raise ValueError(f"{', '.join(unknown)}: no slice; use {', '.join(SLICES)}, joined by commas")
        return found

    independent: Annotated[tuple[str, ...], NoDecode] = Field(
        (),
        description="pairs of raters or systems that are no copies though (nearly) all they gave is equal, "
        "as in 'north = south; alpha = beta'",
    )

    @field_validator("independent", mode="before")
    @classmethod
    def _pairs(cls, value: object) -> object:
        texts = value.split(";") if isinstance(value, str) else value
        if not isinstance(texts, Iterable):
            raise ValueError(PAIRS)
        pairs = [[name.strip() for name in str(text).split(" = ")] for text in texts if str(text).strip()]
        if any(len(pair) != 2 or not all(pair) for pair in pairs):
            raise ValueError(PAIRS)
        return tuple(sorted({" = ".join(sorted(pair)) for pair in pairs}))

    online_source: str = Field(
        "online",
        min_length=1,
        description="survey source of the online respondents; all others are company",
    )
    min_cell: int = Field(1, ge=1, description="fewest people behind a published cell")
    min_company_cell: int = Field(
        5, ge=1, description="fewest people behind a published cell of a survey that names companies"
    )

    temperature: float = Field(1.0, gt=0, le=20, description="tau, the soft-minimum's temperature")
    slope: float = Field(1.0, gt=0, description="lambda, log-odds per demand level")
    capability_prior_mean: float = Field(3.0, description="prior mean of log capability")
    capability_prior_sd: float = Field(0.8, gt=0, description="prior standard deviation of log capability")
    intercept_prior_sd: float = Field(
        5.0, gt=0, description="prior standard deviation of the intercept that all systems share"
    )
    engine: Literal["factorised", "nuts"] = Field(
        "factorised", description="how capabilities are fitted: system by system, or jointly by NUTS"
    )
    chains: int = Field(4, ge=2, description="chains of the NUTS sampler")
    tune: int = Field(300, ge=100, description="draws per chain that only adapt the sampler")
    draws: int = Field(1000, ge=100, description="posterior draws per chain")
    target_accept: float = Field(
        0.7, gt=0.5, lt=1, description="acceptance rate that NUTS adapts its steps to"
    )
    max_rhat: float = Field(1.01, description="largest R-hat of a fit that counts as converged")
    max_khat: float = Field(0.7, description="largest Pareto k of importance weights that may be trusted")
    min_ess: float = Field(400, description="fewest effective draws of a fit that counts as converged")
    recovery_runs: int = Field(3, ge=1, description="simulated runs of the recovery analysis")
    calibration_fits: int = Field(200, ge=20, description="simulated fits of the calibration check")

    interview_concentration: int = Field(
        20,
        ge=1,
        description="respondents that one interview about a role or duty counts for in the uncertainty of its weights",
    )
    sweep_draws: int = Field(
        1000, ge=100, description="posterior draws, evenly thinned, that the sweep of policies takes"
    )
    published_draws: int = Field(
        40_000, ge=100, description="draws around the published capabilities, for comparison with the paper"
    )
    quadrant_importance: float | None = Field(
        None, description="importance (0-5) from which an activity counts as important; unset = the median"
    )
    quadrant_conditional_importance: float | None = Field(
        None,
        description="importance on the 1-5 scale from which an activity counts as important; unset = the median",
    )
    quadrant_hours: float | None = Field(
        None, description="hours a week from which an activity counts as important; unset = the median"
    )
    quadrant_suitability_log: float | None = Field(
        None, description="pooled log suitability from which an activity counts as suited; unset = the median"
    )
    quadrant_median: Literal["each_draw", "fixed"] = Field(
        "each_draw",
        description="where an unset suitability border lies: at the median of the activities within each posterior "
        "draw, or, as in the paper, at the fixed median of their posterior means",
    )

    chat_characters: int = Field(
        4000, ge=100, description="characters after which a chat's user turns are cut"
    )
    request_characters: int = Field(
        500, ge=50, description="characters after which the first user turn is cut"
    )
    assume_english: bool = Field(
        True,
        description="whether chats without a label and of undetected language (short prompts, code) count as English",
    )
    match_floor: float = Field(
        0.55,
        ge=-1,
        le=1,
        description="cosine from which a task counts as matched to a chat, without a language model",
    )
    match_margin: float = Field(
        0.05,
        ge=0,
        le=2,
        description="how far below the nearest task's cosine another task still counts, without a language model",
    )
    bridge_floor: float = Field(
        0.85,
        ge=-1,
        le=1,
        description="cosine from which a task of another index counts as the same task",
    )
    min_chats: int | None = Field(
        None,
        ge=1,
        description="fewest chats behind a published cell; unset = 5 with own logs, 1 with public chats",
    )
    # pydantic-settings would read the text as JSON before anything here could tell what is wrong with it
    depth_chats: Annotated[tuple[int, ...], NoDecode] = Field(
        (1, 2, 5, 10, 25, 50),
        description="numbers of chats from which a task counts as seen, joined by commas",
    )
    adoption_replicates: int = Field(200, ge=20, description="bootstrap resamples of chats")

    @field_validator("depth_chats", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        if not isinstance(value, str):
            return value
        text = value.strip()
        inside = text[1:-1] if text.startswith("[") and text.endswith("]") else text
        try:
            return tuple(int(number) for number in inside.split(","))
        except ValueError:
            raise ValueError(WHOLE_RISING) from None

    @field_validator("depth_chats")
    @classmethod
    def _rising(cls, value: tuple[int, ...]) -> tuple[int, ...]:
        if not value or min(value) < 1 or list(value) != sorted(set(value)):
            raise ValueError(WHOLE_RISING)
        return value

    embedder: Literal["minilm", "wordllama", "openai"] = Field(
        "minilm",
        description="model that turns chats and tasks into vectors; openai = the [[embedder]] of llm.toml",
    )
    embedder_instruction: str = Field(
        "Given what a person asks of an assistant, retrieve the occupational task that it belongs to",
        description="put before chats where embedder = openai; empty = none",
    )
    open_ends: bool = Field(True, description="whether a bound at -3 or 3 means no bound")
    lapse: float = Field(1e-6, gt=0, lt=0.5, description="probability that any item fails by accident")
    propensity_slope: Literal["one", "free"] = Field(
        "one", description="base slope of the propensity model: 1, or fitted for each propensity"
    )
    assessor_trees: int = Field(25, ge=1, description="trees of each forest that predicts success")
    assessor_incitations: Literal["unprompted", "all"] = Field(
        "unprompted", description="responses that assessors predict; all takes eight times as many forests"
    )

    assessor_benchmarks: Annotated[tuple[str, ...], NoDecode] = Field(
        (),
        description="benchmarks, joined by commas, whose items language models annotate for assessors, and that "
        "assessors predict; blank = all",
    )
    assessor_propensities: Annotated[tuple[str, ...], NoDecode] = Field(
        PROPENSITIES,
        description="propensities, joined by commas, whose levels language models give to items of any benchmark, "
        "and that assessors use",
    )

    @field_validator("assessor_benchmarks", "assessor_propensities", mode="before")
    @classmethod
    def _names(cls, value: object) -> object:
        names = value.split(",") if isinstance(value, str) else value
        if not isinstance(names, Iterable):
            raise ValueError("must be names joined by commas")
        return tuple(dict.fromkeys(str(name).strip() for name in names if str(name).strip()))

    @field_validator("assessor_propensities")
    @classmethod
    def _propensities(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        unknown = [name for name in value if name not in PROPENSITIES]
        if unknown or not value:
            told = f"{', '.join(unknown)}: no propensity" if unknown else "blank"
            raise ValueError(f"{told}; use one or more of {', '.join(PROPENSITIES)}, joined by commas")
        return tuple(name for name in PROPENSITIES if name in value)

    @field_validator("home", "sources", "llm", mode="before")
    @classmethod
    def _empty_is_unset(cls, value: object, info: ValidationInfo) -> object:
        # an empty path would be the current directory
        return cls.model_fields[str(info.field_name)].default if value == "" else value

    @field_validator("home", "sources", "llm")
    @classmethod
    def _absolute(cls, value: Path | None) -> Path | None:
        return value.expanduser().resolve() if value else None

    @field_validator("home")
    @classmethod
    def _plain(cls, value: Path) -> Path:
        # SQLite takes these for parts of an address, and would write elsewhere
        if found := sorted(set("%?#\\") & set(str(value))):
            raise ValueError(f"the path must not hold {' or '.join(found)}")
        return value

    @model_validator(mode="after")
    def _fits_in_floating_point(self) -> Settings:
        # failure odds hold e^(tau · lambda · demand), of demands up to 5
        if self.temperature * self.slope > 50:
            raise ValueError("SUITABILITY_TEMPERATURE times SUITABILITY_SLOPE must be at most 50")
        return self

    @model_validator(mode="after")
    def _no_misspelt_variable(self) -> Settings:
        known = {f"SUITABILITY_{name}".upper() for name in type(self).model_fields} | NOT_SETTINGS
        for name in sorted(os.environ):
            if name.upper().startswith("SUITABILITY_") and name.upper() not in known:
                near = difflib.get_close_matches(name.upper(), known, n=1)
                raise ValueError(
                    f"there is no setting {name}" + (f"; did you mean {near[0]}?" if near else "")
                )
        return self

    @property
    def warehouse_path(self) -> Path:
        """The working file: written by one step at a time, never opened by readers."""
        return self.home / "warehouse.duckdb"

    @property
    def llm_path(self) -> Path | None:
        """Where the roles of language models stand; None where no sources are named either."""
        return self.llm or (self.sources / "llm.toml" if self.sources else None)

    @property
    def ledger_path(self) -> Path:
        """Every call to a language model, with its answer."""
        return self.home / "ledger.sqlite"

    @property
    def published(self) -> Path:
        """Folder of what people read."""
        return self.home / "published"

    @property
    def published_path(self) -> Path:
        return self.published / "suitability.duckdb"

    def seed_for(self, *names: object) -> int:
        """A 63-bit seed of its own for the step or row that `names` identify (same names, same seed)."""
        text = "/".join(str(name) for name in (self.seed, *names))
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8]) >> 1

    def dbt_vars(self) -> dict[str, object]:
        """The settings that dbt models read; their defaults stand in dbt_project.yml too (a test compares)."""
        names = (
            *(
                "min_spearman",
                "min_kappa",
                "composite",
                "consensus",
                "min_join_coverage",
                "capability_prior_sd",
            ),
            *("online_source", "allow_empty", "independent"),
            *("min_cell", "min_company_cell"),
            *("quadrant_importance", "quadrant_conditional_importance", "quadrant_hours"),
            "quadrant_suitability_log",
            *("assume_english", "min_chats", "depth_chats"),
        )
        values = {name: getattr(self, name) for name in names}
        return {name: list(v) if isinstance(v, tuple) else v for name, v in values.items()}
