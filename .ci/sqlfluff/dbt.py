"""dbt's cross-database macros as the SQL linter needs them: something that parses. dbt itself never reads this."""

from __future__ import annotations


def type_string() -> str:
    return "varchar"


def type_bigint() -> str:
    return "bigint"


def type_int() -> str:
    return "integer"


def type_timestamp() -> str:
    return "timestamp"


def type_boolean() -> str:
    return "boolean"


def escape_single_quotes(text: str) -> str:
    return text.replace("'", "''")


def listagg(measure: str, delimiter: str = "','", order_by: str = "", limit: int | None = None) -> str:
    return f"string_agg({measure}, {delimiter} {order_by})"


def concat(fields: list[str]) -> str:
    return " || ".join(fields)


def hash(field: str) -> str:
    return f"md5({field})"


def split_part(text: str, delimiter: str, part: int) -> str:
    return f"split_part({text}, {delimiter}, {part})"


def safe_cast(field: str, kind: str) -> str:
    return f"try_cast({field} as {kind})"
