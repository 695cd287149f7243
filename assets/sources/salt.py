"""The secret that makes respondents' hashes useless for looking people up.

Belongs here: making it once and reading it. Does not belong here: hashing (readers/survey.py).
"""

from __future__ import annotations

import os
import re
import secrets
from pathlib import Path


def read_salt(home: Path) -> str:
    """64 hex digits from `<home>/.salt`, made at the first call and readable by the owner only.

    Raises:
        ValueError: the file holds something else.
    """
    path = home / ".salt"
    if not path.exists():
        home.mkdir(parents=True, exist_ok=True)
        new = home / f".salt.{os.getpid()}"
        with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            file.write(secrets.token_hex(32))
            file.flush()
            os.fsync(file.fileno())
        os.replace(new, path)
    salt = path.read_text(encoding="ascii", errors="replace").strip()
    if not re.fullmatch(r"[0-9a-f]{64}", salt):
        raise ValueError(f"{path} is not the salt this project wrote; remove it (respondents get new hashes)")
    return salt
