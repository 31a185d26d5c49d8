#!/usr/bin/env python3
"""Asks Terraform what the expressions in functions.txt are, and writes the answers to functions.json,
and the names of all its functions to names.txt.

    python3 functions.py [TERRAFORM...]

TERRAFORM is the command to run, `terraform` if it is not given; the answers that are kept here are of
1.15. Any folder will do to run it in, no network is needed.

A case has the `expression` and either an `error`, the first line of Terraform's message, or a `result`
in JSON and its `type`. `unknown` and `sensitive` list the places in the result that are so, "" for the
whole; what is unknown is null in `result`.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
TERRAFORM = sys.argv[1:] or ["terraform"]
SCOPE = """
resource "terraform_data" "unknown" {}
locals {
  unknown = jsondecode(terraform_data.unknown.id)
}
"""
EXACT = "\ue000"  # Before a number whose digits Python would round.


def terraform(folder, *arguments, given=None):
    environment = {**os.environ, "TF_CLI_CONFIG_FILE": os.devnull, "CHECKPOINT_DISABLE": "1"}
    command = [*TERRAFORM, *arguments]
    pipe = subprocess.PIPE
    done = subprocess.run(command, cwd=folder, env=environment, input=given, stdout=pipe, text=True)
    return done.stdout


def exact(text):
    keep = EXACT.__add__
    return json.loads(text, parse_float=keep, parse_int=keep)


def places(shape, at=""):
    """The paths at which a shape of trues and falses, as `terraform show` has it, is true."""
    if shape is True:
        return [at]
    inside = shape.items() if isinstance(shape, dict) else enumerate(shape) if isinstance(shape, list) else []
    return [place for key, value in inside for place in places(value, f"{at}/{key}")]


def filled(value, shape):
    """The value with null wherever `terraform show` left out what is unknown."""
    if isinstance(shape, dict) and isinstance(value, dict):
        return {key: filled(value.get(key), shape.get(key, False)) for key in sorted({*value, *shape})}
    if isinstance(shape, list) and isinstance(value, list):
        value = value + [None] * (len(shape) - len(value))
        return [filled(*pair) for pair in zip(value, shape + [False] * (len(value) - len(shape)))]
    return value


def console_type(text):
    """A type as `terraform console` prints it, as cty's JSON."""
    tokens = re.findall(r'"[^"]*"|[\w-]+|[()\[\]{},:]', text)

    def read():
        name = tokens.pop(0)
        if name not in ("list", "set", "map", "tuple", "object"):
            return name
        tokens.pop(0)
        if name in ("list", "set", "map"):
            inside = read()
        else:
            end = {"[": "]", "{": "}"}[tokens.pop(0)]
            inside = [] if end == "]" else {}
            while tokens[0] != end:
                if end == "}":
                    key = tokens.pop(0).strip('"')
                    tokens.pop(0)
                    inside[key] = read()
                else:
                    inside.append(read())
                tokens.pop(0)
            tokens.pop(0)
        tokens.pop(0)
        return [name, inside]

    return read()


def output(number, expression):
    """Four lines; as a secret, since outputs that have secrets in them are refused otherwise."""
    return f'output "c{number}" {{\nsensitive = true\nvalue = [{expression}]\n}}\n'


def resource(number, expression):
    """Unlike an output it shows what inside it is unknown or secret."""
    return f'resource "terraform_data" "c{number}" {{\ninput = [{expression}]\n}}\n'


def errors_of(folder, expressions):
    """Terraform's message for each that fails. It stops after the first phase that has failures."""
    failed = {}
    while True:
        left = [expression for expression in expressions if expression not in failed]
        (folder / "cases.tf").write_text("".join(output(*case) for case in enumerate(left)))
        before = len(failed)
        for line in terraform(folder, "plan", "-json").splitlines():
            diagnostic = json.loads(line).get("diagnostic", {})
            if diagnostic.get("severity") == "error":
                case = (diagnostic["range"]["start"]["line"] - 1) // 4
                message = diagnostic["detail"] or diagnostic["summary"]
                failed.setdefault(left[case], message.splitlines()[0])
        if len(failed) == before:
            return failed


def results_of(folder, expressions):
    """The cases of expressions that do not fail."""
    blocks = [output(*case) + resource(*case) for case in enumerate(expressions)]
    (folder / "cases.tf").write_text("".join(blocks))
    terraform(folder, "plan", "-out=plan")
    shown = exact(terraform(folder, "show", "-json", "plan"))
    (folder / "cases.tf").unlink()
    outputs = shown["planned_values"]["outputs"]
    changes = {change["address"]: change["change"] for change in shown["resource_changes"]}
    for number, expression in enumerate(expressions):
        change = changes[f"terraform_data.c{number}"]
        case = {"expression": expression}
        unknown = change["after_unknown"].get("input", False)
        if places(unknown):
            case["result"] = filled(change["after"].get("input", [None]), unknown)[0]
            printed = terraform(folder, "console", "-plan", given=f"type({expression})")
            case["type"] = console_type(printed)
            case["unknown"] = [place.removeprefix("/0") for place in places(unknown)]
        else:
            known = outputs[f"c{number}"]
            case["result"] = known["value"][0]
            case["type"] = known["type"][1][0]
        sensitive = places(change["after_sensitive"].get("input", False))
        if sensitive:
            case["sensitive"] = [place.removeprefix("/0") for place in sensitive]
        yield case


def names():
    """The names of all functions, without those of namespaces."""
    signatures = json.loads(terraform(HERE, "metadata", "functions", "-json"))["function_signatures"]
    return sorted(name for name in signatures if "::" not in name)


def main():
    (HERE / "names.txt").write_text("\n".join(names()) + "\n")
    lines = (HERE / "functions.txt").read_text().splitlines()
    expressions = [line for line in lines if line and not line.startswith("#")]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copytree(HERE / "files", folder, dirs_exist_ok=True)
        (folder / "main.tf").write_text(SCOPE)
        terraform(folder, "init")
        failed = errors_of(folder, expressions)
        left = [expression for expression in expressions if expression not in failed]
        cases = {case["expression"]: case for case in results_of(folder, left)}
    cases |= {expression: {"expression": expression, "error": failed[expression]} for expression in failed}
    cases = [cases[expression] for expression in expressions]
    text = "[\n" + ",\n".join(json.dumps(case, ensure_ascii=False) for case in cases) + "\n]\n"
    (HERE / "functions.json").write_text(re.sub(f'"{EXACT}([^"]*)"', r"\1", text))


main()
