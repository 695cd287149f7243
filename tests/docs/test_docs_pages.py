"""README and docs/: links, names of settings, generated pages, the navigation, and what no page may hold."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from assets.settings import NOT_SETTINGS, PROJECT, Settings
from assets.sources.inputs import INPUTS
from dagster_project.plans.registry import PLANS
from docs.generate import GROUPS, MARTS, SLICES
from docs.generate import pages as generated_pages
from docs.navigation import mart_pages
from tests.support.docs.documents import DOCS, README, anchors, links, machine_paths, name_of, pages

PAGES = pytest.mark.parametrize("page", pages(), ids=name_of)


@PAGES
def test_every_relative_link_and_anchor_resolves(page: Path) -> None:
    broken = []
    for target in links(page):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        is_there = file.is_file() and (not anchor or anchor in anchors(file))
        # the site holds docs/ alone
        is_inside = not page.is_relative_to(DOCS) or file.is_relative_to(DOCS)
        if not (is_there and is_inside):
            broken.append(target)
    assert not broken


@PAGES
def test_every_setting_that_is_named_exists(page: Path) -> None:
    known = {f"SUITABILITY_{name.upper()}" for name in Settings.model_fields} | NOT_SETTINGS
    named = set(re.findall(r"SUITABILITY_[A-Z][A-Z_]*[A-Z]", page.read_text(encoding="utf-8")))
    assert named <= known


@PAGES
def test_every_mart_that_is_named_exists(page: Path) -> None:
    known = {path.stem for path in MARTS.rglob("*.yml")}
    assert set(re.findall(r"\bmarts\.([a-z_0-9]+)", page.read_text(encoding="utf-8"))) <= known


@PAGES
def test_no_page_names_a_path_of_this_machine(page: Path) -> None:
    assert machine_paths(page) == []
    assert str(PROJECT) not in page.read_text(encoding="utf-8")


def test_generated_pages_say_what_the_code_says() -> None:
    """`make reference` writes them."""
    for path, text in generated_pages().items():
        assert path.read_text(encoding="utf-8") == text, (
            f"{name_of(path)} is out of date: run `make reference`"
        )
    assert set((DOCS / "reference").glob("*.md")) == set(generated_pages())


def test_the_reference_leaves_nothing_out() -> None:
    assert set(GROUPS) <= set(Settings.model_fields) and next(iter(GROUPS)) == next(
        iter(Settings.model_fields)
    )
    assert set(SLICES) == {path.name for path in MARTS.iterdir()}
    assert all(field.description for field in Settings.model_fields.values())


def test_the_readme_is_short() -> None:
    assert len(README.read_text(encoding="utf-8").splitlines()) <= 150


def test_every_page_is_in_the_navigation_and_there() -> None:
    configured = yaml.safe_load((PROJECT / "mkdocs.yml").read_text(encoding="utf-8"))
    listed = [text for text in _leaves([configured["nav"], mart_pages()]) if text.endswith(".md")]
    assert sorted(listed) == sorted(page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md"))
    assert configured["strict"] and configured["theme"]["font"] is False


def test_each_input_that_people_supply_has_its_place_on_a_page_of_inputs() -> None:
    text = "".join(page.read_text(encoding="utf-8") for page in (DOCS / "inputs").glob("*.md"))
    for one in INPUTS:
        if one.base == "sources":
            for location, suffixes in one.locations:
                assert location in text, f"{one.name}: {location}"
                assert all(suffix in text for suffix in suffixes), one.name


def test_each_plan_is_on_the_page_of_language_models() -> None:
    text = (DOCS / "language-models.md").read_text(encoding="utf-8")
    assert all(f"`{plan}`" in text for plan in PLANS)


def test_the_site_builds_and_loads_nothing_from_elsewhere(tmp_path: Path) -> None:
    pytest.importorskip("mkdocs", reason="mkdocs-material is not installed")
    from mkdocs.commands.build import build
    from mkdocs.config import load_config

    build(load_config(str(PROJECT / "mkdocs.yml"), site_dir=str(tmp_path)))
    for page in tmp_path.rglob("*.html"):
        loaded = re.findall(
            r'<(?:script|link|img|iframe)[^>]*(?:src|href)="(https?://[^"]*)"', page.read_text("utf-8")
        )
        assert not loaded, page.name


def _leaves(nav: object) -> list[str]:
    if isinstance(nav, str):
        return [nav]
    children = nav.values() if isinstance(nav, dict) else nav if isinstance(nav, list) else []
    return [leaf for child in children for leaf in _leaves(child)]
