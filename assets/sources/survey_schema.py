"""The questionnaire's columns that may enter the warehouse: reader and template are made from this.

Belongs here: the allow-list, which of it is required, and a text for each column. Does not belong here:
rules of quality control and scoring (dbt). A column not named here never leaves the reader: no address,
e-mail, name, id, place, browser or free text.
"""

from __future__ import annotations

from dataclasses import dataclass

N_ACTIVITIES = 18
N_ACTIVITIES_WITH_OTHER = 21
N_CAPABILITIES = 18
QUIZ = ("Q4.12", "Q4.13", "Q4.14", "Q4.25", "Q4.26", "Q4.27")
SOURCE, COMPANY = "source", "company"
RESPONSE_ID = "ResponseId"
# the survey tool's own columns that say a row is a preview, a test or spam; what it writes there, in any case
MARKS = ("Status", "Finished", "DistributionChannel")
MARK_WORDS = frozenset(
    (
        *("preview", "survey preview", "test", "survey test", "spam", "survey preview spam", "imported spam"),
        *("offline survey preview", "ip address", "imported", "offline", "offline survey", "anonymous"),
        *("email", "qr", "gl", "social", "sms", "panel", "true", "false", "yes", "no"),
    )
)


@dataclass(frozen=True)
class Question:
    """One allowed column. `text` is what the template's second header row says."""

    name: str
    text: str
    is_required: bool = True


def _questions() -> tuple[Question, ...]:
    described = [
        Question("Progress", "Share of the questionnaire answered, 0-100"),
        Question("Duration (in seconds)", "Seconds from start to end"),
        Question("Status", "Kind of response; 1 preview, 2 test, 8 spam are not counted", is_required=False),
        Question("Finished", "Whether the questionnaire was finished", is_required=False),
        Question("DistributionChannel", "How the link was sent; preview and test are not counted", False),
        Question("prescreen", "Code of the panel's screening", is_required=False),
        Question("Q2.4", "Years in the present role", is_required=False),
        Question("Q2.5", "Years in the field", is_required=False),
        Question("Q2.11", "Work domain, code 1-6; blank = none of them"),
        Question("Q2.6_1", "Positive about AI, slider 0-100", is_required=False),
        Question("Q2.7", "Age, years", is_required=False),
        Question("Q2.8", "Gender, code (1 male, 2 female)", is_required=False),
        Question("Q2.9", "Highest education, code (higher = longer)", is_required=False),
        Question("Q3.1", "The chosen activities, codes 1-21 divided by commas"),
    ]
    for t in range(1, N_ACTIVITIES_WITH_OTHER + 1):
        described.append(
            Question(f"Q3.2_{t}", f"Rank of activity {t}, 1 = most important", t <= N_ACTIVITIES)
        )
    for t in range(1, N_ACTIVITIES_WITH_OTHER + 1):
        described.append(Question(f"Q3.3_{t}", f"Hours a week spent on activity {t}", t <= N_ACTIVITIES))
    described += [Question(name, "Comprehension quiz, code 1 = correct") for name in QUIZ]
    for t in range(1, N_ACTIVITIES + 1):
        text = f"The capabilities chosen for activity {t}, codes 1-18 divided by commas"
        described.append(Question(f"{t}_Q5.3", text, is_required=False))
        for k in range(1, N_CAPABILITIES + 1):
            described.append(Question(f"{t}_Q5.4_{k}", f"Points of 100 for activity {t} to capability {k}"))
    described.append(Question("Q6.2_1", "Closing slider, 0-100", is_required=False))
    return tuple(described)


QUESTIONS = _questions()
ALLOWED = tuple(question.name for question in QUESTIONS)
REQUIRED = tuple(question.name for question in QUESTIONS if question.is_required)
