"""How a step ends that collects answers from the ledger: with counts by status, or with what it can't use.

Belongs here: the two ends that all of them share. Does not belong here: any asset.
"""

from collections.abc import Iterator, Mapping
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


def by_status(frame: pd.DataFrame, counted: str) -> Mapping[str, dict[str, int]]:
    """Rows by status, as metadata.

    Args:
        counted: what a row is: calls, cells, rows.
    """
    counts = {str(status): int(n) for status, n in frame["status"].value_counts().sort_index().items()}
    return {f"{counted}_by_status": counts}
