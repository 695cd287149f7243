"""The one door to language models: the only code that talks to one.

Belongs here: roles, calls, answers, the ledger, the two ways of sending. Does not belong here: prompts (rubrics/) and
what answers mean (the slice that asks). What a slice needs is imported from here, nothing deeper.
"""

from assets.llm.call import CHARACTERS_A_TOKEN, Answer, Call
from assets.llm.duplicate_models import namesake, that_are_alike
from assets.llm.embeddings import EmbeddingError, embed_texts
from assets.llm.frame import framed
from assets.llm.ledger import LedgerError, asked_models
from assets.llm.roles import Limits, Model, Roles, RolesError, read_roles
from assets.llm.run import Estimate, Progress, collect, estimate, run, stream

__all__ = [
    "CHARACTERS_A_TOKEN", "Answer", "Call", "EmbeddingError", "Estimate", "LedgerError", "Limits", "Model", "Progress",
    "Roles", "RolesError", "asked_models", "collect", "embed_texts", "estimate", "framed", "namesake", "read_roles",
    "run", "stream", "that_are_alike",
]  # fmt: skip
