"""Which version of this project made something: hashes of its files.

Belongs here: hashing what stands in the project's folders. Does not belong here: versions of libraries
(requirements.lock).
"""

from __future__ import annotations

import hashlib
from pathlib import Path

# what dbt and Python make there themselves, should someone run them by hand
MADE = {"target", "logs", "dbt_packages", ".user.yml", "__pycache__"}


def folder_hash(folder: Path) -> str:
    """Hash of the names and contents of all files in a folder of the project."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder)
        if path.is_file() and not MADE & set(inside.parts):
            digest.update(f"{inside}\0{hashlib.sha256(path.read_bytes()).hexdigest()}\0".encode())
    return digest.hexdigest()
