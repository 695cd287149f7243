"""The synthetic battery against the published tables, by pandas and scipy alone (not the pipeline's SQL).

Tables A2, A3, 1, 2, C5 and C6 of the task-suitability paper; tolerances are stated beside each comparison.
"""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform
from scipy.stats import spearmanr
from sklearn.metrics import cohen_kappa_score

from assets.demo import figures
from assets.demo.battery import success_probability
from assets.demo.ensure import ensure_demo
from assets.settings import PROJECT, Settings

SEED = Settings.model_fields["seed"].default  # what a user sees
NAMES = pd.read_csv(PROJECT / "dbt/seeds/seed_capability.csv").set_index("name")["capability"].to_dict()
NAMES["Inhibitory Control"] = "AaIC"

# Table A2: Spearman rho, quadratic-weighted kappa, mean absolute error
AGREEMENT = {
    "ToM": (0.81, 0.68, 0.45),
    "EPaE": (0.72, 0.72, 0.16),
    "SRaN": (0.72, 0.71, 0.53),
    "CR": (0.67, 0.59, 0.53),
    "ProcM": (0.65, 0.65, 0.64),
    "OP": (0.54, 0.51, 0.49),
    "P": (0.53, 0.56, 0.51),
    "EM": (0.50, 0.44, 0.53),
    "SM": (0.47, 0.46, 0.74),
    "L": (0.46, 0.40, 0.50),
    "MC": (0.44, 0.40, 0.69),
    "PaPR": (0.43, 0.40, 0.68),
    "FP": (0.41, 0.45, 0.81),
    "CF": (0.40, 0.40, 0.85),
    "WM": (0.39, 0.33, 0.93),
    "MS": (0.38, 0.37, 0.82),
    "AaIC": (0.09, 0.07, 0.87),
    "ProsM": (-0.03, 0.15, 0.66),
}
# Table A3
DIMENSIONS = {
    "IIC": {"CF", "MC", "PaPR", "WM"},
    "APS": {"MS", "P", "ProcM", "SRaN"},
    "IR": {"CR", "FP"},
    "SC": {"ToM", "EPaE"},
    "L": {"L"},
    "SM": {"SM"},
    "EM": {"EM"},
    "OP": {"OP"},
}
# Table 2: coverage, shares of levels 1-4 among items at 1 or more, percent
LEVELS = {
    "IIC": (100, 23, 61, 15, 1),
    "L": (100, 15, 82, 3, 0),
    "SM": (99, 19, 64, 9, 7),
    "APS": (94, 54, 35, 11, 0),
    "IR": (92, 50, 43, 7, 0),
    "EM": (50, 44, 50, 4, 2),
    "SC": (42, 22, 70, 6, 2),
    "OP": (36, 42, 45, 6, 7),
}
# Table C5: percent right
ACCURACY = {
    "gemini-3.1-pro": 73.3,
    "gemini-3-flash": 68.4,
    "o4-mini": 61.8,
    "gpt-4o-mini": 48.7,
    "gpt-5-nano": 56.0,
    "gemini-2.5-flash": 44.8,
}
# Table 1
BENCHMARK_ROWS = {
    "AGIEval": 1896,
    "BigBenchHard": 1265,
    "BigToM": 686,
    "CoQA": 210,
    "EmoBench": 1200,
    "EWoK": 210,
    "Fantom": 2177,
    "INTUIT": 995,
    "LLM BabyBench": 600,
    "MacGyver": 909,
    "MetaMedQA": 1373,
    "OpenToM": 2000,
    "PlanBench": 2000,
    "SocialNorm": 210,
    "StepGame": 1563,
    "Abstract Narrative Understanding": 303,
    "Cause and Effect": 51,
    "Evaluating Information Essentially": 68,
    "Fantasy Reasoning": 201,
    "Known Unknowns": 46,
    "Text Navigation": 1413,
    "MMLU-Pro": 200,
}

Ratings = tuple[pd.DataFrame, pd.DataFrame]


def read_cells(folder: Path, rater: str) -> pd.DataFrame:
    frame = pd.read_csv(folder / f"battery/ratings/{rater}.csv", dtype=str, keep_default_na=False)
    return frame.set_index(["dataset name", "sample id"]).rename(columns=NAMES)[list(AGREEMENT)]


def valid_ratings(folder: Path) -> Ratings:
    """Both raters' levels on the items where every cell is a whole number."""
    cells = [read_cells(folder, rater) for rater in ("rater-a", "rater-b")]
    is_valid = np.logical_and(*(c.apply(lambda x: x.str.fullmatch("[0-5]")).all(axis=1) for c in cells))
    return cells[0][is_valid].astype(int), cells[1][is_valid].astype(int)


def agreement(ratings: Ratings) -> pd.DataFrame:
    a, b = ratings
    rows = {
        name: (
            spearmanr(a[name], b[name]).statistic,
            cohen_kappa_score(a[name], b[name], weights="quadratic", labels=range(6)),
            (a[name] - b[name]).abs().mean(),
        )
        for name in a.columns
    }
    return pd.DataFrame(rows, index=["rho", "kappa", "mae"]).T


def clusters(ratings: Ratings, capabilities: list[str]) -> set[frozenset[str]]:
    z = [(r[capabilities] - r[capabilities].mean()) / r[capabilities].std() for r in ratings]
    condensed = squareform(1 - ((z[0] + z[1]) / 2).corr().to_numpy(), checks=False)
    label = fcluster(linkage(condensed, "average"), 0.5, criterion="distance")
    return {frozenset(np.array(capabilities)[label == k]) for k in set(label)}


