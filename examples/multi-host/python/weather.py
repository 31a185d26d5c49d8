#!/usr/bin/env python3
"""A plugin for every host. What it does is written in ../README.md."""

from __future__ import annotations

import json
import os
import sys
from typing import Annotated

# Where the SDK is in this repository. A plugin of your own has `tenon_plugin` installed, or beside it.
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../sdk/python/src"))

from tenon_plugin import (
    Attributes,
    Change,
    Context,
    Created,
    Existing,
    Failure,
    Found,
    Plugin,
    Secret,
    Verdict,
    attribute,
    stable,
)

AVERAGES = {"Lisbon": 21, "Nairobi": 24, "Oslo": 4}
SKIES = ["clear", "clouds", "rain"]

plugin = Plugin("weather", "1.0.0")


@plugin.configure
def configure(folder: str = "stations") -> str:
    """
    Args:
        folder: Where the stations are, as one file each.
    """
    return folder


def average_of(city: str) -> int:
    if city not in AVERAGES:
        raise Failure(f'unknown city "{city}"; known cities are Lisbon, Nairobi and Oslo', path="city")
    return AVERAGES[city]


class Day(Attributes):
    day: int
    high: int
    sky: str


class Forecast(Attributes):
    city: str
    days: list[Day]


@plugin.function
def forecast(city: str, days: int = 1) -> Forecast:
    """The weather of the next days in a city.

    Args:
        city: Lisbon, Nairobi or Oslo.
        days: How many days, from 1 to 7.
    """
    average = average_of(city)
    if not 1 <= days <= 7:
        raise Failure(f"days must be from 1 to 7, not {days}", path="days")
    weather = [
        Day(day=day, high=average + day % 3, sky=SKIES[(average + day) % 3])
        for day in range(1, days + 1)
    ]
    return Forecast(city=city, days=weather)


class Climate(Attributes):
    average: int
    is_cold: bool


@plugin.function
def outlook(city: str | None = None) -> Climate | None:
    """What a city is like, and null for no city.

    Args:
        city: Lisbon, Nairobi or Oslo.
    """
    return None if city is None else climate(city)


class Published(Attributes):
    file: str
    lines: int


@plugin.action(idempotent=True)
def publish(city: str, file: str, context: Context, days: int = 1) -> Published:
    """Writes a forecast into a file.

    Args:
        city: Lisbon, Nairobi or Oslo.
        days: How many days, from 1 to 7.
        file: The file that is written.
    """
    weather = forecast(city, days).days
    lines = []
    for one in weather:
        context.progress(f"day {one.day} of {days}")
        lines.append(f"day {one.day}: {one.high} C, {one.sky}\n")
    try:
        with open(file, "w", encoding="utf-8") as written:
            written.writelines(lines)
    except OSError as error:
        raise Failure(f"cannot write {file}: {error.strerror}", path="file") from error
    return Published(file=file, lines=len(lines))


@plugin.resource("station")
class Station:
    """A weather station."""

    class Props(Attributes):
        name: str = attribute("Lower-case letters, digits and hyphens.", replaces=True)
        city: str = attribute("Lisbon, Nairobi or Oslo.")
        elevation: int = attribute("In metres.", default=0)

    class State(Attributes):
        label: str = attribute("For people.")
        key: Annotated[Secret[str], stable] = attribute("The station signs its readings with it.")

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def file(self, name: str) -> str:
        return os.path.join(self.folder, f"{name}.json")

    def state(self, props: Props) -> State:
        label = f"{props.name} ({props.city}, {props.elevation} m)"
        return self.State(label=label, key=Secret(f"key-{props.name}"))

    def write(self, props: Props, mode: str) -> State:
        name = props.name
        if not name or name.strip("abcdefghijklmnopqrstuvwxyz0123456789-"):
            raise Failure(f'invalid name "{name}"; use lower-case letters, digits and hyphens', path="name")
        average_of(props.city)
        os.makedirs(self.folder, exist_ok=True)
        try:
            with open(self.file(name), mode, encoding="utf-8") as file:
                json.dump({"city": props.city, "elevation": props.elevation}, file)
        except FileExistsError:
            raise Failure(f'there is a station "{name}" already', path="name") from None
        return self.state(props)

    def create(self, props: Props) -> Created[State]:
        return Created(props.name, self.write(props, "x"))

    def read(self, id: str, props: Props | None) -> Found[Props, State] | None:
        try:
            with open(self.file(id), encoding="utf-8") as file:
                stored = json.load(file)
        except FileNotFoundError:
            if props is None:
                # It is being imported.
                raise Failure(f"unknown station `{id}`") from None
            return None
        found = self.Props(name=id, city=stored["city"], elevation=stored["elevation"])
        return Found(found, self.state(found))

    def update(self, existing: Existing[Props, State], props: Props) -> State:
        return self.write(props, "w")

    def delete(self, existing: Existing[Props, State]) -> None:
        try:
            os.remove(self.file(existing.id))
        except FileNotFoundError:
            pass


@plugin.data_source
def climate(city: str) -> Climate:
    """What a city is like.

    Args:
        city: Lisbon, Nairobi or Oslo.
    """
    average = average_of(city)
    return Climate(average=average, is_cold=average < 10)


@plugin.post_plan
def warn_about_lost_readings(change: Change) -> Verdict | None:
    if change.resource_type == "weather_station" and change.action in ("Delete", "Replace"):
        return Verdict.warn(f"{change.address} is deleted, and its readings are lost")
    return None


if __name__ == "__main__":
    plugin.serve()
