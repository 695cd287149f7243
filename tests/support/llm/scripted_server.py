"""A scripted server that speaks the OpenAI protocol over real HTTP on loopback, for tests and benchmarks.

Belongs here: the protocol, and scripts of what goes wrong. Does not belong here: assertions.

A script maps a word in the user's prompt to what the server does: a reply, or a list of replies, one a request (the
last one repeats). Whatever no script names is answered with {"level": <0-5, from a hash of the prompt>}, so that an
undisturbed run and a disturbed one must agree. It counts what a provider would bill: each completion it sends.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Any

KEY = "sk-secret-0123456789abcdef"
# of llm.toml: a server that fails is given up at once
LIMITS = """
[limits]
max_tries = 1
first_wait_seconds = 0.01
breaker_failures = 3
breaker_pause_seconds = 0.01
breaker_probes = 2
"""
USAGE = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}


@dataclass(frozen=True)
class Reply:
    """One reply. `body` (bytes or JSON) overrides the completion made of `content`, `finish` and `message`."""

    content: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: Any = None
    finish: str = "stop"
    message: dict[str, Any] = field(default_factory=dict)
    usage: Any = field(default_factory=lambda: USAGE)
    delay: float = 0.0
    drop: bool = False
    model: Any = "scripted"


def error(status: int, message: str = "scripted", code: str | None = None, **headers: str) -> Reply:
    """An error in OpenAI's form; header names with _ for -."""
    body = {"error": {"message": message, "type": "scripted", "code": code}}
    return Reply(status=status, body=body, headers={k.replace("_", "-"): v for k, v in headers.items()})


def level_of(prompt: str) -> int:
    """The level that an unscripted prompt is answered with."""
    return hashlib.sha256(prompt.encode()).digest()[0] % 6


