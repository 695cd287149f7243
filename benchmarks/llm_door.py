"""What a call through the door costs: calls a second at 64 in flight, and memory over a long stream.

    nice python -m benchmarks.llm_door [--calls 100000]

The scripted server runs in a process of its own and answers at once, so that the door is what is measured: client,
parsing and ledger. Processor time stands beside the wall clock, which measures the neighbours as well.

Belongs here: measuring and printing. Does not belong here: tests (a figure of one machine fails on another).
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import multiprocessing.connection
import resource
import tempfile
import time
from collections.abc import Iterator
from contextlib import aclosing
from pathlib import Path

from pydantic import BaseModel, Field
from rich.console import Console

from assets.llm import Call, Model, stream

IN_FLIGHT = 64
BODY = (
    b'{"id":"c","object":"chat.completion","created":0,"model":"m","choices":[{"index":0,"finish_reason":"stop",'
    b'"message":{"role":"assistant","content":"{\\"level\\": 3}"}}],'
    b'"usage":{"prompt_tokens":1500,"completion_tokens":6}}'
)
REPLY = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%b" % (
    len(BODY),
    BODY,
)


class Level(BaseModel):
    level: int = Field(ge=0, le=5)


async def _exchange(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
            length = head.partition(b"content-length:")[2].partition(b"\r\n")[0]
            await reader.readexactly(int(length))
            writer.write(REPLY)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


def _serve(pipe: multiprocessing.connection.Connection) -> None:
    async def serve() -> None:
        server = await asyncio.start_server(_exchange, "127.0.0.1", 0)
        pipe.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(serve())


def _calls(port: int, n_calls: int) -> Iterator[Call]:
    model = Model(
        role="rater", name="a", model="m", base_url=f"http://127.0.0.1:{port}/v1", max_tokens=50,
        max_in_flight=IN_FLIGHT, json_schema=True, input_price=1, output_price=1,
    )  # fmt: skip
    rubric = "What the capability is, its levels and their examples. " * 100
    for n in range(n_calls):
        yield Call(model, f"Item {n}: what does it demand? " * 5, rubric, Level)


def _memory() -> float:
    """Resident megabytes of this process now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1e6


async def _measure(port: int, n_calls: int, ledger: Path, console: Console) -> None:
    started, used, n = time.perf_counter(), time.process_time(), 0
    async with aclosing(stream(_calls(port, n_calls), ledger, "benchmark")) as answers:
        async for answer in answers:
            assert answer.status == "answered", answer.reason
            n += 1
            if n in {1000, 10_000, 30_000} or n == n_calls:
                wall, cpu = time.perf_counter() - started, time.process_time() - used
                console.print(
                    f"{n:>8} calls: {n / wall:6.0f} a second, {n / cpu:6.0f} a second of processor time, "
                    f"{_memory():6.1f} MB resident"
                )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--calls", type=int, default=100_000)
    n_calls = parser.parse_args().calls
    ours, theirs = multiprocessing.Pipe()
    server = multiprocessing.get_context("spawn").Process(target=_serve, args=(theirs,), daemon=True)
    server.start()
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(_measure(ours.recv(), n_calls, Path(folder) / "ledger.sqlite", Console()))
    server.kill()


if __name__ == "__main__":
    main()
