"""One provider (a server and a key): its client, what its errors mean, its rate limit and its circuit breaker.

Belongs here: one HTTP request, classified; when the next may be sent. Does not belong here: how often a call is tried
(direct.py), what an answer says (parse.py). The key leaves this module in the Authorization header only.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from assets.llm.roles import Limits, Model, key_of

if TYPE_CHECKING:
    import openai

T = TypeVar("T")
_RETRIED = {408, 409, 425, 429}
_ERROR_CHARACTERS = 500
_NO_KEY = "none"
# shorter ones are placeholders for servers that ask no key, and stand in ordinary words
_SHORTEST_SECRET = 8


@dataclass(eq=False)
class Trouble(Exception):
    """A request that brought no completion.

    kind: `retry` (may pass by itself), `rate` (too many requests; the provider is well), `final` (the same request
    fails again), `refused` (the provider's filter), `stop` (no request of this run can pass: key, quota).
    """

    kind: Literal["retry", "rate", "final", "refused", "stop"]
    reason: str
    retry_after: float | None = None

    def __str__(self) -> str:
        return self.reason


class ProviderDown(Exception):
    """The breaker stayed open; the message says what the provider last failed with."""


class Provider:
    """Requests to one base URL with one key."""

    def __init__(self, model: Model, limits: Limits) -> None:
        import openai

        self._key = key_of(model)
        self._variable = model.api_key_env
        self.limits = limits
        self.base_url = model.base_url
        self.client: openai.AsyncOpenAI = openai.AsyncOpenAI(
            base_url=model.base_url, api_key=self._key or _NO_KEY, max_retries=0, timeout=None
        )
        self._not_before = 0.0
        self._failures = 0
        self._open_until: float | None = None
        self._is_probing = False
        self._failed_probes = 0
        self._given_up = ""

    def __repr__(self) -> str:
        return f"Provider({self.base_url!r})"

    async def complete(self, body: dict[str, Any], timeout_seconds: float) -> dict[str, Any]:
        """One POST /chat/completions.

        Raises:
            Trouble: no completion came, with what that means.
        """

        async def post() -> Any:
            # the typed method costs twice the processor time, and tolerates what has to be told apart here
            return await self.client.post("/chat/completions", body=body, cast_to=object)

        completion = await self.request(post, timeout_seconds)
        if isinstance(completion, dict) and not completion.get("error"):
            return completion
        error = completion.get("error") if isinstance(completion, dict) else None
        code = error.get("code") if isinstance(error, dict) else None
        reason = error_text(error) or f"the reply is no JSON object: {completion!r}"
        raise self.trouble(code if isinstance(code, int) else 502, reason, error)

    async def request(self, operation: Callable[[], Awaitable[T]], timeout_seconds: float) -> T:
        """`operation` on the client, under a time limit, its errors as Trouble."""
        import openai

        try:
            async with asyncio.timeout(timeout_seconds):
                return await operation()
        except (TimeoutError, openai.APITimeoutError):
            trouble = Trouble("retry", f"no answer within {timeout_seconds:g} s")
        except openai.APIStatusError as error:
            wait = _retry_after(error.response.headers.get("retry-after"))
            trouble = self.trouble(
                error.status_code, error_text(error.body) or error.message, error.body, wait
            )
        except UnicodeEncodeError:
            trouble = Trouble(
                "final", "the prompt holds half a character (a lone surrogate), which can't be sent"
            )
        except (openai.OpenAIError, ValueError) as error:
            cause = error.__cause__ or error
            trouble = Trouble("retry", self.redact(f"{type(cause).__name__}: {cause}"))
        raise trouble

    async def steadily(self, operation: Callable[[], Awaitable[T]], timeout_seconds: float) -> T:
        """`request`, again after waits while trouble may pass; for what is not a paid call (files, batches)."""
        tries = 0
        while True:
            try:
                return await self.request(operation, timeout_seconds)
            except Trouble as trouble:
                tries += 1
                if trouble.kind not in {"retry", "rate"} or tries >= self.limits.max_tries:
                    raise
                await asyncio.sleep(self.wait_before(tries, trouble))

    def trouble(self, status: int, text: str, body: object, retry_after: float | None = None) -> Trouble:
        """What an HTTP status with this text and error body means; the text is redacted."""
        code = body.get("code") if isinstance(body, dict) else None
        reason = self.redact(f"HTTP {status}: {text}")
        if status == 401:
            key = (
                f"the key in {self._variable}"
                if self._variable
                else "a call without key (api_key_env is not set)"
            )
            return Trouble("stop", f"{self.base_url} refuses {key}: {reason}")
        if code == "insufficient_quota":
            return Trouble("stop", f"{self.base_url}: the quota behind {self._variable} is used up: {reason}")
        if code == "content_filter":
            return Trouble("refused", reason)
        if status == 429:
            return Trouble("rate", reason, retry_after)
        if status in _RETRIED or status >= 500:
            return Trouble("retry", reason, retry_after)
        return Trouble("final", reason)

    def redact(self, text: str) -> str:
        """`text` without the key, should a server echo it."""
        # before cutting: half a key is still half a secret
        return self.without_key(text)[:_ERROR_CHARACTERS]

    def without_key(self, text: str) -> str:
        return text.replace(self._key, "[key]") if len(self._key) >= _SHORTEST_SECRET else text

    def wait_before(self, tries: int, trouble: Trouble) -> float:
        """Seconds before the next try: what the server asks, else exponential; jitter spreads callers."""
        limits = self.limits
        if trouble.retry_after is not None:
            asked = min(trouble.retry_after, limits.max_retry_after_seconds)
            return asked + random.uniform(0, limits.first_wait_seconds)
        longest = min(limits.first_wait_seconds * 2.0 ** min(tries - 1, 60), limits.max_wait_seconds)
        return random.uniform(longest / 2, longest)

    def heard(self, trouble: Trouble | None, is_probe: bool) -> None:
        """Tell the gate how a request ended."""
        if trouble is not None and trouble.retry_after is not None:
            # what one call was told holds for all
            asked = min(trouble.retry_after, self.limits.max_retry_after_seconds)
            self._not_before = max(self._not_before, time.monotonic() + asked)
        if trouble is None or trouble.kind != "retry":
            self._failures, self._failed_probes, self._open_until = 0, 0, None
            return
        self._failures += 1
        if self._failures < self.limits.breaker_failures:
            return
        if is_probe:
            self._failed_probes += 1
        if self._failed_probes >= self.limits.breaker_probes:
            many = f"{self._failures} calls in a row failed"
            self._given_up = f"{self.base_url} is down: {many}, the last with {trouble.reason}"
        if self._open_until is None or is_probe:
            self._open_until = time.monotonic() + self.limits.breaker_pause_seconds

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[bool]:
        """Waits until a request may be sent: rate limit over, breaker closed, or (then True) this one the probe.

        Raises:
            ProviderDown: the provider was given up.
        """
        is_probe = await self._ready()
        try:
            yield is_probe
        finally:
            if is_probe:
                self._is_probing = False

    async def _ready(self) -> bool:
        while True:
            if self._given_up:
                raise ProviderDown(self._given_up)
            now = time.monotonic()
            wait = max(self._not_before, self._open_until or 0) - now
            if wait <= 0 and self._open_until is None:
                return False
            if wait <= 0 and not self._is_probing:
                self._is_probing = True
                return True
            await asyncio.sleep(min(max(wait, 0.02), 1.0))


def error_text(error: object) -> str:
    """The message of an error object in OpenAI's form, or whatever stands in its place; '' for none."""
    return str(error.get("message") or error) if isinstance(error, dict) and error else str(error or "")


def _retry_after(value: str | None) -> float | None:
    """Seconds of a Retry-After header, given as seconds or as a date; None where it says neither."""
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds()
        except (ValueError, TypeError):
            return None
    # nan compares false
    return max(seconds, 0.0) if seconds < float("inf") else None
