"""Inputs that are there but can't be joined never replace a good publication by an empty one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.factories import CAPABILITIES, respondent, write_ratings, write_results, write_survey
from tests.support.warehouse.workplace import Workplace

ITEMS = [("bench", str(i)) for i in range(12)]


def _write(sources: Path, south: list[tuple[str, str]]) -> None:
    """Two raters, two systems and three people; `south` are the second rater's items, none rated as the first does."""
    for rater, items, more in (("north", ITEMS, 0), ("south", south, 1)):
        levels = {
            item: {
                name: min(5, (i * (k % 4 + 1) + k) % 6 + more * (i % 3 == 0))
                for k, name in enumerate(CAPABILITIES)
            }
            for i, item in enumerate(items)
        }
        write_ratings(sources, rater, items, levels)
    for system, right in (("alpha", 3), ("beta", 2)):
        scores: dict[tuple[str, str], object] = {item: int(i % right == 0) for i, item in enumerate(ITEMS)}
        write_results(sources, system, scores)
    write_survey(sources, respondents=[respondent(ResponseId=f"R_{i}") for i in range(3)])


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_raters_without_a_common_item_do_not_empty_the_marts(tmp_path: Path, dbt_target: Path) -> None:
    """All 12 items are valid; then the second rater's ids change, and none of 24 is rated by both."""
    workplace = Workplace.of_demo(tmp_path, dbt_target)
    workplace.sources = tmp_path / "small"
    _write(workplace.sources, ITEMS)
    code, output = workplace.refresh()
    assert code == 0, output
    status = dict(
        workplace.query("select slice, status || ' ' || coalesce(n_usable, -1) from marts.slice_status")
    )
    assert (status["battery"], status["capability"], status["work"]) == ("filled 12", "filled 24", "filled 3")
    assert status["propensity"] == "skipped -1" and status["suitability"].startswith("filled ")
    before = workplace.published.read_bytes()

    _write(workplace.sources, [("bench", f"x{i}") for i in range(12)])
    code, output = workplace.refresh()
    assert code == 1
    told = " ".join(output.split())
    assert (
        "rated items: 24, items rated by every rater: 0. Dataset name and sample id must be spelled" in told
    )
    assert "results of rated items: 24, results of valid items: 0" in told
    assert "SUITABILITY_ALLOW_EMPTY" in told
    assert workplace.published.read_bytes() == before
