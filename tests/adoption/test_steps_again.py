"""What the steps tell of the same chats does not depend on what is known from a run before."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from assets.adoption.inputs import Inputs
from assets.adoption.matches import Keys, Matches, Texts
from assets.adoption.steps import adopt
from assets.adoption.tables import step_frame
from assets.llm import read_roles
from assets.settings import Settings


@pytest.mark.parametrize("n_new", [0, 2])
def test_a_step_counts_requests_not_work(n_new: int, tmp_path: Path) -> None:
    chats = pd.DataFrame({"chat_key": [1, 2, 3], "request_key": [7, 7, 8], "country": [None, "US", "US"]})
    tasks = pd.DataFrame({"task_text_id": ["1", "2"], "text": ["x", "y"]})

    def matcher(keys: Keys, texts_of: Texts, in_use: Keys) -> Matches:
        return Matches(np.zeros((len(keys), 1), np.int32), np.ones((len(keys), 1)), n_new, "stub")

    roles = read_roles(Settings(home=tmp_path))
    inputs = Inputs(chats, pd.DataFrame, lambda keys: [], tasks)
    adopted = adopt(inputs, matcher, 0.4, 0.05, roles, lambda calls: [])
    steps = step_frame(adopted).set_index("step")
    assert steps.loc["matched", "note"] == "2 different requests, 2 task texts"