class ScriptedServer:
    """Runs in a thread of its own for as long as the context lasts; `base_url` is what a client is told."""

    def __init__(
        self,
        script: Mapping[str, Reply | Sequence[Reply]] | None = None,
        *,
        delay: float = 0.0,
        can_list_batches: bool = True,
        batch_polls: int = 1,
    ) -> None:
        self.script: dict[str, Reply | Sequence[Reply]] = dict(script or {})
        self.delay = delay
        self.can_list_batches = can_list_batches
        self.batch_polls = batch_polls
        self.upload_delay = 0.0
        self.embed: Callable[[dict[str, Any]], Reply] | None = None
        self.outage = False
        # after so many requests it is down
        self.fails_after = 10**9
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.bodies: list[bytes] = []
        self.times: list[float] = []
        self.paid: Counter[str] = Counter()
        self.asked: Counter[str] = Counter()
        self.most_in_flight = self._in_flight = 0
        self.files: dict[str, bytes] = {}
        self.batches: dict[str, dict[str, Any]] = {}
        self.batch_script: list[dict[str, Any]] = []
        self._ready = threading.Event()

    def __enter__(self) -> ScriptedServer:
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)
        self._thread.start()
        assert self._ready.wait(10)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)

    async def _serve(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        server = await asyncio.start_server(self._connection, "127.0.0.1", 0)
        self.base_url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        self._ready.set()
        await self._stop.wait()
        server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            while await self._exchange(reader, writer):
                pass
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass
        finally:
            self._tasks.discard(task)
            writer.close()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        method, path, _ = head[0].split(" ")
        headers = {k.lower(): v.strip() for k, _, v in (line.partition(":") for line in head[1:] if line)}
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        self.headers.append(headers)
        self.bodies.append(body)
        if path == "/v1/chat/completions":
            self._in_flight += 1
            self.most_in_flight = max(self.most_in_flight, self._in_flight)
            try:
                reply = await self._complete(json.loads(body))
            finally:
                self._in_flight -= 1
        elif path == "/v1/embeddings":
            request = json.loads(body)
            self.requests.append(request)
            reply = self.embed(request) if self.embed else error(404, "no such path")
        else:
            reply = self._files_and_batches(method, path, headers, body)
            await asyncio.sleep(reply.delay)
        if reply.drop:
            return False
        content = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
        kind = "application/octet-stream" if path.endswith("/content") else "application/json"
        lines = {"content-type": kind, **reply.headers, "content-length": str(len(content))}
        writer.write(f"HTTP/1.1 {reply.status} x\r\n".encode())
        writer.write("".join(f"{k}: {v}\r\n" for k, v in lines.items()).encode() + b"\r\n" + content)
        await writer.drain()
        return True

    async def _complete(self, request: dict[str, Any]) -> Reply:
        prompt = request["messages"][-1]["content"]
        self.requests.append(request)
        self.times.append(time.monotonic())
        self.asked[prompt] += 1
        reply = self._scripted(prompt)
        if delay := reply.delay or self.delay:
            await asyncio.sleep(delay)
        if reply.status == 200 and not reply.drop:
            self.paid[prompt] += 1
        return reply

    def _scripted(self, prompt: str) -> Reply:
        if self.outage or len(self.requests) > self.fails_after:
            return error(503, "down")
        for word, replies in self.script.items():
            if word in prompt:
                some = [replies] if isinstance(replies, Reply) else replies
                reply = some[min(self.asked[prompt], len(some)) - 1]
                break
        else:
            reply = Reply(json.dumps({"level": level_of(prompt)}))
        return reply if reply.body is not None else completed(reply)

    def _files_and_batches(self, method: str, path: str, headers: dict[str, str], body: bytes) -> Reply:
        parts = path.partition("?")[0].strip("/").split("/")[1:]
        if parts[0] == "files" and method == "POST":
            boundary = re.search(r"boundary=(\S+)", headers["content-type"])
            assert boundary is not None
            sections = body.split(b"--" + boundary.group(1).encode())
            content = (
                next(s for s in sections if b"filename=" in s).partition(b"\r\n\r\n")[2].removesuffix(b"\r\n")
            )
            return Reply(body=self._file(content), delay=self.upload_delay)
        if parts[0] == "files":
            return Reply(body=self.files[parts[1]])
        if method == "POST":
            return self._create_batch(json.loads(body))
        if len(parts) == 1:
            if not self.can_list_batches:
                return error(404, "no such path")
            public = [_public(batch) for batch in self.batches.values()]
            return Reply(body={"object": "list", "data": public, "has_more": False})
        if parts[1] not in self.batches:
            return error(404, "no such batch")
        batch = self.batches[parts[1]]
        batch["polls"] += 1
        if batch["polls"] > self.batch_polls and batch["status"] == "in_progress":
            self._end_batch(batch)
        return Reply(body=_public(batch))

    def _file(self, content: bytes) -> dict[str, Any]:
        name = f"file-{len(self.files)}"
        self.files[name] = content
        return {"id": name, "object": "file", "bytes": len(content), "created_at": 0, "filename": name,
                "purpose": "batch", "status": "processed"}  # fmt: skip

    def _create_batch(self, wanted: dict[str, Any]) -> Reply:
        step = self.batch_script[len(self.batches)] if len(self.batches) < len(self.batch_script) else {}
        if "refuse" in step:
            self.batch_script[len(self.batches)] = {k: v for k, v in step.items() if k != "refuse"}
            refusal: Reply = step["refuse"]
            return refusal
        batch = {
            "id": f"batch-{len(self.batches)}", "object": "batch", "endpoint": wanted["endpoint"],
            "input_file_id": wanted["input_file_id"], "completion_window": "24h", "created_at": 0,
            "status": "in_progress", "metadata": wanted.get("metadata"), "polls": 0, "step": step,
        }  # fmt: skip
        self.batches[batch["id"]] = batch
        # all of a batch is billed, whoever reads it
        for line in self._lines(batch):
            self.paid[line["body"]["messages"][-1]["content"]] += 1
        return Reply(body=_public(batch), drop="drop" in step, delay=step.get("delay", 0.0))

    def _lines(self, batch: dict[str, Any]) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.files[batch["input_file_id"]].split(b"\n") if line]

    def _end_batch(self, batch: dict[str, Any]) -> None:
        """Results backwards; prompts with the word 'missing' are in no file, 'broken' have half a line."""
        step = batch["step"]
        batch["status"] = step.get("status", "completed")
        if step.get("errors"):
            batch["errors"] = {"object": "list", "data": [{"code": "x", "message": step["errors"]}]}
            return
        good, bad = [], []
        for number, line in enumerate(reversed(self._lines(batch))):
            prompt = line["body"]["messages"][-1]["content"]
            self.asked[prompt] += 1
            reply = self._scripted(prompt)
            if "missing" in prompt:
                continue
            response = {"status_code": reply.status, "request_id": f"r{number}", "body": reply.body}
            text = json.dumps(
                {"id": f"l{number}", "custom_id": line["custom_id"], "response": response, "error": None}
            )
            if number >= step.get("expires_after", 10**9):
                late = {"code": "batch_expired", "message": "This request could not be executed in time."}
                bad.append(json.dumps({"custom_id": line["custom_id"], "response": None, "error": late}))
            elif "broken" in prompt:
                good.append(text[: len(text) // 2])
            else:
                (good if reply.status == 200 else bad).append(text)
        good.append(json.dumps({"custom_id": "of nobody", "response": {"status_code": 200, "body": {}}}))
        batch["output_file_id"] = self._file("\n".join(good).encode())["id"]
        if bad:
            batch["error_file_id"] = self._file("\n".join(bad).encode())["id"]


def completed(reply: Reply) -> Reply:
    """The reply with the completion made of its parts as its body."""
    message = {"role": "assistant", "content": reply.content, **reply.message}
    choice = {"index": 0, "message": message, "finish_reason": reply.finish}
    body = {"id": "c", "object": "chat.completion", "created": 0, "model": reply.model, "choices": [choice],
            "usage": reply.usage}  # fmt: skip
    return replace(reply, body=body)


def _public(batch: dict[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in batch.items() if k not in {"polls", "step"}}
