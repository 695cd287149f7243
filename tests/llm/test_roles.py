"""`llm.toml`: what it may say, and what is told where it is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from assets.llm.call import Call
from assets.llm.roles import RolesError, read_roles
from assets.settings import Settings
from tests.llm.conftest import Level, model_at
from tests.support.llm.scripted_server import KEY

GOOD = """
[limits]
max_tries = 3

[[rater]]
name = "a"
model = "m"
base_url = "https://llm.example.org/v1/"
api_key_env = "TEST_LLM_KEY"
temperature = 0

[[rater]]
name = "b"
model = "m"
base_url = "http://127.0.0.1:8080/v1"

[[judge]]
name = "a"
model = "m"
base_url = "https://llm.example.org/v1"
back_end = "batch"
"""


def read(tmp_path: Path, text: str):
    (tmp_path / "llm.toml").write_text(text, encoding="utf-8")
    return read_roles(Settings(sources=tmp_path))


def test_roles_come_in_the_files_order_with_their_limits(tmp_path: Path) -> None:
    roles = read(tmp_path, GOOD)
    assert [m.name for m in roles.of("rater")] == ["a", "b"]
    assert roles.of("judge")[0].back_end == "batch"
    assert roles.of("rater")[0].base_url == "https://llm.example.org/v1"
    assert roles.limits.max_tries == 3
    assert roles.of("worker") == ()


def test_no_file_is_no_model_but_a_named_file_must_be_there(tmp_path: Path) -> None:
    assert read_roles(Settings(sources=tmp_path)).models == {}
    assert read_roles(Settings(sources=None)).models == {}
    with pytest.raises(RolesError, match="SUITABILITY_LLM"):
        read_roles(Settings(sources=tmp_path, llm=tmp_path / "other.toml"))


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("temperature", "temperatur", r"table \[\[rater\]\] number 1, field temperatur: .*did you mean temperature"),
        ("temperature = 0", "temperature = 'hot'", "field temperature"),
        ("temperature = 0", "input_price = 1", "both input_price and output_price"),
        ("temperature = 0", "role = 'x'", "field role"),
        ("max_tries = 3", "max_tres = 3", r"table \[limits\], field max_tres: .*did you mean max_tries"),
        ("max_tries = 3", "max_tries = 0", r"table \[limits\], field max_tries"),
        ('name = "b"', 'name = "a"', "number 2, field name"),
        ('name = "b"\n', "", "number 2, field name"),
        ("[[judge]]", "[judge]", r"\[\[judge\]\] \(two brackets\)"),
        ("[[judge]]", "[[judge", "no TOML"),
        ("[[judge]]", "[[jugde]]", "table jugde: there is no such role; did you mean judge"),
        ("[limits]", "[limit]", "table limit: there is no such role; did you mean limits"),
        ("[[judge]]", "[[xyz]]", "table xyz: .*known are rater, writer.*limits"),
        ("http://127.0.0.1", "ftp://127.0.0.1", "field base_url"),
        ("http://127.0.0.1", "http://me:word@127.0.0.1", "field base_url: must hold no user"),
        ("127.0.0.1:8080/v1", "127.0.0.1:8080/v1?key=1", "field base_url: must hold no user"),
        ('"batch"', '"later"', "field back_end"),
    ],
)  # fmt: skip
def test_a_fault_is_told_with_file_table_and_field(
    tmp_path: Path, before: str, after: str, message: str
) -> None:
    assert before in GOOD
    with pytest.raises(RolesError, match=message) as told:
        read(tmp_path, GOOD.replace(before, after, 1))
    assert "llm.toml" in str(told.value)


@pytest.mark.parametrize(
    "line",
    [f'api_key = "{KEY}"', f'api-key = "{KEY}"', f'Authorization = "Bearer {KEY}"', f'model_key = "{KEY}"',
     f'name2 = "{KEY}"'],
)  # fmt: skip
def test_a_key_in_the_file_is_refused_and_not_repeated(tmp_path: Path, line: str) -> None:
    with pytest.raises(RolesError) as told:
        read(tmp_path, GOOD.replace("temperature = 0", line))
    assert KEY not in str(told.value)


def test_a_key_for_a_variables_name_is_refused_and_not_repeated(tmp_path: Path) -> None:
    with pytest.raises(RolesError, match="NAME of an environment variable") as told:
        read(tmp_path, GOOD.replace('"TEST_LLM_KEY"', f'"{KEY}"'))
    assert KEY not in str(told.value)
    with pytest.raises(RolesError, match="the very key that TEST_LLM_KEY carries") as told:
        read(tmp_path, GOOD.replace('model = "m"', f'model = "{KEY}"', 1))
    assert KEY not in str(told.value)


def test_what_changes_answers_changes_the_identity_and_nothing_else_does() -> None:
    def identity(
        system: str = "s", prompt: str = "p", schema: type | None = Level, repeat: str = "", **settings
    ):
        return Call(model_at("http://x/v1", **settings), prompt, system, schema, repeat).call_id

    other = {
        identity(), identity(role="judge"), identity(model="n"), identity(base_url="http://y/v1"),
        identity(temperature=0), identity(temperature=1), identity(seed=0), identity(max_tokens=51),
        identity(json_schema=False), identity(system=""), identity(prompt="q"), identity(schema=None),
        identity(repeat="1"), identity(system="sp", prompt=""), identity(system="", prompt="sp"),
    }  # fmt: skip
    assert len(other) == 15
    same = {
        identity(), identity(name="z"), identity(api_key_env=None), identity(timeout_seconds=1),
        identity(max_in_flight=2), identity(input_price=9, output_price=9), identity(back_end="batch"),
    }  # fmt: skip
    assert len(same) == 1


def test_a_schema_is_enforced_by_the_server_or_asked_for_in_words() -> None:
    served = Call(model_at("http://x/v1", temperature=0, seed=7), "p", "s", Level).request()
    assert served["response_format"]["json_schema"]["strict"] is True
    assert served["messages"] == [{"role": "system", "content": "s"}, {"role": "user", "content": "p"}]
    assert (served["temperature"], served["seed"], served["max_tokens"]) == (0, 7, 50)
    told = Call(
        model_at("http://x/v1", json_schema=False, max_tokens_name="max_completion_tokens"), "p", "", Level
    ).request()
    assert not {"response_format", "temperature", "seed", "max_tokens"} & set(told)
    assert '"level"' in told["messages"][0]["content"] and told["max_completion_tokens"] == 50
