"""The ledger: what was asked, when, for how much, and what came back. One SQLite file, append-only.

Belongs here: the file's schema, who may send a call, what is known of one. Does not belong here: sending and reading
answers (sending/). Keys never come here.

Four tables that only grow (triggers refuse changes): `text` (prompts and schemas, once each), `call` (what is asked),
`attempt` (written before a request leaves), `outcome` (written when its answer is there). The view `ledger` joins them
to one row an attempt; an attempt without an outcome is pending.

Who may send: an attempt's number is its claim, unique for a call, so that two processes can't both have it. The claim
of a process that lives is respected; the claim of one that died is void, and the call may be sent again. A process
lives as long as it holds a lock on its file in `<ledger>.runs/`, which the kernel releases at its death, however it
dies. A killed process thus loses what was in flight and nothing else. WAL with synchronous=NORMAL: no kill tears the
file; a power cut may lose the last moments' rows.
"""

from __future__ import annotations

import fcntl
import json
import secrets
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import IO

from assets.llm.call import Call, Status, schema_text, sha256
from assets.llm.roles import Model, settings_that_change_answers

VERSION = 2
BUSY_SECONDS = 60
_VIEW = """
create view ledger as
    select attempt.call_id, attempt.attempt, attempt.run, run.plan, call.role, call.name, call.model, call.base_url,
        call.settings, system.text as system, prompt.text as prompt, call.schema_sha256, call.repeat,
        attempt.back_end, attempt.batch, batch.batch_id, coalesce(outcome.status, 'pending') as status,
        outcome.answer, outcome.error, outcome.input_tokens, outcome.output_tokens, outcome.cost,
        outcome.answered_model,
        attempt.started_at, outcome.finished_at
    from attempt
    join run on attempt.run = run.run
    join call on attempt.call_id = call.call_id
    join text as system on call.system_sha256 = system.sha256
    join text as prompt on call.prompt_sha256 = prompt.sha256
    left join outcome on attempt.call_id = outcome.call_id and attempt.attempt = outcome.attempt
    left join batch on attempt.batch = batch.token;
"""
_SCHEMA = (
    """
create table run (run text primary key, plan text not null, started_at text not null);
create table text (sha256 text primary key, text text not null) without rowid;
create table call (
    call_id text primary key, role text not null, name text not null, model text not null, base_url text not null,
    settings text not null, system_sha256 text not null references text, prompt_sha256 text not null references text,
    schema_sha256 text not null references text, repeat text not null
) without rowid;
create table batch (token text primary key, batch_id text not null, recorded_at text not null) without rowid;
create table attempt (
    call_id text not null references call, attempt integer not null, run text not null references run,
    back_end text not null, batch text, started_at text not null, primary key (call_id, attempt)
) without rowid;
create table outcome (
    call_id text not null, attempt integer not null,
    status text not null check (status in ('answered', 'unparsed', 'refused', 'failed')),
    answer text, error text, input_tokens integer, output_tokens integer, cost real, finished_at text not null,
    answered_model text,
    primary key (call_id, attempt), foreign key (call_id, attempt) references attempt
) without rowid;
create index attempt_run on attempt (run);
"""
    + _VIEW
    + "".join(
        f"create trigger {table}_{event} before {event} on {table}\n"
        "begin select raise(abort, 'the ledger is append-only'); end;\n"
        for table in ("run", "text", "call", "batch", "attempt", "outcome")
        for event in ("update", "delete")
    )
    + f"pragma user_version = {VERSION};"
)

# version -> what makes it the next one; what was written stays as it is, and the new column empty
_MIGRATIONS = {1: "alter table outcome add column answered_model text;\ndrop view ledger;\n" + _VIEW}

_LAST = """
select attempt.attempt, attempt.run, attempt.batch, outcome.status, outcome.answer, outcome.error,
    outcome.input_tokens, outcome.output_tokens, outcome.cost
from attempt left join outcome on attempt.call_id = outcome.call_id and attempt.attempt = outcome.attempt
where attempt.call_id = ? order by attempt.attempt desc limit 1
"""


class LedgerError(RuntimeError):
    """The ledger can't be used: which file, and what to do."""


