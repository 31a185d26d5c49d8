//! Where text from outside is printed.

/// One way to the terminal.
pub(crate) struct Path {
    pub(crate) name: &'static str,
    /// A line of shell to run before it.
    pub(crate) before: Option<&'static str>,
    /// A line of shell, whose whole output is looked at.
    pub(crate) line: &'static str,
    pub(crate) pipe: Pipe,
    /// What it prints becomes part of a web page.
    pub(crate) has_no_markup: bool,
}

/// What a program gets that reads the output.
#[derive(Clone, Copy)]
pub(crate) enum Pipe {
    /// The same as a person.
    Escaped,
    /// Every byte as it came.
    Exact,
}

const fn path(name: &'static str, line: &'static str) -> Path {
    Path {
        name,
        before: None,
        line,
        pipe: Pipe::Escaped,
        has_no_markup: false,
    }
}

const fn graph(name: &'static str, line: &'static str) -> Path {
    Path {
        has_no_markup: true,
        ..path(name, line)
    }
}

const fn after(before: &'static str, name: &'static str, line: &'static str) -> Path {
    Path {
        before: Some(before),
        ..path(name, line)
    }
}

pub(crate) const PATHS: &[Path] = &[
    path("plan", "tenon plan works.hcl"),
    path("plan --json", "tenon plan works.hcl --json"),
    path("plan --graph dot", "tenon plan works.hcl --graph dot"),
    graph(
        "plan --graph mermaid",
        "tenon plan works.hcl --graph mermaid",
    ),
    path("run", "tenon run works.hcl --verbose"),
    path("run --json", "tenon run works.hcl --json"),
    path("run that fails", "tenon run fails.hcl --verbose"),
    path("run that fails, --json", "tenon run fails.hcl --json"),
    path("run with a provider that dies", "tenon run dies.hcl"),
    path("run with a provider that prints", "tenon run prints.hcl"),
    // Its elements say where a text ends, not its lines.
    path(
        "a report for CI",
        "tenon run fails.hcl --junit report.xml >log 2>&1; tr '\\n' ' ' <report.xml",
    ),
    after(
        "tenon run works.hcl",
        "teardown",
        "tenon teardown orchard_*.json --verbose",
    ),
    after(
        "printf '#!/bin/sh\\ncat hostile.txt >&2\\nexit 1\\n' >broken-plugin; chmod +x broken-plugin",
        "dev",
        "tenon dev --once --name a -- ./broken-plugin",
    ),
    after(
        "printf '#!/bin/sh\\ncat hostile.txt >&2\\nexit 1\\n' >broken-plugin; chmod +x broken-plugin",
        "dev --json",
        "tenon dev --once --json --name a -- ./broken-plugin",
    ),
    path("new", "tenon new \"$(cat hostile.txt)\""),
    path("list", "tenon list listed"),
    path("list --json", "tenon list listed --json"),
    path("a file that is wrong", "tenon plan comment.hcl"),
    path(
        "the name of a file that is wrong, --json",
        "tenon list broken --json",
    ),
    path("the name of a file that is wrong", "tenon list broken"),
    path(
        "a file that does not exist",
        "tenon plan \"$(cat hostile.txt)\"",
    ),
    path("an argument", "tenon plan a.hcl --\"$(cat hostile.txt)\""),
    path(
        "a program that does not exist",
        "tenon call a -- \"$(cat hostile.txt)\"",
    ),
    Path {
        pipe: Pipe::Exact,
        ..path("call", "tenon call a -- python3 hostile.py peer")
    },
    path(
        "call --json",
        "tenon call a --json -- python3 hostile.py peer",
    ),
    path(
        "call --verbose",
        "tenon call a -v -- python3 hostile.py peer 2>&1 >log",
    ),
    path(
        "call --trace",
        "tenon call a --trace -- python3 hostile.py peer 2>&1 >log",
    ),
    path(
        "call that fails",
        "tenon call error -- python3 hostile.py peer",
    ),
    path(
        "call that fails, --json",
        "tenon call error --json -- python3 hostile.py peer",
    ),
    path(
        "call of a plugin that prints",
        "tenon call prints -- python3 hostile.py peer",
    ),
    path(
        "events and requests",
        "tenon call tells -- python3 hostile.py peer 2>&1 >log",
    ),
    path(
        "events and requests, --json",
        "tenon call tells --json -- python3 hostile.py peer",
    ),
    path(
        "call --list",
        "tenon call --list --protocol mcp -- python3 hostile.py mcp",
    ),
    path(
        "call --list --json",
        "tenon call --list --json --protocol mcp -- python3 hostile.py mcp",
    ),
    path(
        "call --list of a provider",
        "tenon call --list --protocol orchard -- python3 hostile.py provider works",
    ),
    path(
        "a conversation",
        "printf 'x = a\\n:vars\\nerror\\ntells &\\n' | tenon call --repl -- python3 hostile.py peer 2>&1 >log",
    ),
];

/// A scenario with what a provider and a file can say.
pub(crate) fn scenario(role: &str) -> String {
    format!(
        r#"scenario "{role}" {{
  required_providers {{
    hostile = {{ source = "exec:./{role}" }}
  }}
  action "act" "first" {{
    for_each = toset([file("hostile.txt")])
    lifecycle {{
      teardown {{
        text = self.text
      }}
    }}
  }}
  output "text" {{
    value = [for one in action.act.first : one.text]

    assert {{
      condition = length(self.value) == 0
      message   = file("hostile.txt")
    }}
  }}
  output "first" {{
    value = values(action.act.first)[0].text
  }}
}}
"#
    )
}
