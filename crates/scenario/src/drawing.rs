//! Plans as pictures: what depends on what.

use std::fmt::Write;

use crate::graph::NodeId;
use crate::plan::Plan;

impl Plan {
    /// For Graphviz.
    pub fn to_dot(&self) -> String {
        let mut text = String::from("digraph scenario {\n  rankdir = LR;\n  node [shape = box];\n");
        for (id, node) in self.graph.actions() {
            let name = quoted(&node.address);
            let _infallible = writeln!(text, "  {name};");
            for before in self.graph.actions_before(id) {
                let before = quoted(self.graph.address(before));
                let _infallible = writeln!(text, "  {before} -> {name};");
            }
        }
        text.push_str("}\n");
        text
    }

    /// For Markdown.
    pub fn to_mermaid(&self) -> String {
        let mut text = String::from("flowchart LR\n");
        let number = |id: NodeId| format!("n{}", id.0);
        for (id, node) in self.graph.actions() {
            // Mermaid has entities instead of escapes.
            let label = node.address.replace('"', "#quot;");
            let _infallible = writeln!(text, "  {}[\"{label}\"]", number(id));
            for before in self.graph.actions_before(id) {
                let _infallible = writeln!(text, "  {} --> {}", number(before), number(id));
            }
        }
        text
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
