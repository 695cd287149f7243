"""One tournament: who takes part by files and llm.toml, what is there already, and what each step is to ask.

Belongs here: files and models joined into one plan; what a file holds is never asked. Does not belong here: the calls
themselves (deliverable_runs.py, judging.py, traits.py), sending (assets/llm), reading files (assets/sources).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, cast

import pandas as pd

from assets.assistance import judging, past_verdicts, traits
from assets.assistance.deliverable_runs import (
    Collected,
    Output,
    Writers,
    is_aided,
    opening_call,
    read_outputs,
    run_calls,
)
from assets.assistance.planning import Comparison, Entry, Mode, Panel, PanelError, comparisons
from assets.assistance.tasks import Instrument, read_instrument
from assets.llm import CHARACTERS_A_TOKEN, Answer, Call, Model, Roles, asked_models, collect
from assets.settings import Settings


@dataclass(frozen=True)
class Supplied:
    """What the files say: raw.candidate, raw.tournament_output, raw.tournament_verdict, raw.assistance_trait.

    A line with a `fault` is none of these; the readers decide that, for staging too.
    """

    candidates: pd.DataFrame
    outputs: pd.DataFrame
    verdicts: pd.DataFrame
    traits: pd.DataFrame


def take_part(roles: Roles) -> bool:
    """Whether llm.toml names anyone for a tournament."""
    return any(roles.of(role) for role in ("candidate", "worker", "judge"))


class Tournament:
    """A tournament as files, llm.toml and settings make it. `collected` says what the ledger has of calls.

    Raises (all methods):
        PanelError: nobody takes part, two are one, two workers, or a family is unknown.
        TaskError: see `read_instrument`.
        LedgerError: the ledger can't be read.
    """

    def __init__(
        self,
        settings: Settings,
        roles: Roles,
        supplied: Supplied,
        sources: Path | None,
        collected: Collected | None = None,
    ) -> None:
        self._settings = settings
        self._supplied = supplied
        self._ledger: Collected = lambda calls: collect(calls, settings.ledger_path)
        self._collected = collected or self._ledger
        only = [name for part in settings.tournament_tasks.split(",") if (name := part.strip())]
        self.instrument: Instrument = read_instrument(sources, only)
        workers = roles.of("worker")
        if len(workers) > 1:
            raise PanelError("llm.toml names more than one [[worker]]: it is the same for all, so keep one")
        self._writers = Writers(
            {model.name: model for model in roles.of("candidate")}, workers[0] if workers else None
        )
        self._writers.refuse_same()
        if any(model.name == "all" for role in ("candidate", "worker", "judge") for model in roles.of(role)):
            raise PanelError("llm.toml names somebody all, which stands for everybody: give it another name")
        self._runs = [str(run) for run in range(1, settings.tournament_runs + 1)]
        self._judges: dict[str, Model] = {model.name: model for model in roles.of("judge")}

    @cached_property
    def panel(self) -> Panel:
        """All who take part: the models of llm.toml, and those of candidates.csv that have deliverables in files."""
        listed = self._supplied.candidates
        roles_of = {
            str(name): {part.strip() for part in _text(roles).split(",")}
            for name, roles in zip(listed["candidate"], listed["role"], strict=True)
        }
        families = {
            str(name): _text(family).lower()
            for name, family in zip(listed["candidate"], listed["family"], strict=True)
        }
        if self._writers.worker:
            worker = self._writers.worker.name
            # the marts know the worker by its role alone; without it, they would rank no help as a helper
            named = sorted(name for name, roles in roles_of.items() if "worker" in roles)
            if named != [worker] and (named or worker in roles_of):
                raise PanelError(
                    f"the [[worker]] of llm.toml is {worker}, but tournament/candidates.csv gives the role worker to "
                    f"{', '.join(named) or 'nobody'}: give it to {worker} alone"
                )
        else:
            named = sorted(name for name, roles in roles_of.items() if "worker" in roles)
            if len(named) > 1:
                raise PanelError(
                    f"tournament/candidates.csv names {len(named)} workers, {', '.join(named)}: keep one"
                )
            worker = named[0] if named else ""
        with_files = set(self._supplied.outputs["candidate"])
        from_files = sorted(n for n, roles in roles_of.items() if "candidate" in roles and n in with_files)
        candidates = list(dict.fromkeys([*self._writers.candidates, *from_files]))
        return Panel(candidates, list(self._judges), worker, families)

    @cached_property
    def in_files(self) -> dict[Entry, Output]:
        """Entries that files hold, of those who take part and of the tasks that are asked about.

        Raises:
            PanelError: a file holds a task that has no task file, so nobody could judge it.
        """
        panel, frame = self.panel, self._supplied.outputs
        frame = frame[frame["fault"].isna() & frame["output"].notna()]
        frame = frame[frame["candidate"].isin([*panel.candidates, panel.worker])]
        unknown = sorted(set(frame["task"]) - set(self.instrument.tasks))
        if unknown and not self._settings.tournament_tasks:
            raise PanelError(
                f"tournament/outputs holds {', '.join(unknown)}, of which there is no task file: write "
                "tournament/tasks/<task>.md, or name the tasks to ask about in SUITABILITY_TOURNAMENT_TASKS"
            )
        found: dict[Entry, Output] = {}
        for row in frame[frame["task"].isin(self.instrument.tasks)].to_dict("records"):
            entry = Entry(str(row["task"]), cast(Mode, row["mode"]), str(row["run"]), str(row["candidate"]))
            found.setdefault(
                entry, Output(entry, str(row["output"]), _text(row["assistance"]) or None, "file", "")
            )
        return found

    @cached_property
    def asked(self) -> list[Entry]:
        """Entries that models are to write."""
        return [
            entry
            for entry in self.panel.entries(self.instrument.tasks, self._runs)
            if entry not in self.in_files and opening_call(entry, self.instrument, self._writers)
        ]

    @cached_property
    def written(self) -> list[Output]:
        """What models have written of `asked`."""
        return read_outputs(self.asked, self.instrument, self._writers, self.panel.worker, self._collected)

    def run_calls(self) -> list[Call]:
        """The calls for deliverables and assistance that can be made now."""
        if not self._writers.candidates:
            raise PanelError("nobody to do the tasks: llm.toml names no [[candidate]]")
        return run_calls(self.asked, self.instrument, self._writers, self.panel.worker, self._collected)

    def judge_calls(self) -> list[Call]:
        """The calls for verdicts on pairs that are both there."""
        self._need_judges()
        texts = self._texts()
        planned = self._comparisons(texts, self._judges)
        return [judging.call_for(c, texts, self.instrument, self._judges) for c in planned]

    def trait_calls(self) -> list[Call]:
        """The calls that code assistance that is there."""
        self._need_judges()
        return [traits.coding_call(coding, self.instrument, self._judges) for coding in self._codings()]

    def output_frame(self) -> pd.DataFrame:
        """raw.tournament_llm_output: a row an entry that models are to write."""
        rows = [
            {
                **output.entry._asdict(), "assistance": output.assistance, "output": output.text,
                "status": output.status, "call_id": output.call_id,
            }
            for output in sorted(self.written, key=lambda output: output.entry)
        ]  # fmt: skip
        columns = [*Entry._fields, "assistance", "output", "status", "call_id"]
        frame = pd.DataFrame(rows, columns=columns, dtype=object)
        return frame.assign(call_number=range(1, len(frame) + 1))

    def for_people(self) -> list[dict[str, str | None]]:
        """What people are to write as the worker, with the guidance that is there: lines of tournament/outputs.

        Empty where a model is the worker.
        """
        if self._writers.worker or not self.panel.worker:
            return []
        guidance = {output.entry: output.assistance for output in self.written if output.assistance}
        alone = {
            entry: None
            for entry in self.panel.entries(self.instrument.tasks, self._runs)
            if entry.mode == "augmentation"
            and entry.candidate == self.panel.worker
            and entry not in self.in_files
        }
        lines = sorted((guidance | alone).items(), key=lambda line: line[0])
        return [{**entry._asdict(), "assistance": text, "output": None} for entry, text in lines]

    def verdict_frame(self) -> pd.DataFrame:
        """raw.tournament_llm_verdict: what the judges are asked, and what came back from those that are retired."""
        texts = self._texts() if self._judges or self._retired else {}
        if texts:
            self.panel.refuse_unknown_families()
        planned = self._comparisons(texts, self._judges)
        frames = [judging.verdicts(planned, texts, self.instrument, self._judges, self._collected)]
        held: set[Comparison] = set()
        for model in self._retired:
            judge = {model.name: model}
            given = [
                c for c in self._given(texts, judge) if c not in held and past_verdicts.swapped(c) not in held
            ]
            held |= set(given)
            frames.append(judging.verdicts(given, texts, self.instrument, judge, self._collected))
        frame = pd.concat([part for part in frames if len(part)] or frames[:1], ignore_index=True)
        return frame.assign(call_number=range(1, len(frame) + 1))

    def trait_frame(self) -> pd.DataFrame:
        """raw.assistance_llm_trait; no rows before anything was coded, as coding is optional."""
        planned = self._codings(least=0) if self._judges else []
        frame = traits.coded(planned, self.instrument, self._judges, self._collected)
        return frame if (frame["status"] != "pending").any() else frame.iloc[:0]

    def _need_judges(self) -> None:
        if not self._judges:
            raise PanelError("nobody to judge: llm.toml names no [[judge]]")
        self.panel.refuse_unknown_families()

    def _outputs(self) -> Iterator[Output]:
        yield from self.in_files.values()
        yield from self.written

    def _texts(self) -> dict[Entry, str]:
        return {output.entry: output.text for output in self._outputs() if output.text is not None}

    @cached_property
    def _retired(self) -> list[Model]:
        """Judges of candidates.csv that the ledger has calls of and llm.toml no more: nothing is asked of them."""
        listed = set(self._supplied.candidates["candidate"]) - set(self._judges)
        return [model for model in asked_models("judge", self._settings.ledger_path) if model.name in listed]

    def _given(self, texts: Mapping[Entry, str], judge: Mapping[str, Model]) -> list[Comparison]:
        """What came back from a retired judge, in whatever seats."""
        panel = replace(self.panel, judges=list(judge))
        planned = self._without_files(comparisons(texts, panel, self._settings.seed, both_seats=True), judge)

        def call_of(comparison: Comparison) -> Call:
            return judging.call_for(comparison, texts, self.instrument, judge)

        return past_verdicts.came_back(planned, call_of, self._ledger, self._settings.tournament_both_seats)

    def _comparisons(self, texts: Mapping[Entry, str], judges: Mapping[str, Model]) -> list[Comparison]:
        """Pairs of `texts` in the order of tasks, without those whose verdict a file holds, in the seats asked."""
        settings = self._settings
        both_seats = settings.tournament_both_seats
        planned = self._without_files(comparisons(texts, self.panel, settings.seed, both_seats), judges)
        if both_seats or not settings.ledger_path.exists():
            return planned

        def call_of(comparison: Comparison) -> Call:
            return judging.call_for(comparison, texts, self.instrument, judges)

        return past_verdicts.as_asked(planned, call_of, self._ledger)

    def _without_files(self, planned: Iterable[Comparison], judges: Mapping[str, Model]) -> list[Comparison]:
        settings, frame = self._settings, self._supplied.verdicts
        frame = frame[frame["fault"].isna() & frame["judge"].isin(list(judges))]
        held = set(frame[list(Comparison._fields)].itertuples(index=False, name=None))
        if not settings.tournament_both_seats:
            held |= {(*key[:4], key[5], key[4]) for key in held}
        return [comparison for comparison in planned if tuple(comparison) not in held]

    def _codings(self, least: int = traits.MIN_CODERS) -> list[traits.Coding]:
        texts = {
            output.entry: output.assistance
            for output in self._outputs()
            if output.assistance is not None and is_aided(output.entry, self.panel.worker)
        }
        keys = self._supplied.traits[[*Entry._fields, "judge"]].itertuples(index=False, name=None)
        held = set(keys)
        return [c for c in traits.codings(texts, self.panel, least) if (*c.entry, c.judge) not in held]


def foreseen(settings: Settings) -> Collected:
    """What the ledger has, and for what a run may still answer a stand-in as long as its model may write.

    For estimates, never sent. Refused and unparsed calls stay so: no run sends them again, so nothing hangs on them.
    """

    def answers(calls: Sequence[Call]) -> list[Answer]:
        return [
            Answer(answer.call, "answered", text=_stand_in(answer.call))
            if answer.status in ("pending", "failed")
            else answer
            for answer in collect(calls, settings.ledger_path)
        ]

    return answers


def _stand_in(call: Call) -> str:
    length = call.model.max_tokens * CHARACTERS_A_TOKEN
    return (call.call_id + " " * length)[:length] if length > len(call.call_id) else call.call_id


def _text(cell: Any) -> str:
    return "" if cell is None or pd.isna(cell) else str(cell).strip()
