//! `tenon acp`: a conversation with our own agent through the guard.

use crate::program::{Place, tenon};

const POLICY: &str = "default = \"ask\"\r\n\r\nrule \"secrets\" {\r\n  action = \"deny\"\r\n  path   = [\"**/.env\"]\r\n}\r\n\
                      rule \"push\" {\r\n  action  = \"deny\"\r\n  command = [\"git push*\"]\r\n}\r\n";

#[test]
fn an_agent_works_behind_the_guard() {
    let place = Place::new();
    place.write("policy.hcl", POLICY);
    let chat = place.tenon([
        "acp",
        "chat",
        "--prompt",
        "/init",
        "--allow",
        "edit",
        "--",
        &tenon(),
        "acp",
        "guard",
        "--policy",
        "policy.hcl",
        "--record",
        "session.jsonl",
        "--",
        &tenon(),
        "acp",
        "agent",
        "--no-store",
    ]);
    assert_eq!(chat.code, Some(0), "{chat:?}");
    assert!(
        place.read("scenarios/hello.hcl").contains("cmd"),
        "{chat:?}"
    );
    let verified = place.tenon(["acp", "verify", "session.jsonl"]);
    assert_eq!(verified.code, Some(0), "{verified:?}");
    let record = place
        .read("session.jsonl")
        .replacen("hello.hcl", "other.hcl", 1);
    place.write("session.jsonl", &record);
    place.tenon(["acp", "verify", "session.jsonl"]).failed(1);
}

#[test]
fn a_policy_knows_the_spellings_of_windows() {
    let place = Place::new();
    place.write("policy.hcl", POLICY);
    place
        .tenon(["acp", "policy", "check", "policy.hcl"])
        .printed();
    for call in [
        r#"{"kind":"read","locations":[{"path":"SRC\\..\\.ENV"}]}"#,
        r#"{"kind":"read","locations":[{"path":".env::$DATA"}]}"#,
        r#"{"kind":"execute","rawInput":{"command":"C:\\Git\\GIT.exe -C x push"}}"#,
        r#"{"kind":"execute","rawInput":{"command":"cmd /c g^it push"}}"#,
    ] {
        let explain = place.start(["acp", "policy", "explain", "policy.hcl", "-"]);
        let explained = explain.ended(&format!("{call}\r\n")).printed();
        assert!(explained.starts_with("deny"), "{call}: {explained}");
    }
}
