"""What people type into boxes that ask for a number never gets past the reader."""

from __future__ import annotations

import numpy as np
import pytest

from assets.sources.readers.privacy import coded


@pytest.mark.parametrize(
    "answer",
    [
        "",
        " ",
        "1",
        "1.0",
        "-3",
        "+2",
        " 7 ",
        "1,3,5,15,16",
        "1, 3, 5",
        "9.0, 6.0,16.0,99",
        "2155",
        "0.5",
        "33.333333333333336",
        "1e3",
    ],
)
def test_codes_stay_untouched(answer: str) -> None:
    assert coded(np.array([answer], dtype=object)).tolist() == [answer]


@pytest.mark.parametrize(
    "answer",
    [
        "Jane",
        "40 (jane@example.invalid)",
        "192.0.2.44",
        "0171 5550123",
        "01715550123",
        "+441715550123",
        "1,3,see me",
        "4111,1111,1111,1111",
        "1,3\nJane",
        "https://example.invalid/1",
    ],
)
def test_text_addresses_and_long_numbers_are_withheld(answer: str) -> None:
    assert coded(np.array([answer, None], dtype=object)).tolist() == ["(withheld: not a code)", None]
