#!/usr/bin/env python3
"""Many questions at once: how fast and how evenly a server answers 64 connections.

    many.py INDEX QUERIES.jsonl… [--okno target/release/okno] [--connections 64] [--seconds 20]

QUERIES.jsonl has lines with a "question". No question is asked twice with the same budget, so that none is answered
from the server's cache. Three rounds, each against the same server:

    alone      one connection, one question after the other
    all        every connection asks again as soon as it is answered: more than the machine can do
    half load  questions come at random times, half as many as `all` answered, each on a free connection

Prints for each round the questions answered per second, the times at which 50, 99 and 100 % were answered, the server's
processor time for a question, and for `all` the fewest and the most answers that one connection got. The client runs on
the same machine. Needs Python 3.9 and nothing else.
"""
import argparse
import asyncio
import itertools
import json
import os
import random
import subprocess
import time

SEED = 7


class Connection:
    """One connection to the server."""

    def __init__(self, address):
        self.host, self.port = address.removeprefix("http://").split(":")
        self.reader = self.writer = None

    async def ask(self, body):
        """Asks, and returns the seconds until the answer was there."""
        if self.reader is None:
            self.reader, self.writer = await asyncio.open_connection(self.host, int(self.port))
        head = (f"POST /api/v1/search HTTP/1.1\r\nHost: {self.host}:{self.port}\r\n"
                f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n")
        begun = time.perf_counter()
        self.writer.write(head.encode() + body)
        answer = await self.reader.readuntil(b"\r\n\r\n")
        status, length = answer.split(b" ", 2)[1], None
        for line in answer.split(b"\r\n"):
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        if status != b"200" or length is None:
            raise SystemExit(f"the server says {answer.decode(errors='replace')}")
        await self.reader.readexactly(length)
        return time.perf_counter() - begun


def bodies(paths):
    """Requests, no two of them alike."""
    questions = [json.loads(line)["question"] for path in paths for line in open(path, encoding="utf-8")]
    random.Random(SEED).shuffle(questions)
    for budget in itertools.count(400):
        for question in questions:
            yield json.dumps({"question": question, "budget": budget}).encode()


async def closed(connections, asked, seconds):
    """Every connection asks again and again: the times of each."""
    end = time.perf_counter() + seconds

    async def one(connection):
        times = []
        while time.perf_counter() < end:
            times.append(await connection.ask(next(asked)))
        return times

    return await asyncio.gather(*map(one, connections))


async def opened(connections, asked, rate, seconds):
    """Questions at random times; a time counts from when the question came, waiting for a connection included."""
    free, times, chance = asyncio.Queue(), [], random.Random(SEED)
    for connection in connections:
        free.put_nowait(connection)

    async def one():
        came = time.perf_counter()
        connection = await free.get()
        await connection.ask(next(asked))
        free.put_nowait(connection)
        times.append(time.perf_counter() - came)

    running, end = [], time.perf_counter() + seconds
    while time.perf_counter() < end:
        await asyncio.sleep(chance.expovariate(rate))
        running.append(asyncio.create_task(one()))
    await asyncio.gather(*running)
    return times


def processor_time(process):
    """Seconds of processor time that a process took so far."""
    fields = open(f"/proc/{process}/stat", encoding="ascii").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def told(name, times, seconds, cpu):
    """One line about a round; its rate."""
    times = sorted(times)
    at = lambda share: 1e3 * times[min(len(times) - 1, int(share * len(times)))]
    print(f"{name:10} {len(times) / seconds:7.1f}/s  p50 {at(.5):7.1f}  p99 {at(.99):7.1f}  max {at(1):7.1f} ms  "
          f"{1e3 * cpu / len(times):6.1f} ms of processor time each", flush=True)
    return len(times) / seconds


async def measure(address, process, arguments):
    """The three rounds."""
    asked = bodies(arguments.queries)
    connections = [Connection(address) for _ in range(arguments.connections)]
    for _ in range(100):
        await connections[0].ask(next(asked))  # pages are read, tables are made

    async def timed(round_):
        before, begun = processor_time(process), time.perf_counter()
        found = await round_
        return found, time.perf_counter() - begun, processor_time(process) - before

    found, seconds, cpu = await timed(closed(connections[:1], asked, arguments.seconds))
    told("alone", found[0], seconds, cpu)
    found, seconds, cpu = await timed(closed(connections, asked, arguments.seconds))
    rate = told("all", [one for each in found for one in each], seconds, cpu)
    print(f"           answers of one connection: {min(map(len, found))} to {max(map(len, found))}")
    found, seconds, cpu = await timed(opened(connections, asked, rate / 2, arguments.seconds))
    told("half load", found, seconds, cpu)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("index")
    parser.add_argument("queries", nargs="+")
    parser.add_argument("--okno", default="okno")
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=20)
    arguments = parser.parse_args()
    server = subprocess.Popen([arguments.okno, "serve", "--json", "--port", "0", "--index", arguments.index],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                              env=os.environ | {"OKNO_LOG": "error"})
    try:
        address = json.loads(server.stdout.readline())["url"]
        asyncio.run(measure(address, server.pid, arguments))
    finally:
        server.kill()


if __name__ == "__main__":
    main()
