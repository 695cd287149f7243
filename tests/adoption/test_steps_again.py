"""What the steps tell of the same chats does not depend on what is known from a run before."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from assets.adoption.funnel.adoption_inputs import Inputs
from assets.adoption.funnel.asking import Summary
from assets.adoption.funnel.steps import adopt
from assets.adoption.funnel.tables import step_frame
from assets.adoption.match.matches import Keys, Matches, Texts
from assets.common.text_key import text_key
from assets.llm import Answer, Call, read_roles
from assets.settings import Settings

CHATS = pd.DataFrame({"chat_key": [1, 2, 3], "request_key": [7, 7, 8], "country": [None, "US", "US"]})
TASKS = pd.DataFrame({"task_text_id": ["1", "2"], "text": ["x", "y"]})


@pytest.mark.parametrize("n_new", [0, 2])
def test_a_step_counts_requests_not_work(n_new: int, tmp_path: Path) -> None:
    def matcher(keys: Keys, texts_of: Texts, in_use: Keys) -> Matches:
        return Matches(np.zeros((len(keys), 1), np.int32), np.ones((len(keys), 1)), n_new, "stub")

    roles = read_roles(Settings(home=tmp_path))
    inputs = Inputs(CHATS, pd.DataFrame, lambda keys: [], TASKS)
    adopted = adopt(inputs, matcher, 0.4, 0.05, roles, lambda calls: [])
    steps = step_frame(adopted).set_index("step")
    assert steps.loc["matched", "note"] == "2 different requests, 2 task texts"


@pytest.mark.parametrize("n_pending", [0, 1, 3])
def test_matches_of_requests_and_of_summaries_so_far_are_in_use(n_pending: int, tmp_path: Path) -> None:
    """A new chat sends the step back to first user turns until it is answered: neither's matches are lost meanwhile."""
    (tmp_path / "llm.toml").write_text(
        '[[summary]]\nname = "a"\nmodel = "m"\nbase_url = "https://x.example/v1"\napi_key_env = "KEY"\n'
    )
    summaries = [f"summary {n}" for n in range(3 - n_pending)]

    def collected(calls: Sequence[Call]) -> list[Answer]:
        answered = [
            Answer(call, "answered", Summary(request=text))
            for call, text in zip(calls, summaries, strict=False)
        ]
        return answered + [Answer(call, "pending") for call in calls[len(answered) :]]

    given: list[set[int]] = []

    def matcher(keys: Keys, texts_of: Texts, in_use: Keys) -> Matches:
        given.extend([set(keys.tolist()), set(in_use.tolist())])
        return Matches(np.zeros((len(keys), 1), np.int32), np.ones((len(keys), 1)), 0, "stub")

    texts = pd.DataFrame({"chat_key": [1, 2, 3], "text": ["a", "b", "c"]})
    inputs = Inputs(CHATS, lambda: texts, lambda keys: [], TASKS)
    roles = read_roles(Settings(home=tmp_path, llm=tmp_path / "llm.toml"))
    adopted = adopt(inputs, matcher, 0.4, 0.05, roles, collected)
    written = {text_key(text) for text in summaries}
    assert given == [{7, 8} if n_pending else written, {7, 8} | written]
    assert "summary_key" not in adopted.chats
    assert set(adopted.chats["request_key"]) == given[0]
