"""The server that the exchanges in conformance/exchanges talk to, made of the Server of sdk/python.

    python3 desk.py SOCKET

It listens on the socket until stdin ends.
"""

import asyncio
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../../sdk/python/src"))

from tenon_ipc import ConnectionLost, InvalidMessage, RpcError, Server


def joined(session):
    session.data.update(notes=[], released=set(), waiting={})


def numbers(values):
    if not isinstance(values, list) or not all(type(value) is int for value in values):
        raise RpcError(-32602, "not a list of numbers")
    return values


async def echo(params):
    return params


async def subtract(params):
    if isinstance(params, dict):
        params = [params.get("minuend"), params.get("subtrahend")]
    first, second = numbers(params)
    return first - second


async def add(params):
    return sum(numbers(params))


async def get_data(params):
    return ["tenon", 7]


async def fail(params):
    raise RpcError(params["code"], params["message"], params.get("data"))


async def crash(params):
    raise AssertionError("as asked")


async def hold(params, session):
    (key,) = params
    if key not in session.data["released"]:
        await session.data["waiting"].setdefault(key, asyncio.Event()).wait()
    return key


async def notes(params, session):
    return list(session.data["notes"])


async def ask(params, session):
    method, given = params
    try:
        return {"result": await session.request(method, given)}
    except RpcError as error:
        return {"error": error.code}
    except (ConnectionLost, InvalidMessage):
        return {"broken": True}


async def tell(params, session):
    session.notify(params[0], params[1] if len(params) > 1 else None)


def heard(session, method, params):
    if method == "note":
        session.data["notes"].append(params)
    elif method == "release":
        (key,) = params
        session.data["released"].add(key)
        if key in session.data["waiting"]:
            session.data["waiting"][key].set()
    elif method == "crash":
        raise AssertionError("as asked")


METHODS = {
    "echo": echo,
    "subtract": subtract,
    "sum": add,
    "get_data": get_data,
    "fail": fail,
    "crash": crash,
    "hold": hold,
    "notes": notes,
    "ask": ask,
    "tell": tell,
}


def ignore(error):
    """Crashes are part of the exchanges."""


async def main(path):
    server = Server(path, METHODS, on_connect=joined, on_notification=heard, on_error=ignore)
    async with server:
        await asyncio.to_thread(sys.stdin.read)


asyncio.run(main(sys.argv[1]))
