"""The service with our SDK, for every host."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../sdk/python/src"))

from tenon_plugin import Attributes, Plugin

plugin = Plugin("bench", "1.0.0")


class Echo(Attributes):
    a: int
    b: int
    s: str


@plugin.function
def echo(a: int, b: int, s: str) -> Echo:
    """Sends back what it got."""
    return Echo(a=a, b=b, s=s)


if __name__ == "__main__":
    plugin.serve()