@dataclass(frozen=True, slots=True)
class State:
    """The last attempt of a call. `is_held`: pending, and the process that sent it is alive."""

    attempt: int
    run: str
    batch: str | None
    status: Status
    is_held: bool
    answer: str | None
    error: str | None
    input_tokens: int | None
    output_tokens: int | None
    cost: float | None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an attempt ended with; `answer` is the raw completion as JSON, `answered_model` whom the reply names."""

    status: Status
    answer: str | None = None
    error: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None
    answered_model: str | None = None


class Ledger:
    """One process's hold on the ledger file (made if absent), as one run. Use it as a context; one thread only."""

    def __init__(self, path: Path, plan: str = "") -> None:
        self.path = path
        self.run = f"{datetime.now(UTC):%Y%m%dT%H%M%S}-{secrets.token_hex(4)}"
        self._plan = plan
        self._runs = path.with_name(path.name + ".runs")
        self._dead: set[str] = set()
        self._is_recorded = False
        self._lock: IO[bytes] | None = None
        self._connection = open_ledger(path)

    def __enter__(self) -> Ledger:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the run: what it left pending may be sent by others."""
        self._connection.close()
        if self._lock:
            (self._runs / self.run).unlink(missing_ok=True)
            self._lock.close()
            self._lock = None

    def look(self, call_id: str) -> State | None:
        """The last attempt of a call; None = never sent."""
        row = self._connection.execute(_LAST, [call_id]).fetchone()
        if row is None:
            return None
        attempt, run, batch, status, *rest = row
        return State(attempt, run, batch, status or "pending", status is None and self._lives(run), *rest)

    def claim(self, call: Call, seen: State | None, back_end: str, batch: str | None = None) -> int | None:
        """The number of a new attempt, recorded as pending; None when the call has moved on since `seen`.

        Send the request after this returns, and only then.
        """
        with self.writing():
            last = self._connection.execute(_LAST, [call.call_id]).fetchone()
            known = (seen.attempt, None if seen.status == "pending" else seen.status) if seen else None
            if (last and (last[0], last[3])) != known:
                return None
            if last is None:
                self._record_call(call)
            number = last[0] + 1 if last else 1
            self._connection.execute(
                "insert into attempt values (?, ?, ?, ?, ?, ?)",
                [call.call_id, number, self.run, back_end, batch, _now()],
            )
        return number

    def settle(self, call_id: str, attempt: int, outcome: Outcome) -> bool:
        """Record what an attempt ended with; False when that is recorded already (then the first record stands)."""
        done = self._connection.execute(
            "insert or ignore into outcome values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                call_id, attempt, outcome.status, outcome.answer, outcome.error,
                outcome.input_tokens, outcome.output_tokens, outcome.cost, _now(), outcome.answered_model,
            ],
        )  # fmt: skip
        return done.rowcount == 1

    def record_batch(self, token: str, batch_id: str) -> None:
        """Which of the provider's batches carries the attempts marked `token`."""
        self._connection.execute("insert or ignore into batch values (?, ?, ?)", [token, batch_id, _now()])

    def batch_id(self, token: str) -> str | None:
        row = self._connection.execute("select batch_id from batch where token = ?", [token]).fetchone()
        return row[0] if row else None

    def end_in_run(self, call_id: str) -> str | None:
        """How a call stands by the last attempt that this run made; None = it made none."""
        row = self._connection.execute(
            "select coalesce(outcome.status, 'pending') from attempt left join outcome "
            "on attempt.call_id = outcome.call_id and attempt.attempt = outcome.attempt "
            "where attempt.call_id = ? and attempt.run = ? order by attempt.attempt desc limit 1",
            [call_id, self.run],
        ).fetchone()
        return row[0] if row else None

    def ends_of_run(self) -> dict[str, int]:
        """How the calls that this run sent stand, by the last attempt each has in it."""
        rows = self._connection.execute(
            "select coalesce(outcome.status, 'pending'), count(*) from "
            "(select call_id, max(attempt) as attempt from attempt where run = ? group by call_id) as last "
            "left join outcome on last.call_id = outcome.call_id and last.attempt = outcome.attempt group by 1",
            [self.run],
        )
        return dict(rows.fetchall())

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Several claims or outcomes as one transaction: all of them, or none."""
        if self._connection.in_transaction:
            yield
            return
        self._connection.execute("begin immediate")
        try:
            if not self._is_recorded:
                self._record_run()
            yield
        except BaseException:
            self._connection.execute("rollback")
            raise
        self._connection.execute("commit")
        self._is_recorded = True

    def _record_run(self) -> None:
        if self._lock is None:
            self._runs.mkdir(exist_ok=True)
            # locked before anyone can read of the run: to others it never looks dead while it lives
            self._lock = (self._runs / self.run).open("wb")
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        self._connection.execute("insert into run values (?, ?, ?)", [self.run, self._plan, _now()])

    def _record_call(self, call: Call) -> None:
        hashes = [self._record_text(text) for text in (call.system, call.prompt, schema_text(call.schema))]
        model = call.model
        settings = json.dumps(settings_that_change_answers(model), sort_keys=True)
        self._connection.execute(
            "insert into call values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                call.call_id,
                model.role,
                model.name,
                model.model,
                model.base_url,
                settings,
                *hashes,
                call.repeat,
            ],
        )

    def _record_text(self, text: str) -> str:
        key = sha256(text)
        stored = text.encode("utf-8", "replace").decode()
        self._connection.execute("insert or ignore into text values (?, ?)", [key, stored])
        return key

    def _lives(self, run: str) -> bool:
        if run == self.run:
            return True
        if run in self._dead:
            return False
        try:
            with (self._runs / run).open("rb") as file:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
                (self._runs / run).unlink(missing_ok=True)
        except BlockingIOError:
            return True
        except FileNotFoundError:
            pass
        self._dead.add(run)
        return False


def asked_models(role: str, path: Path) -> list[Model]:
    """Who was asked in `role`, with the settings that make the identity of its calls; the last to be asked first.

    No ledger, nobody.

    Raises:
        LedgerError: see `open_ledger`.
    """
    if not path.exists():
        return []
    connection = open_ledger(path)
    try:
        rows = connection.execute(
            "select name, settings from call join attempt using (call_id) where role = ? "
            "group by name, settings order by max(started_at) desc, name, settings",
            [role],
        ).fetchall()
    finally:
        connection.close()
    return [Model.model_validate({"name": name, **json.loads(settings)}) for name, settings in rows]


def open_ledger(path: Path) -> sqlite3.Connection:
    """A connection to the ledger, made if absent.

    Raises:
        LedgerError: it is no ledger, or another version's.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
    try:
        _to_wal(connection)
        connection.execute("pragma synchronous = normal")
        connection.execute("pragma foreign_keys = on")
        version = connection.execute("pragma user_version").fetchone()[0]
        if version == 0:
            _create(connection)
        elif version in _MIGRATIONS:
            _migrate(connection)
        elif version != VERSION:
            raise LedgerError(
                f"{path} is of ledger version {version}, this program writes version {VERSION}. Use the program that "
                "wrote it, or move the file away (then every call is paid again)."
            )
    except sqlite3.DatabaseError as error:
        connection.close()
        raise LedgerError(
            f"{path}: {error}. If it is no ledger, move it away; if it is one, restore it from a copy."
        ) from None
    except BaseException:
        connection.close()
        raise
    return connection


def _to_wal(connection: sqlite3.Connection) -> None:
    """SQLite does not wait here by itself when another process switches at the same moment."""
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("pragma journal_mode = wal")
            return
        except sqlite3.OperationalError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.02)


def _create(connection: sqlite3.Connection) -> None:
    connection.execute("begin immediate")
    if connection.execute("pragma user_version").fetchone()[0] == 0:
        for statement in _statements(_SCHEMA):
            connection.execute(statement)
    connection.execute("commit")


def _migrate(connection: sqlite3.Connection) -> None:
    """An older ledger as this version's; another process may have been first."""
    connection.execute("begin immediate")
    version = connection.execute("pragma user_version").fetchone()[0]
    while version in _MIGRATIONS:
        for statement in _statements(_MIGRATIONS[version]):
            connection.execute(statement)
        version += 1
        connection.execute(f"pragma user_version = {version}")
    connection.execute("commit")


def _statements(script: str) -> Iterator[str]:
    """executescript would commit before it starts."""
    pending = ""
    for part in script.split(";"):
        pending += part + ";"
        if sqlite3.complete_statement(pending):
            yield pending
            pending = ""


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds").removesuffix("+00:00")
