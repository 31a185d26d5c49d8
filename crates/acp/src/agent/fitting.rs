//! Updates that are not larger than the protocol allows. Clients may drop larger ones, and with them the end of a tool call.

use serde::Serialize;
use tenon_protocols::acp::{
    ContentBlock, ContentItem, Location, Raw, SessionUpdate, ToolContent, method,
};

/// Room for the name of the session and the kind of the update.
const ENVELOPE: usize = 1024;

/// How much of each part of a tool call is kept: less and less, until all of it fits.
const KEPT: [usize; 4] = [48 * 1024, 16 * 1024, 4 * 1024, 1024];

/// How many parts and files are kept if the call does not fit with short ones.
const PARTS: usize = 16;

/// The length of the longest prefix that fits in `limit` bytes of JSON, where a character may take six.
pub(super) fn end_within(text: &str, limit: usize) -> usize {
    let mut taken = 0;
    for (at, letter) in text.char_indices() {
        taken += match letter {
            '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
            '\0'..='\u{1f}' => 6,
            other => other.len_utf8(),
        };
        if taken > limit {
            return at;
        }
    }
    text.len()
}

/// The update with shorter output, if it is too large. Everything else, such as its status, stays.
pub(super) fn fit(mut update: SessionUpdate) -> SessionUpdate {
    let limit = method("session/update").and_then(|entry| entry.size);
    let limit = limit.unwrap_or(usize::MAX) - ENVELOPE;
    for kept in KEPT {
        let Some(parts) = parts(&mut update) else {
            return update;
        };
        if parts.size() <= limit {
            return update;
        }
        parts.shorten(kept);
    }
    if let Some(parts) = parts(&mut update)
        && parts.size() > limit
    {
        parts.thin_out();
    }
    update
}

/// What may be long in a tool call.
struct Parts<'a> {
    title: Option<&'a mut String>,
    content: Option<&'a mut Vec<ToolContent>>,
    locations: Option<&'a mut Vec<Location>>,
    raw: [Option<&'a mut Raw>; 2],
}

fn parts(update: &mut SessionUpdate) -> Option<Parts<'_>> {
    Some(match update {
        SessionUpdate::ToolCall(call) => Parts {
            title: Some(&mut call.title),
            content: call.content.as_mut(),
            locations: call.locations.as_mut(),
            raw: [call.raw_input.as_mut(), call.raw_output.as_mut()],
        },
        SessionUpdate::ToolCallUpdate(call) => Parts {
            title: call.title.as_mut(),
            content: call.content.as_mut(),
            locations: call.locations.as_mut(),
            raw: [call.raw_input.as_mut(), call.raw_output.as_mut()],
        },
        _ => return None,
    })
}

impl Parts<'_> {
    fn size(&self) -> usize {
        let raw = self.raw.iter().flatten().map(|raw| raw.text().len());
        size(&self.title) + size(&self.content) + size(&self.locations) + raw.sum::<usize>()
    }

    fn shorten(self, kept: usize) {
        if let Some(title) = self.title {
            cut(title, kept);
        }
        for part in self.content.into_iter().flatten() {
            shorten(part, kept);
        }
        for raw in self.raw.into_iter().flatten() {
            if raw.text().len() > kept {
                let mut text = raw.text().to_owned();
                cut(&mut text, kept);
                // A text can always be written as JSON.
                if let Ok(shorter) = Raw::of(&text) {
                    *raw = shorter;
                }
            }
        }
    }

    fn thin_out(self) {
        if let Some(content) = self.content
            && content.len() > PARTS
        {
            let left = content.len() - PARTS;
            content.truncate(PARTS);
            content.push(text(format!("... ({left} more parts)")));
        }
        if let Some(locations) = self.locations {
            locations.truncate(PARTS);
        }
    }
}

