"""Pure readers: an input folder in, frames as declared in dbt/models/sources/ out."""

from assets.sources.errors import SourceError, SourceFileError
from assets.sources.readers.agentic import (
    read_scenarios,
    read_servers,
    read_trajectories,
    read_trajectory_verdicts,
)
from assets.sources.readers.chats import ChatParts, read_chats
from assets.sources.readers.comparison import read_comparison
from assets.sources.readers.folder import Reading
from assets.sources.readers.interviews import read_interviews
from assets.sources.readers.items import read_all_items, read_items
from assets.sources.readers.oews import read_oews
from assets.sources.readers.onet import read_onet
from assets.sources.readers.propensity import (
    read_propensity_bands,
    read_propensity_items,
    read_propensity_responses,
)
from assets.sources.readers.ratings import read_ratings
from assets.sources.readers.results import read_results
from assets.sources.readers.survey import read_survey
from assets.sources.readers.systems import read_systems
from assets.sources.readers.tournament import (
    read_candidates,
    read_outputs,
    read_traits,
    read_verdicts,
)

__all__ = [
    "ChatParts",
    "Reading",
    "SourceError",
    "SourceFileError",
    "read_all_items",
    "read_candidates",
    "read_chats",
    "read_comparison",
    "read_interviews",
    "read_items",
    "read_oews",
    "read_onet",
    "read_outputs",
    "read_propensity_bands",
    "read_propensity_items",
    "read_propensity_responses",
    "read_ratings",
    "read_results",
    "read_scenarios",
    "read_servers",
    "read_survey",
    "read_systems",
    "read_traits",
    "read_trajectories",
    "read_trajectory_verdicts",
    "read_verdicts",
]
