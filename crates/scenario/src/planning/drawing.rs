//! Graphs as pictures: what depends on what.

use std::fmt::Write;

use crate::planning::graph::{Graph, NodeId};

/// For Graphviz.
pub(crate) fn dot(graph: &Graph) -> String {
    let mut text = String::from("digraph scenario {\n  rankdir = LR;\n  node [shape = box];\n");
    for (id, node) in graph.actions() {
        let name = quoted(&node.address);
        let _infallible = writeln!(text, "  {name};");
        for before in graph.actions_before(id) {
            let before = quoted(graph.address(before));
            let _infallible = writeln!(text, "  {before} -> {name};");
        }
    }
    text.push_str("}\n");
    text
}

/// For Markdown.
pub(crate) fn mermaid(graph: &Graph) -> String {
    let mut text = String::from("flowchart LR\n");
    let number = |id: NodeId| format!("n{}", id.0);
    for (id, node) in graph.actions() {
        let label = mermaid_label(&node.address);
        let _infallible = writeln!(text, "  {}[\"{label}\"]", number(id));
        for before in graph.actions_before(id) {
            let _infallible = writeln!(text, "  {} --> {}", number(before), number(id));
        }
    }
    text
}

/// A text in quotes for Graphviz.
fn quoted(text: &str) -> String {
    let text = tenon_text::line(text);
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// A label for Mermaid, which has entities instead of escapes. Everything that means something to
/// it, to HTML or to Markdown is one: a name must not become an element, a directive (`%%{`) or the
/// end of the diagram.
fn mermaid_label(text: &str) -> String {
    let mut label = String::with_capacity(text.len());
    for character in tenon_text::line(text).chars() {
        match character {
            '"' => label.push_str("#quot;"),
            '.' | '_' | '-' | '[' | ']' | ' ' | '/' | ':' | ',' | '@' => label.push(character),
            other if other.is_alphanumeric() || !other.is_ascii() => label.push(other),
            other => {
                let _infallible = write!(label, "#{};", u32::from(other));
            }
        }
    }
    label
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_is_nothing_but_text() {
        assert_eq!(
            mermaid_label("action.put.a[\"k-1\"]"),
            "action.put.a[#quot;k-1#quot;]"
        );
        assert_eq!(
            mermaid_label("<img onerror=x>&#lt;`;"),
            "#60;img onerror#61;x#62;#38;#35;lt#59;#96;#59;"
        );
        assert_eq!(
            mermaid_label("%%{init: {}}%%\nclick a"),
            "#37;#37;#123;init: #123;#125;#125;#37;#37;#92;nclick a"
        );
    }

    #[test]
    fn a_name_in_quotes_stays_in_them() {
        assert_eq!(quoted("a\"];\n\\\u{202e}"), r#""a\"];\\n\\\\u{202e}""#);
    }
}
