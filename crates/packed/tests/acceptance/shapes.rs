//! A second plan is empty, whatever the values.

use crate::workspace::{Workspace, trial};

/// Values for an attribute of the type `any`. The plugin sends back what it gets without its type.
pub(crate) const PLAIN: [&str; 40] = [
    "null",
    "true",
    "false",
    "0",
    "1",
    "-1",
    "0.5",
    "0.1",
    "-1.25e-7",
    "9223372036854775807",
    "18446744073709551615",
    "1e100",
    "\"\"",
    "\"text\"",
    "\"0.1\"",
    "\"null\"",
    "\"line\\nbreak \\\"quoted\\\" \\\\ $${x}\"",
    "\"\\u00e9 e\\u0301 \\U0001F600\"",
    "join(\"\", [for i in range(1000) : \"long\"])",
    "[]",
    "{}",
    "[1]",
    "[1, \"a\", true, null]",
    "[\"string\", 1]",
    "[[], [[]], [{}]]",
    "{ a = 1 }",
    "{ a = null }",
    "{ \"\" = 1, \"a b\" = 2 }",
    "{ a = { b = { c = [1, { d = 0.1 }] } } }",
    "tolist([])",
    "tolist([\"b\", \"a\", \"b\"])",
    "toset([])",
    "toset([\"b\", \"a\", \"b\"])",
    "toset([3, 2.5, 1])",
    "tomap({})",
    "tomap({ b = 1, a = 0.1 })",
    "tolist([{ a = 1, b = null }])",
    "tomap({ x = [1, 2], y = [3] })",
    "{ list = tolist([1]), set = toset([true]), map = tomap({ k = \"v\" }) }",
    "toset([{ a = 1 }, { a = 2 }])",
];

/// Values for other attributes.
const TYPED: [&str; 48] = [
    "n = 0",
    "n = 0.1",
    "n = 1 / 3",
    "n = 0.1 + 0.2",
    "n = -5",
    "n = 1e-300",
    "n = 9223372036854775808",
    "n = 18446744073709551616",
    "n = 123456789012345678901234567890.123",
    "n = \"7\"",
    "s = \"\"",
    "s = 0.1",
    "s = \"e\\u0301\"",
    "s = true",
    "l = []",
    "l = [\"a\", null, \"a\"]",
    "l = toset([\"b\", \"a\"])",
    "st = []",
    "st = [3, 1, 1, 0.1]",
    "m = {}",
    "m = { a = true, b = null }",
    "o = { a = \"x\" }",
    "o = { a = null, b = 0.1 }",
    "lo = []",
    "lo = [{ a = \"x\" }, { a = \"y\", b = [1, 2] }]",
    "t = [\"x\", true]",
    "kept = 18446744073709551616",
    "kept = 1 / 3",
    "kept = [0.1, tolist([1]), null]",
    "list {}",
    "list { a = \"x\" }\n  list { x = [1] }\n  list { x = { k = tolist([1]) } }",
    "set {}",
    "set { a = \"x\" }\n  set { a = \"x\" }\n  set { d = 8 }",
    "set { a = \"x\" }\n  set {\n    a = \"x\"\n    d = 8\n  }",
    "set { a = \"x\" }\n  set {\n    a = \"x\"\n    d = 3\n  }",
    "set {\n    a = \"x\"\n    d = 3\n  }\n  set {\n    a = \"x\"\n    d = 8\n  }",
    "items { a = \"x\" }\n  items {\n    a = \"x\"\n    d = 8\n  }",
    "items { a = \"x\" }\n  items {\n    a = \"x\"\n    d = 3\n  }",
    "items { a = \"x\" }\n  items {\n    a = \"x\"\n    o = \"given\"\n  }",
    "items { a = \"x\" }\n  items {\n    a = \"x\"\n    d = 8\n    o = \"given\"\n  }",
    "items {\n    part { a = \"p\" }\n  }\n  items {\n    part { a = \"q\" }\n  }",
    "items {\n    part { a = \"p\" }\n    part {\n      a = \"p\"\n      d = 8\n    }\n  }\n  items {\n    d = 3\n    part { a = \"p\" }\n  }",
    "items {\n    part {\n      a = \"p\"\n      d = 3\n    }\n    part { a = \"p\" }\n  }",
    "map \"k\" { a = \"x\" }\n  map \"l\" {}",
    "single {}",
    "single {\n    a = \"x\"\n    d = 0\n  }",
    "group { a = \"x\" }",
    "secret = \"hunter2\"",
];

pub(crate) fn pack(workspace: &Workspace, options: &str) {
    let plugin = workspace.plugin("puppet.py");
    let options = format!("--env EXAMPLES {options}");
    workspace.pack("puppet", &options, &plugin).succeeds();
}

#[test]
fn a_second_plan_is_empty_for_every_shape_of_value() {
    trial(|workspace| {
        pack(workspace, "");
        has_an_empty_second_plan(workspace);
    });
}

#[test]
fn a_second_plan_of_a_plugin_that_plans_is_empty_for_every_shape_of_value() {
    trial(|workspace| {
        // Packing finds out which methods the plugin has.
        workspace.behave("plan");
        pack(workspace, "");
        has_an_empty_second_plan(workspace);
    });
}

fn has_an_empty_second_plan(workspace: &Workspace) {
    let mut text = String::new();
    for (index, value) in PLAIN.iter().enumerate() {
        let body = format!("name = \"p{index}\"\n  plain = {value}\n  kept = {value}");
        text += &format!("resource \"puppet_thing\" \"p{index}\" {{\n  {body}\n}}\n");
    }
    for (index, body) in TYPED.iter().enumerate() {
        let body = format!("name = \"t{index}\"\n  {body}");
        text += &format!("resource \"puppet_thing\" \"t{index}\" {{\n  {body}\n}}\n");
    }
    workspace.configure("puppet", &text);
    workspace.init();
    workspace.run("validate").succeeds();
    workspace.run("apply -auto-approve").succeeds();
    let again = workspace.run("plan -detailed-exitcode").succeeds();
    again.says("No changes.");
}
