"""A PostgreSQL server of its own in a temporary folder, on a Unix socket only.

Belongs here: finding, starting and stopping it. Does not belong here: what is built on it.
"""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg2
import pytest

# the account that Debian's package makes: the server refuses to run as root
ACCOUNT = "postgres"
NAME = "suitability"
# nothing on it outlives the test
FAST = ("fsync=off", "synchronous_commit=off", "full_page_writes=off", "autovacuum=off")


def _folder_of_programs() -> Path:
    # Debian keeps them off the path, a folder a version
    debian = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    found = str(debian[-1]) if debian else shutil.which("initdb")
    if found is None:
        pytest.skip("no PostgreSQL on this machine (Debian: apt-get install postgresql)")
    return Path(found).parent


def _account() -> dict[str, Any]:
    """Whom the server runs as, as arguments of subprocess."""
    if os.getuid():
        return {}
    try:
        account = pwd.getpwnam(ACCOUNT)
    except KeyError:
        pytest.skip(f"PostgreSQL refuses to run as root, and there is no account {ACCOUNT}")
    return {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}


@contextmanager
def postgres_server() -> Iterator[dict[str, str]]:
    """libpq's environment variables of a running server with an empty database; it is gone afterwards.

    The test that asks is skipped where there is no server to start.
    """
    programs, account = _folder_of_programs(), _account()
    # pytest's own folders are closed to other accounts, and the path of a socket may not be long
    folder = Path(tempfile.mkdtemp(prefix="pg-"))
    try:
        if account:
            os.chown(folder, account["user"], account["group"])
        where = {"PGHOST": str(folder), "PGPORT": "5432", "PGUSER": NAME, "PGDATABASE": "postgres"}
        quiet: dict[str, Any] = {"cwd": folder, "capture_output": True, "text": True, **account}
        options = ("--auth=trust", "--no-sync", "--locale=C.UTF-8", "--encoding=UTF8", f"--username={NAME}")
        made = subprocess.run([programs / "initdb", *options, folder / "data"], **quiet)
        assert made.returncode == 0, made.stderr
        # without an address to listen on, the port only names the socket
        command = [str(programs / "postgres"), "-D", str(folder / "data"), "-k", str(folder)]
        command += [part for setting in ("listen_addresses=", *FAST) for part in ("-c", setting)]
        with (folder / "log").open("w") as log:
            server = subprocess.Popen(
                command,
                cwd=folder,
                stdout=log,
                stderr=log,
                **account,
            )
        try:
            _wait_until_ready(where, server, folder / "log")
            yield where
        finally:
            # disconnects whoever is left
            server.send_signal(signal.SIGINT)
            server.wait(timeout=60)
    finally:
        shutil.rmtree(folder)


def _wait_until_ready(where: dict[str, str], server: subprocess.Popen[Any], log: Path) -> None:
    deadline = time.monotonic() + 60
    while True:
        try:
            connect(where).close()
            return
        except psycopg2.OperationalError:
            assert server.poll() is None and time.monotonic() < deadline, log.read_text()
            time.sleep(0.1)


def connect(where: dict[str, str]) -> Any:
    """A connection to a server that `postgres_server` started."""
    return psycopg2.connect(
        host=where["PGHOST"], port=where["PGPORT"], user=where["PGUSER"], dbname=where["PGDATABASE"]
    )
