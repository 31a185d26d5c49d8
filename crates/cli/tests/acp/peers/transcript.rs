//! What a client of another SDK has sent and received.

use serde_json::Value;

/// The lines that `client.mjs` and `client.py` print.
pub(crate) struct Transcript(Vec<Value>);

impl Transcript {
    pub(crate) fn read(printed: &str) -> Transcript {
        let lines = printed.lines();
        let parsed = lines.map(|line| serde_json::from_str(line).expect("a line of JSON"));
        Transcript(parsed.collect())
    }

    /// The messages to one side, in order.
    fn messages(&self, to: &str) -> impl Iterator<Item = &Value> {
        let there = self.0.iter().filter(move |line| line["to"] == to);
        there.map(|line| &line["message"])
    }

    /// The messages to one side without what differs from run to run: ids, and the name of the session.
    pub(crate) fn comparable(&self, to: &str) -> Vec<Value> {
        let session = self.answer("session/new")["result"]["sessionId"].clone();
        let session = session.as_str().expect("the id of a session");
        let messages = self.messages(to).cloned().map(|mut message| {
            message.as_object_mut().expect("an object").remove("id");
            let text = message.to_string().replace(session, "SESSION");
            serde_json::from_str(&text).expect("JSON")
        });
        messages.collect()
    }

    /// The answers to the calls of a method that the client has made.
    pub(crate) fn answers(&self, method: &str) -> Vec<&Value> {
        let calls = self
            .messages("agent")
            .filter(|message| message["method"] == method);
        let answer = |call: &Value| {
            let id = call["id"].clone();
            self.messages("client")
                .find(|message| message["id"] == id && message.get("method").is_none())
                .unwrap_or_else(|| panic!("no answer to {call}"))
        };
        calls.map(answer).collect()
    }

    /// The answer to the only call of a method.
    pub(crate) fn answer(&self, method: &str) -> &Value {
        let answers = self.answers(method);
        assert_eq!(answers.len(), 1, "{method}: {answers:?}");
        answers[0]
    }

    /// Why the turns have ended.
    pub(crate) fn stop_reasons(&self) -> Vec<&str> {
        let answers = self.answers("session/prompt").into_iter();
        answers
            .map(|answer| {
                let reason = &answer["result"]["stopReason"];
                reason.as_str().unwrap_or_else(|| panic!("{answer}"))
            })
            .collect()
    }

    /// The methods that the agent has called, in order.
    pub(crate) fn agent_calls(&self) -> Vec<&str> {
        let calls = self
            .messages("client")
            .filter(|message| message.get("id").is_some());
        calls
            .filter_map(|message| message["method"].as_str())
            .collect()
    }

    /// The updates of a kind, in order.
    pub(crate) fn updates(&self, kind: &str) -> Vec<&Value> {
        let updates = self
            .messages("client")
            .filter(|message| message["method"] == "session/update");
        updates
            .map(|message| &message["params"]["update"])
            .filter(|update| update["sessionUpdate"] == kind)
            .collect()
    }

    /// What the agent has said.
    pub(crate) fn text(&self) -> String {
        let chunks = self.updates("agent_message_chunk").into_iter();
        chunks
            .filter_map(|chunk| chunk["content"]["text"].as_str())
            .collect()
    }

    /// The last status of a call of a tool.
    pub(crate) fn status(&self, tool_call: &str) -> Option<&str> {
        let updates = self.updates("tool_call_update");
        let own = updates
            .into_iter()
            .filter(|update| update["toolCallId"] == tool_call);
        own.filter_map(|update| update["status"].as_str())
            .next_back()
    }

    /// How the agent has ended.
    pub(crate) fn exit(&self) -> &Value {
        &self.0.last().expect("a line")["exit"]
    }

    /// Whether it has ended when its input did.
    pub(crate) fn ended_by_itself(&self) -> bool {
        !self.0.iter().any(|line| line.get("ignored").is_some())
    }
}
