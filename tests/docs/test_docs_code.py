"""What README and docs/ tell people to type: commands exist with their options, and queries fit the marts."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

import click
import duckdb
import pytest
import yaml

from assets.settings import PROJECT
from dagster_project.cli.main import main
from docs.generate import MARTS, column_type
from tests.support.docs.documents import DOCS, blocks, inline_code, name_of, pages

TEN = "## Ten questions in SQL"
_SET = re.compile(r"[A-Z_]+=\S*")


@pytest.fixture(scope="module")
def marts() -> Iterator[duckdb.DuckDBPyConnection]:
    """Every mart, empty, with the columns and types of its contract."""
    with duckdb.connect() as connection:
        connection.execute("create schema marts")
        for path in sorted(MARTS.rglob("*.yml")):
            for model in yaml.safe_load(path.read_text(encoding="utf-8"))["models"]:
                columns = ", ".join(
                    f'"{column["name"]}" {column_type(column)}' for column in model["columns"]
                )
                connection.execute(f'create table marts."{model["name"]}" ({columns})')
        yield connection


def _typed() -> list[tuple[str, str]]:
    """Page and line of each command, in blocks for a shell and in the text."""
    found = []
    for block in blocks("", "bash", "sh"):
        # a query may run over several lines
        text = block.text.replace("\\\n", " ")
        for line in _logical_lines(text):
            found.append((block.page, line))
    for page in pages():
        found += [(name_of(page), code) for code in inline_code(page)]
    return [(page, line) for page, line in found if _is_ours(line)]


def _logical_lines(text: str) -> Iterator[str]:
    pending = ""
    for line in text.splitlines():
        pending = f"{pending}\n{line}" if pending else line
        if pending.count('"') % 2 == 0:
            yield pending.strip()
            pending = ""


def _words(line: str) -> list[str]:
    words = shlex.split(line, comments=True)
    words = words[: next((i for i, word in enumerate(words) if word in {">", "|", "&&"}), len(words))]
    while words and _SET.fullmatch(words[0]):
        words = words[1:]
    return words


def _is_ours(line: str) -> bool:
    return re.match(r"(?:[A-Z_]+=\S* )*suitability\s+[a-z-]", line) is not None


def _command(words: list[str]) -> tuple[click.Command, list[str]]:
    """The command that `words` name and what is left of them.

    Raises:
        KeyError: a group has no such command.
    """
    command: click.Command = main
    rest = words[1:]
    while isinstance(command, click.Group) and rest and not rest[0].startswith("-"):
        command, rest = command.commands[rest[0]], rest[1:]
    return command, rest


def test_every_command_exists_with_its_options() -> None:
    typed = _typed()
    assert len(typed) > 30
    for page, line in typed:
        try:
            command, rest = _command(_words(line))
            if any(word in {"-h", "--help", "..."} for word in rest):
                continue
            context = click.Context(command, info_name=command.name)
            values, extra, _ = command.make_parser(context).parse_args(rest)
        except (KeyError, ValueError, click.UsageError) as error:
            pytest.fail(f"{page}: {line}: {error}")
        # a sentence may name a command without its arguments
        assert not extra, f"{page}: {line}"
        for option in command.params:
            value = values.get(option.name or "")
            if isinstance(option.type, click.Choice) and isinstance(value, str):
                assert value in option.type.choices, f"{page}: {line}"


def test_every_make_target_exists() -> None:
    makefile = (PROJECT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    for page in pages():
        named = re.findall(r"(?:^|`|=\S+ )make ([a-z-]+)", page.read_text(encoding="utf-8"), re.MULTILINE)
        assert set(named) <= targets, name_of(page)


def test_every_query_fits_the_marts(marts: duckdb.DuckDBPyConnection) -> None:
    queries = [(block.page, query) for block in blocks("sql") for query in _statements(block.text)]
    for page, line in _typed():
        words = _words(line)
        if words[1:2] == ["sql"] and re.match(r"\s*(select|with|from)\b", words[-1], re.IGNORECASE):
            queries.append((page, words[-1]))
    assert len(queries) >= 15
    for page, query in queries:
        try:
            marts.execute(f"explain {query}")
        except duckdb.Error as error:
            pytest.fail(f"{page}: {error}\n{query}")


def test_the_ten_questions_are_there() -> None:
    text = (DOCS / "sql.md").read_text(encoding="utf-8").partition(TEN)[2]
    block = text.partition("```sql")[2].partition("```")[0]
    assert re.findall(r"^-- (\d+)\. ", block, re.MULTILINE) == [str(n) for n in range(1, 11)]


def _statements(text: str) -> list[str]:
    return [
        statement
        for statement in re.split(r";[ \t]*(?:\n|$)", text)
        if re.sub(r"--.*", "", statement).strip()
    ]
