"""Published figures and assumed constants that the demo is generated from, each with where it stands.

Belongs here: numbers. "Published" means printed in Prunty et al., "Using profiles of cognitive capability
to assess AI suitability for workplace tasks" (the table or section is named beside each); "assumed" means
ours, and plausible only. Does not belong here: code that draws anything (battery.py, survey.py).

Tables beside this file:
* raters.csv: constants of the rater model, calibrated to Tables A2, A3 and 2 (see battery.py).
* activity_importance.csv: importance per activity and domain. `basis` 'published' marks a figure quoted in
  section 4.3.3; the assumed ones keep the published mean over domains where one is quoted. `conditional`
  is published for every cell, as exp(Table C10 - Table C9): deployment priority is log importance +
  suitability.
* ability_points.csv: assumed relative weights of the capabilities for each activity, after section 4.3.4's
  account (a shared core of P, SM, WM, L and ProcM; social, perceptual or simulating secondaries by activity).
* occupations.csv: invented occupations (see onet.py).
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
SEEDS = HERE.parents[1] / "dbt" / "seeds"

RATERS_TABLE = HERE / "raters.csv"
IMPORTANCE_TABLE = HERE / "activity_importance.csv"
POINTS_TABLE = HERE / "ability_points.csv"
OCCUPATIONS_TABLE = HERE / "occupations.csv"
MAJOR_GROUP_TABLE = SEEDS / "seed_major_group.csv"
TRUTH_TABLE = SEEDS / "published_capability.csv"
CAPABILITY_TABLE = SEEDS / "seed_capability.csv"
TABLES = (
    *(RATERS_TABLE, IMPORTANCE_TABLE, POINTS_TABLE, TRUTH_TABLE, CAPABILITY_TABLE),
    *(OCCUPATIONS_TABLE, MAJOR_GROUP_TABLE),
)

BATTERY_ITEMS = 19576


class Benchmark(NamedTuple):
    """One dataset: its items in Table 1 and the dimensions it leans on (assumed from what it tests)."""

    name: str
    n_items: int
    leans_on: tuple[str, ...]


# Sizes: Table 1. Its rows AGIEval (1,896) and LLM BabyBench (600) are two and three datasets of equal size.
BENCHMARKS = (
    Benchmark("abstract_narrative_understanding", 303, ("L", "IR")),
    Benchmark("AGIEval_freeform", 948, ("SM", "IIC")),
    Benchmark("AGIEval_mcq", 948, ("SM", "IIC")),
    Benchmark("BigBenchHard", 1265, ("IIC", "IR")),
    Benchmark("BigToM", 686, ("SC", "IR")),
    Benchmark("Cause_and_Effect", 51, ("IR",)),
    Benchmark("CoQA", 210, ("L", "EM")),
    Benchmark("EmoBench", 1200, ("SC", "L")),
    Benchmark("Evaluating_Information_Essentiality", 68, ("IIC",)),
    Benchmark("EWoK", 210, ("SM", "IR")),
    Benchmark("Fantasy_Reasoning", 201, ("IIC", "L")),
    Benchmark("Fantom", 2177, ("SC", "EM")),
    Benchmark("INTUIT", 995, ("IR", "OP")),
    Benchmark("Known_Unknowns", 46, ("SM",)),
    Benchmark("LLM_BabyBench_decompose", 200, ("APS",)),
    Benchmark("LLM_BabyBench_plan", 200, ("APS",)),
    Benchmark("LLM_BabyBench_predict", 200, ("APS", "OP")),
    Benchmark("MacGyver", 909, ("IR", "APS")),
    Benchmark("MetaMedQA", 1373, ("SM", "L")),
    Benchmark("OpenTOM", 2000, ("SC", "OP")),
    Benchmark("Plan_Bench", 2000, ("APS", "IIC")),
    Benchmark("SocialNorm", 210, ("SC", "SM")),
    Benchmark("StepGame", 1563, ("APS", "IIC")),
    Benchmark("Text_Navigation", 1413, ("APS", "OP")),
    Benchmark("Tiger_MMLU", 200, ("SM",)),
)
LEAN = 0.6  # assumed: how far a benchmark's items sit above the rest on what it leans on, in SDs

DIMENSIONS = ("IIC", "APS", "IR", "SC", "L", "SM", "EM", "OP")
# Assumed: correlations of the dimensions' latent demands between items; all others 0. Items that ask for
# knowledge alone are what tells SM's level from the others', so SM stands against acting and reasoning.
DEMAND_CORRELATIONS = {
    ("SM", "APS"): -0.5,
    ("SM", "IR"): -0.2,
    ("SM", "OP"): -0.3,
    ("IR", "APS"): 0.5,
    ("IIC", "APS"): 0.3,
    ("APS", "OP"): 0.2,
}

# Calibrated: the shared intercept under which Table C6's means give Table C5's accuracies on these demands.
INTERCEPT = -0.05

# Faults as the public rating files carry them, at full scale (they shrink with the battery).
ESSAY_CELLS = 4
BLANK_CELLS = 40
UNSCORED_RESULTS = 4  # assumed, in one system


class System(NamedTuple):
    """One profiled AI system (section 4.2); release dates and settings are not published, so left blank."""

    system: str
    name: str
    developer: str
    family: str


SYSTEMS = (
    System("gpt-4o-mini", "GPT-4o-mini", "OpenAI", "GPT"),
    System("gpt-5-nano", "GPT-5-nano", "OpenAI", "GPT"),
    System("gemini-2.5-flash", "Gemini 2.5 Flash", "Google", "Gemini"),
    System("gemini-3-flash", "Gemini 3 Flash", "Google", "Gemini"),
    System("gemini-3.1-pro", "Gemini 3.1 Pro", "Google", "Gemini"),
    System("o4-mini", "o4-mini", "OpenAI", "GPT"),
)

DOMAINS = ("WL", "MMR", "NDP", "AOP", "CMH", "HSC")  # in the order of their questionnaire codes 1-6

# Table B2: respondents per source and domain before and after quality control.
STARTED = {"companies": (2, 0, 18, 46, 38, 21), "online": (47, 48, 59, 125, 67, 68)}
KEPT = {"companies": (1, 0, 12, 37, 24, 11), "online": (36, 33, 50, 102, 55, 49)}
# Section 4.3.1, footnote 4: removed by each filter, in its order. Their split over cells is not published:
# drawn.
REMOVED = {"incomplete": 59, "quiz": 66, "speed": 4}
# The release holds 571 rows, 539 of them in a domain; the rest were screened out.
SCREENED_OUT = {"companies": 3, "online": 29}


class Demographics(NamedTuple):
    """Table B3, one source: years, share of women, and the attitude to AI on 0-100."""

    age_mean: float
    age_sd: float
    female_share: float
    years_role: float
    years_field: float
    ai_positivity: float


DEMOGRAPHICS = {
    "companies": Demographics(37.7, 12.0, 0.659, 4.2, 8.4, 62.1),
    "online": Demographics(40.9, 10.3, 0.455, 6.1, 12.7, 56.4),
}
COMPANY_SHARES = (35, 30, 16, 4)  # 35: "Company X" (Figure C8); the others assumed, one too small to show

# Mean hours a week among those who chose the activity, by activity code 1-18; section 4.3.3 quotes those
# of Checking (2), Tool use (8), Computer use (9), Managing people (16) and Admin (18), the others are
# assumed.
WEEKLY_HOURS = (
    7.0,
    10.2,
    7.5,
    8.0,
    6.0,
    5.0,
    5.5,
    14.7,
    15.7,
    12.0,
    9.0,
    8.5,
    9.5,
    7.5,
    7.5,
    13.4,
    6.5,
    10.8,
)

# Section 4.3.4: a domain's departures from the pooled points, carried as factors on the weights (assumed
# size).
DOMAIN_TILTS = {
    ("WL", "SRaN"): 2.2,
    ("MMR", "P"): 1.4,
    ("HSC", "ToM"): 1.5,
    ("HSC", "EPaE"): 1.3,
}

# "Capabilities Ain't All You Need: Measuring Propensities in AI", sections 4.2, 4.3 and 5: about 250 items a
# propensity, incitations -3 to 3 and none; unprompted leanings mostly within 1.3 of 0 (o1 stands at -0.94 on
# extraversion, which o4-mini is given here); a system mostly follows incitation (r of .9 and more), but GPT-4o
# resists it on extraversion (r = .60). Positions of the demo's own systems are not published: assumed.
PROPENSITY_ITEMS = 250
UNPROMPTED = {  # system -> red_blue, risk, extraversion, ultracrepidarianism
    "gpt-4o-mini": (0.3, 1.2, 0.5, 1.1),
    "gpt-5-nano": (0.1, -0.9, -0.6, -1.0),
    "gemini-2.5-flash": (1.1, 0.4, 0.3, 0.8),
    "gemini-3-flash": (0.2, 0.8, 0.2, 0.3),
    "gemini-3.1-pro": (0.0, 0.3, -0.2, -0.4),
    "o4-mini": (0.1, 0.6, -0.94, -0.6),
}
FOLLOWS = 0.85  # how far a system moves from its own leaning to the incited level (1 = all the way)
RESISTS = {("gpt-4o-mini", "extraversion"): 0.12}
UNSTEADINESS = 0.25  # SD of a system's position about that, from one system prompt to the next

# The paper's Table 3 predicts six naturalistic benchmarks. Of the demo's battery these six are annotated, at most so
# many items of each; which levels they get says nothing of success.
ANNOTATED_BENCHMARKS = ("Fantom", "MetaMedQA", "OpenTOM", "Plan_Bench", "StepGame", "Text_Navigation")
ANNOTATED_ITEMS = 150
BAND_RATER = "rater-c"

# what a made-up team lead says of a role and two of its duties: company, role, duty ("" = the whole) -> points
INTERVIEW: dict[tuple[str, str, str], dict[str, int]] = {
    ("company-1", "Support lead", ""): {"L": 30, "ToM": 25, "P": 20, "CR": 15, "EM": 10},
    ("company-1", "Support lead", "Answer escalated complaints"): {"L": 40, "ToM": 40, "CR": 20},
    ("company-1", "Support lead", "Plan the rota"): {"P": 60, "MS": 25, "WM": 15},
}