fn shorten(part: &mut ToolContent, kept: usize) {
    if size(part) <= kept {
        return;
    }
    if let ToolContent::Content(item) = part
        && let ContentBlock::Text(content) = &mut item.content
    {
        return cut(&mut content.text, kept);
    }
    // Half of a diff or of an image would be another one.
    let what = match part {
        ToolContent::Diff(diff) => format!("The change of {}", diff.path),
        _ => "This output".to_owned(),
    };
    *part = text(format!("{what} is too large to be shown."));
}

/// Keeps the beginning of a text, and says how much is missing.
fn cut(text: &mut String, kept: usize) {
    let end = end_within(text, kept);
    if end < text.len() {
        let left = text.len() - end;
        text.truncate(end);
        *text += &format!("\n... ({left} more bytes)");
    }
}

fn text(text: String) -> ToolContent {
    ToolContent::Content(ContentItem::new(ContentBlock::text(text)))
}

fn size(value: &impl Serialize) -> usize {
    serde_json::to_vec(value).map_or(0, |json| json.len())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    const LIMIT: usize = 100 * 1024;

    fn fitted(update: Value) -> Value {
        let update = serde_json::from_value(update).unwrap();
        let update = serde_json::to_value(fit(update)).unwrap();
        assert!(update.to_string().len() < LIMIT - 512);
        update
    }

    fn output(content: &[Value]) -> Value {
        json!({ "sessionUpdate": "tool_call_update", "toolCallId": "t", "status": "completed", "content": content })
    }

    fn of_text(text: &str) -> Value {
        json!({ "type": "content", "content": { "type": "text", "text": text } })
    }

    #[test]
    fn small_updates_stay_as_they_are() {
        let update = output(&[
            of_text(&"x".repeat(90_000)),
            json!({ "type": "diff", "path": "/a", "newText": "b" }),
        ]);
        assert_eq!(fitted(update.clone()), update);
        let chunk = json!({ "sessionUpdate": "agent_message_chunk", "content": { "type": "text", "text": "x" } });
        assert_eq!(fitted(chunk.clone()), chunk);
    }

    #[test]
    fn large_output_is_cut_and_the_status_stays() {
        // Each of these characters has six bytes in JSON.
        let update = fitted(output(&[of_text(&"\u{1}".repeat(65_000))]));
        assert_eq!(update["status"], "completed");
        let text = update["content"][0]["content"]["text"].as_str().unwrap();
        assert!(
            text.starts_with("\u{1}\u{1}") && text.ends_with("... (56808 more bytes)"),
            "{}",
            text.len()
        );
        let diff = json!({ "type": "diff", "path": "/w/a", "newText": "x".repeat(200_000) });
        let update = fitted(output(&[of_text("kept"), diff]));
        assert_eq!(update["content"][0], of_text("kept"));
        assert_eq!(
            update["content"][1],
            of_text("The change of /w/a is too large to be shown.")
        );
        let mut raw = output(&[]);
        raw["rawOutput"] = json!({ "lines": vec!["\"quoted\""; 20_000] });
        let raw = fitted(raw)["rawOutput"].as_str().unwrap().to_owned();
        assert!(raw.starts_with(r#"{"lines":["\"quoted"#), "{}", &raw[..40]);
        let many: Vec<Value> = (0..500).map(|_| of_text(&"x".repeat(2000))).collect();
        let update = fitted(output(&many));
        assert_eq!(update["content"].as_array().unwrap().len(), PARTS + 1);
        let new = json!({ "sessionUpdate": "tool_call", "toolCallId": "t", "title": "x".repeat(200_000) });
        assert!(
            fitted(new)["title"]
                .as_str()
                .unwrap()
                .ends_with("more bytes)")
        );
    }

    #[test]
    fn lengths_are_those_of_json() {
        for text in ["plain", "\u{1}\"\\\n\u{7f}", "äöü€🚀", "\0\u{1f}\u{8}"] {
            let length = serde_json::to_string(text).unwrap().len() - 2;
            assert_eq!(end_within(text, length), text.len(), "{text:?}");
            assert!(end_within(text, length - 1) < text.len(), "{text:?}");
        }
    }
}
