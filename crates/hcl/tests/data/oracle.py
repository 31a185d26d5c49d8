"""Writes what Terraform makes of the expressions into the files in cases/, after each `=>`.

    python3 crates/hcl/tests/data/oracle.py path/to/terraform [file of cases]...

Needs no network and no `terraform init`: each expression is the input of a `terraform_data` of its
own, and the plan's file says what it comes to, with type, refinements and sensitive paths, which
the JSON form of a plan leaves out. Terraform stops at errors, so it is run until none are left,
each time without the expressions that have failed. Expressions in differences.txt keep our value;
Terraform's stands in the line below.
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

from plan_file import planned

HERE = pathlib.Path(__file__).parent
# Characters that editors and git would change or hide, as they are written in the files of cases.
PICTURES = {"␍": "\r", "␉": "\t", "␀": "\0", "␠": " "}


def main(terraform, *files):
    # It is run in another folder.
    found = shutil.which(terraform) or sys.exit(f"there is no program {terraform}")
    terraform = pathlib.Path(found).absolute()
    files = [pathlib.Path(file) for file in files] or sorted(HERE.glob("cases/*.txt"))
    texts = {file: file.read_text().split("\n") for file in files}
    places, expressions = [], []
    for file, lines in texts.items():
        for first, answer in blocks(lines):
            places.append((file, answer))
            text = "\n".join(lines[first:answer])
            for picture, character in PICTURES.items():
                text = text.replace(picture, character)
            expressions.append(text)
    for (file, line), answer in zip(places, evaluate(terraform, expressions)):
        lines = texts[file]
        if file.name == "differences.txt":
            line, answer = line + 1, "terraform " + answer
        lines[line] = answer
    for file, lines in texts.items():
        file.write_text("\n".join(lines))


def blocks(lines):
    """The first line of each expression, and the line of its `=>`."""
    first = None
    for at, line in enumerate(lines):
        if first is None and line and not line.startswith(("#", "terraform =>", "because ")):
            first = at
        if first is not None and line.startswith("=>"):
            yield first, at
            first = None


def evaluate(terraform, expressions):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "variables.tf").write_text((HERE / "variables.tf").read_text())
        for number, expression in enumerate(expressions):
            text = f'resource "terraform_data" "case_{number}" {{\n  input = {expression}\n}}\n'
            (folder / f"case_{number}.tf").write_bytes(text.encode())
        errors = {}
        while found := plan(terraform, folder):
            for file, summary in found.items():
                errors[int(re.fullmatch(r"case_(\d+)\.tf", file)[1])] = summary
                (folder / file).unlink()
        with zipfile.ZipFile(folder / "plan") as archive:
            values = dict(planned(archive.read("tfplan")))
    return [
        f"=> error: {errors[number]}" if number in errors else f"=> {values[f'case_{number}']}"
        for number in range(len(expressions))
    ]


def plan(terraform, folder):
    """The files with errors in them, each with the first error."""
    command = [str(terraform), "plan", "-json", "-out=plan", "-input=false"]
    output = subprocess.run(command, cwd=folder, capture_output=True, text=True).stdout
    errors = {}
    for line in output.splitlines():
        diagnostic = json.loads(line).get("diagnostic", {"severity": "none"})
        # An infinite number cannot be shown, but it is in the plan's file.
        if diagnostic["severity"] == "error" and "infinity" not in diagnostic["summary"]:
            file = diagnostic.get("range", {"filename": "none"})["filename"]
            if not file.startswith("case_"):
                sys.exit(f"an error of no expression: {diagnostic}")
            errors.setdefault(file, diagnostic["summary"])
    return errors


if __name__ == "__main__":
    main(*sys.argv[1:])
