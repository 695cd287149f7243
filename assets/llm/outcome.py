"""How an asset ends that collects answers from the ledger: with counts by status, or with what it can't use.

Belongs here: the two ends that all of them share. Does not belong here: any asset.
"""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager

import dagster as dg
import pandas as pd

from assets.llm.ledger import LedgerError
from assets.llm.roles import RolesError


@contextmanager
def faults_as_failure(*own: type[Exception]) -> Iterator[None]:
    """Shows faults of llm.toml and the ledger, and `own` of the slice, as the step's failure, without retries."""
    expected: tuple[type[Exception], ...] = (RolesError, LedgerError, *own)
    try:
        yield
    except expected as error:
        raise dg.Failure(str(error), allow_retries=False) from None


def collected_result(
    table: str, frame: pd.DataFrame, counted: str, answers: pd.DataFrame | None = None
) -> dg.MaterializeResult:
    """Rows by status, and a data version that changes with any answer and with anything asked.

    Args:
        counted: what a row is: calls, cells, rows.
        answers: the part of `frame` that the data version follows; None = all of it.
    """
    counts = {str(status): int(n) for status, n in frame["status"].value_counts().sort_index().items()}
    return dg.MaterializeResult(
        asset_key=table.split("."),
        metadata={"dagster/row_count": len(frame), f"{counted}_by_status": counts},
        data_version=dg.DataVersion(fingerprint(frame if answers is None else answers)),
    )


def fingerprint(answers: pd.DataFrame) -> str:
    """Of the rows as they stand."""
    return hashlib.sha256(answers.to_csv(index=False).encode()).hexdigest()[:16]