def demands(ratings: Ratings) -> pd.DataFrame:
    consensus = (ratings[0] + ratings[1]) / 2
    active = consensus.where(consensus > 0)
    return pd.DataFrame({d: active[sorted(m)].mean(axis=1).fillna(0) for d, m in DIMENSIONS.items()})


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return ensure_demo(tmp_path_factory.mktemp("full") / "demo", n_items=19576, seed=SEED)


@pytest.fixture(scope="module", params=[500, 1000, 19576])
def folder(request: pytest.FixtureRequest, full: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    if request.param == 19576:
        return full
    return ensure_demo(tmp_path_factory.mktemp("sized") / "demo", n_items=request.param, seed=SEED)


@pytest.fixture(scope="module")
def ratings(folder: Path) -> Ratings:
    return valid_ratings(folder)


def test_items_per_benchmark_are_table_1s_at_full_scale(full: Path) -> None:
    rated = read_cells(full, "rater-a").index.get_level_values(0).value_counts()
    family = pd.read_csv(PROJECT / "dbt/seeds/seed_benchmark_family.csv").set_index("benchmark")["family"]
    assert set(rated.index) == set(family.index)
    assert rated.groupby(family).sum().to_dict() == BENCHMARK_ROWS
    assert rated.sum() == 19576


def test_every_benchmark_keeps_an_item_and_no_item_is_twice(folder: Path) -> None:
    for rater in ("rater-a", "rater-b"):
        index = read_cells(folder, rater).index
        assert index.is_unique
        assert index.get_level_values(0).nunique() == 25


def test_retention_drops_exactly_the_two_published_capabilities(ratings: Ratings) -> None:
    found = agreement(ratings)
    assert set(found[(found["rho"] < 0.3) & (found["kappa"] < 0.3)].index) == {"AaIC", "ProsM"}


def test_clusters_are_table_a3s_dimensions(ratings: Ratings) -> None:
    retained = [c for c in AGREEMENT if c not in ("AaIC", "ProsM")]
    assert clusters(ratings, retained) == {frozenset(members) for members in DIMENSIONS.values()}


def test_rater_agreement_is_near_table_a2(full: Path) -> None:
    found = agreement(valid_ratings(full))
    published = pd.DataFrame(AGREEMENT, index=["rho", "kappa", "mae"]).T
    off = (found - published).abs()
    assert (off["rho"] < 0.10).all()
    assert (off["kappa"].drop("ProsM") < 0.06).all()
    assert off["kappa"]["ProsM"] < 0.15  # rho -.03 beside kappa .15 is beyond a Gaussian rater model
    assert (off["mae"] < 0.10).all()


def test_levels_are_near_table_2(full: Path) -> None:
    found = demands(valid_ratings(full))
    for dimension, (coverage, *shares) in LEVELS.items():
        level = np.rint(found[dimension])
        assert 100 * (found[dimension] > 0).mean() == pytest.approx(coverage, abs=2), dimension
        active = level[level > 0]
        for k, share in enumerate(shares, start=1):
            assert 100 * (active == k).mean() == pytest.approx(share, abs=5), (dimension, k)
        assert level.max() <= 4


def test_accuracy_is_near_table_c5(folder: Path) -> None:
    n_items = len(read_cells(folder, "rater-a"))
    for system, published in ACCURACY.items():
        results = pd.read_csv(folder / f"battery/results/{system}.csv", dtype=str, keep_default_na=False)
        scored = results.loc[results["score"] != "", "score"].astype(int)
        assert len(results) == n_items
        allowed = 2 + 3 * 100 * np.sqrt(0.25 / n_items)  # of the mean, and three standard errors
        assert 100 * scored.mean() == pytest.approx(published, abs=allowed), system


def test_results_answer_the_rated_items_and_a_few_are_unscored(demo: Path) -> None:
    rated = set(read_cells(demo, "rater-a").index)
    n_blank = 0
    for system in ACCURACY:
        results = pd.read_csv(demo / f"battery/results/{system}.csv", dtype=str, keep_default_na=False)
        assert set(zip(results["dataset_name"], results["sample_id"], strict=True)) == rated
        assert set(results["score"]) <= {"0", "1", ""}
        n_blank += (results["score"] == "").sum()
    assert n_blank == 1


def test_planted_faults_at_full_scale_are_the_public_files(full: Path) -> None:
    essays, blanks = read_cells(full, "rater-a").to_numpy(), read_cells(full, "rater-b").to_numpy()
    assert sum(len(cell) > 1 and "\n" in cell for cell in essays.ravel()) == 4
    assert (blanks == "").sum() == 40
    assert len(valid_ratings(full)[0]) == 19576 - len(
        {i for i, row in enumerate(essays) if any(len(c) > 1 for c in row)}
        | {i for i, row in enumerate(blanks) if "" in row}
    )


def test_success_probability_is_the_papers_soft_minimum() -> None:
    """By hand: c = (2, 1), D = (1, 3): failure odds e^-1 and e^2, their mean 3.8785; sigma(0.5 - log 3.8785)."""
    demand = pd.DataFrame({"IIC": [1.0, 1.0, 0.0], "L": [3.0, 0.0, 0.0]})
    found = success_probability(demand, pd.Series({"IIC": 2.0, "L": 1.0}), 0.5)
    odds = np.exp(0.5) / np.array([(np.exp(-1) + np.exp(2)) / 2, np.exp(-1), 1.0])
    assert found == pytest.approx(odds / (1 + odds), abs=1e-12)


def test_calibrated_raters_name_each_capability_once() -> None:
    table = pd.read_csv(figures.RATERS_TABLE, keep_default_na=False)
    assert sorted(table["capability"]) == sorted(AGREEMENT)
    members = table[table["dimension"] != ""].groupby("dimension")["capability"].agg(set).to_dict()
    assert members == DIMENSIONS
