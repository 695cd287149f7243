"""The one entrance: published file in, folder of pages out, swapped in whole.

Belongs here: rendering templates, writing files, the swap.
Does not belong here: what stands on a page (pages/) and Dagster (asset.py).
"""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from dagster_project.report import parts
from dagster_project.report.data import Published, read_published
from dagster_project.report.downloads import write_downloads
from dagster_project.report.labels import LEADING
from dagster_project.report.pages import (
    adoption,
    agents,
    assistance,
    capabilities,
    checks,
    domains,
    evidence,
    importance,
    index,
    method,
    policies,
    propensity,
    refresh,
    suitability,
)
from dagster_project.report.pages.common import Context, common
from dagster_project.report.sweep import swept

HERE = Path(__file__).parent
PAGES: dict[str, tuple[str, Callable[[Published, Context], Context]]] = {
    "index": ("Overview", index.context),
    "capabilities": ("Capabilities", capabilities.context),
    "checks": ("Checks", checks.context),
    "suitability": ("Suitability", suitability.context),
    "policies": ("Policies", policies.context),
    "domains": ("Domains", domains.context),
    "importance": ("Importance", importance.context),
    "propensity": ("Propensity", propensity.context),
    "adoption": ("Adoption", adoption.context),
    "assistance": ("Assistance", assistance.context),
    "agents": ("Agents", agents.context),
    "evidence": ("Evidence", evidence.context),
    "method": ("Method", method.context),
    "refresh": ("This refresh", refresh.context),
}


def render_report(database: Path, folder: Path) -> list[Path]:
    """Write the report on `database` (a published DuckDB file, opened read-only) to `folder`, replacing it whole.

    A reader sees the old pages or the new ones; what a crashed run left beside the folder is put right first.
    Returns the files of the new report. Same file in, same bytes out.

    Raises:
        FileNotFoundError, PublishedFileError: see `read_published`; the old report stays.
    """
    published = read_published(database)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with _sole_writer(folder):
        fresh, old = (folder.with_name(f".{folder.name}.{state}") for state in ("new", "old"))
        if old.exists() and not folder.exists():
            old.rename(folder)
        for leftover in (fresh, old):
            shutil.rmtree(leftover, ignore_errors=True)
        files = _write(published, database, folder, fresh)
        if folder.exists():
            folder.rename(old)
        fresh.rename(folder)
        shutil.rmtree(old, ignore_errors=True)
    return [folder / file for file in files]


@contextmanager
def _sole_writer(folder: Path) -> Iterator[None]:
    """One renderer at a time: a scheduled and a hand-started refresh may meet here."""
    handle = os.open(folder.parent, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _write(published: Published, database: Path, folder: Path, fresh: Path) -> list[Path]:
    """All files of the report under `fresh`; their paths relative to it."""
    templates = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.policies["json.dumps_kwargs"] = {"allow_nan": False, "separators": (",", ":")}
    for part in ("assets", "data"):
        (fresh / part).mkdir(parents=True)
    (fresh / "assets/plotly.js").write_text(_plotly(), encoding="utf-8")
    for static in sorted((HERE / "static").iterdir()):
        shutil.copyfile(static, fresh / "assets" / static.name)
    base = common(published)
    base["navigation"] = [(f"{name}.html", title) for name, (title, _) in PAGES.items()]
    base["beside"] = _files_beside(database, folder)
    base["sweep"] = swept(published, base["systems"], base["refresh"]["id"])
    templates.globals |= {"leading": LEADING, "refresh_id": base["refresh"]["id"]}
    templates.globals["numbers"] = write_downloads(published, fresh, base["beside"])
    of_systems = {}
    for name, (title, build) in PAGES.items():
        context = {**base, "title": title, "page": f"{name}.html", **build(published, base)}
        of_systems[name] = parts.cut(context)
        html = templates.get_template(f"{name}.html.j2").render(context)
        (fresh / f"{name}.html").write_text(html, encoding="utf-8")
    scripts = base["sweep"].scripts | parts.scripts(of_systems, base["systems"], base["refresh"]["id"])
    for file, script in scripts.items():
        (fresh / "data" / file).write_text(script, encoding="utf-8")
    return sorted(path.relative_to(fresh) for path in fresh.rglob("*") if path.is_file())


def _plotly() -> str:
    """The script that draws charts, packed: it is most of the report otherwise. Importing the package costs more."""
    spec = find_spec("plotly")
    assert spec is not None and spec.origin is not None
    text = (Path(spec.origin).parent / "package_data/plotly.min.js").read_text(encoding="utf-8")
    notice = text[: text.index("*/") + 2]
    return f'{notice}\nwindow.packedPlotly="{parts.packed(text)}";\n'


def _files_beside(database: Path, folder: Path) -> dict[str, str]:
    """File name -> link, for the published database and the Parquet files that lie beside it."""
    files = [database, *sorted(database.parent.glob("*.parquet"))]
    return {file.name: Path(os.path.relpath(file.resolve(), folder.resolve())).as_posix() for file in files}
