"""Dagster assets of the battery slice: thin shells around pure functions.

Belongs here: read, call, write, metadata. Does not belong here: any computation (annotation.py, clustering.py, dbt).
"""

import dagster as dg

from assets.battery.annotation import AnnotationError, fingerprint, read_annotation, refuse_same_names
from assets.battery.clustering import dimension_members
from assets.battery.rubrics import RubricError
from assets.llm import LedgerError, RolesError, read_roles
from assets.ports import Warehouse
from assets.settings import Settings


@dg.asset(
    key=["raw", "annotation"],
    deps=[
        ["raw", "item"], ["raw", "source_file"], ["file", "roles"], ["file", "rubrics"], ["file", "ledger"],
    ],
    group_name="battery",
    kinds={"python", "sqlite"},
    code_version="1",
    pool="warehouse",
    description="What language models answered about the demands of items, cell by cell; sends nothing.",
)  # fmt: skip
def annotation(
    warehouse: dg.ResourceParam[Warehouse], settings: dg.ResourceParam[Settings]
) -> dg.MaterializeResult:
    """Collect answers from the ledger; no rows without items or without raters in llm.toml."""
    files = warehouse.read("raw.source_file")
    try:
        raters = read_roles(settings).of("rater")
        refuse_same_names(raters, files.loc[files["input"] == "ratings", "source_file"])
        frame = read_annotation(warehouse.read("raw.item"), raters, settings)
    except (AnnotationError, RolesError, RubricError, LedgerError) as error:
        raise dg.Failure(str(error), allow_retries=False) from None
    warehouse.replace({"raw.annotation": frame})
    counts = {str(status): int(n) for status, n in frame["status"].value_counts().sort_index().items()}
    return dg.MaterializeResult(
        metadata={"dagster/row_count": len(frame), "cells_by_status": counts},
        data_version=dg.DataVersion(fingerprint(frame)),
    )


@dg.asset(
    key=["model", "dimension_member"],
    deps=[dg.AssetKey(["intermediate", "int_capability_correlation"])],
    group_name="battery",
    kinds={"python", "scipy"},
    code_version="1",
    pool="warehouse",
    description="Clusters of capabilities that the battery demands together (average linkage on 1 - r).",
)
def dimension_member(
    warehouse: dg.ResourceParam[Warehouse], settings: dg.ResourceParam[Settings]
) -> dg.MaterializeResult:
    """Cluster the retained capabilities; an empty battery gives an empty table."""
    correlation = warehouse.read("intermediate.int_capability_correlation")
    members = dimension_members(correlation, settings.cluster_cut)
    warehouse.replace({"model.dimension_member": members})
    diagonal = correlation[correlation["capability_a"] == correlation["capability_b"]]
    return dg.MaterializeResult(
        metadata={
            "n_capabilities": len(members),
            "n_dimensions": members["dimension_key"].nunique(),
            "dimensions": ", ".join(members["dimension_key"].unique()),
            "capabilities_that_never_vary": ", ".join(diagonal.loc[diagonal["r"].isna(), "capability_a"]),
            "cluster_cut": settings.cluster_cut,
        }
    )
