//! The provider `http`, with a server that does as it is told.

mod support;

use serde_json::{Value, json};
use support::server::{Reply, Server};
use support::{Host, assert_says, watched};

async fn host(config: Value) -> Host {
    Host::start("http", config).await.unwrap()
}

#[tokio::test]
async fn a_request_is_made_as_it_was_asked_for() {
    watched(async {
        let server = Server::start(|_| {
            let headers = [
                ("Content-Type", "application/problem+json; charset=utf-8"),
                ("X-Twice", "first"),
                ("X-Twice", "second"),
            ];
            Reply::new(
                201,
                &headers,
                br#"{"id": 12345678901234567890, "tags": ["a"]}"#,
            )
        });
        let config = json!({
            "base_url": format!("{}/api", server.url),
            "default_headers": { "Authorization": "Bearer s3cret", "X-Own": "default" },
        });
        let host = host(config).await;
        let attrs = json!({
            "method": "post",
            "url": "/merchants?a=b",
            "query": { "name": "a & b" },
            "headers": { "X-Own": "mine" },
            "json": { "name": "x", "large": 9007199254740993_u64 },
        });
        let outputs = host.run("http_request", attrs).await.unwrap();
        assert_eq!(outputs["status"], 201);
        assert_eq!(outputs["json"]["id"].to_string(), "12345678901234567890");
        assert_eq!(outputs["json"]["tags"], json!(["a"]));
        assert_eq!(outputs["headers"]["x-twice"], "first");
        assert_eq!(outputs["body_base64"], Value::Null);
        let received = &server.received()[0];
        assert_eq!(
            received.line,
            "POST /api/merchants?a=b&name=a+%26+b HTTP/1.1"
        );
        assert_eq!(received.header("authorization"), Some("Bearer s3cret"));
        assert_eq!(received.header("x-own"), Some("mine"));
        assert_eq!(received.header("content-type"), Some("application/json"));
        let body: Value = serde_json::from_slice(&received.body).unwrap();
        assert_eq!(body, json!({ "name": "x", "large": 9007199254740993_u64 }));
        host.stop().await;
    })
    .await;
}

#[tokio::test]
async fn every_status_is_accepted_unless_others_are_expected() {
    watched(async {
        let server = Server::start(|_| Reply::new(404, &[], b"no such merchant"));
        let host = host(json!({ "base_url": server.url })).await;
        let outputs = host
            .run("http_request", json!({ "url": "/x" }))
            .await
            .unwrap();
        assert_eq!(outputs["status"], 404);
        assert_eq!(outputs["body"], "no such merchant");
        assert_eq!(outputs["json"], Value::Null);
        let attrs = json!({ "url": "/x?token=s3cret", "expect_status": [200, 201] });
        let (code, message) = host.fail("http_request", attrs).await;
        assert_eq!(code, "execute_failed");
        assert_says(
            &message,
            &[
                "/x answered with the status 404",
                "[200, 201]",
                "no such merchant",
            ],
        );
        assert!(!message.contains("s3cret"), "{message}");
    })
    .await;
}

#[tokio::test]
async fn headers_stay_at_their_origin() {
    watched(async {
        let other = Server::start(|_| Reply::new(200, &[], b"other"));
        let location = format!("{}/landed", other.url);
        let home = Server::start(move |request| match request.line.split(' ').nth(1) {
            Some("/away") => Reply::redirect(302, &location),
            Some("/away-again") => Reply::redirect(307, &location),
            Some("/within") => Reply::redirect(303, "/landed"),
            _ => Reply::new(200, &[], b"home"),
        });
        let host = host(json!({
            "base_url": home.url, "default_headers": { "X-Api-Key": "s3cret" },
        }))
        .await;

        // Within the origin they go along.
        let attrs = json!({ "method": "POST", "url": "/within", "body": "x" });
        assert_eq!(
            host.run("http_request", attrs).await.unwrap()["body"],
            "home"
        );
        let landed = home.received().pop().unwrap();
        assert_eq!(landed.line, "GET /landed HTTP/1.1");
        assert_eq!(landed.header("x-api-key"), Some("s3cret"));
        assert!(landed.body.is_empty());

        // To another one they do not, whether by redirect or by address.
        let attrs = json!({ "url": "/away", "headers": { "Authorization": "s3cret" } });
        assert_eq!(
            host.run("http_request", attrs).await.unwrap()["body"],
            "other"
        );
        let attrs = json!({ "url": format!("{}/direct", other.url) });
        host.run("http_request", attrs).await.unwrap();
        let received = other.received();
        assert_eq!(received.len(), 2);
        for request in received {
            assert!(!format!("{request:?}").contains("s3cret"), "{request:?}");
        }

        // Neither does a body.
        let attrs = json!({ "method": "POST", "url": "/away-again", "body": "s3cret" });
        let (_, message) = host.fail("http_request", attrs).await;
        assert_says(&message, &["another origin", "/landed"]);
        assert_eq!(other.received().len(), 2);

        // Who does not want to follow sees the redirect.
        let attrs = json!({ "url": "/away", "follow_redirects": false });
        assert_eq!(
            host.run("http_request", attrs).await.unwrap()["status"],
            302
        );
    })
    .await;
}

#[tokio::test]
async fn endless_redirects_are_stopped() {
    watched(async {
        let server = Server::start(|_| Reply::redirect(302, "/again"));
        let host = host(json!({ "base_url": server.url })).await;
        let (_, message) = host.fail("http_request", json!({ "url": "/" })).await;
        assert_says(&message, &["still redirects after 10"]);
        assert_eq!(server.received().len(), 11);
    })
    .await;
}

#[tokio::test]
async fn a_redirect_to_an_invalid_address_is_not_followed() {
    watched(async {
        let server = Server::start(|_| Reply::redirect(302, "file:///etc/passwd"));
        let host = host(json!({ "base_url": server.url })).await;
        let (_, message) = host.fail("http_request", json!({ "url": "/" })).await;
        assert_says(&message, &["redirects to a wrong address", "file:"]);
    })
    .await;
}

#[tokio::test]
async fn a_body_has_a_limit() {
    watched(async {
        let server = Server::start(|request| match request.line.contains("fits") {
            true => Reply::new(200, &[], &[b'x'; 1000]),
            // Longer than it says, and without an end.
            false => Reply {
                bytes: [&b"HTTP/1.1 200 x\r\n\r\n"[..], &[b'x'; 100_000]].concat(),
                holds_on: true,
            },
        });
        let config = json!({ "base_url": server.url, "max_body_bytes": 1000 });
        let host = host(config).await;
        let outputs = host
            .run("http_request", json!({ "url": "/fits" }))
            .await
            .unwrap();
        assert_eq!(outputs["body"].as_str().unwrap().len(), 1000);
        let (_, message) = host
            .fail("http_request", json!({ "url": "/endless" }))
            .await;
        assert_says(&message, &["more than 1000 bytes", "max_body_bytes"]);
    })
    .await;
}

#[tokio::test]
async fn a_slow_answer_has_a_limit() {
    watched(async {
        let server = Server::start(|request| Reply {
            bytes: match request.line.contains("body") {
                true => b"HTTP/1.1 200 x\r\ncontent-length: 10\r\n\r\nx".to_vec(),
                false => Vec::new(),
            },
            holds_on: true,
        });
        let config = json!({ "base_url": server.url, "timeout_seconds": 0.2 });
        let host = host(config).await;
        for path in ["/body", "/nothing"] {
            let (_, message) = host.fail("http_request", json!({ "url": path })).await;
            assert_says(&message, &[path, "within 200ms", "timeout_seconds"]);
        }
    })
    .await;
}

#[tokio::test]
async fn bytes_come_in_base64() {
    watched(async {
        let headers = [("content-type", "application/json")];
        let server = Server::start(move |_| Reply::new(200, &headers, &[0, 255]));
        let host = host(json!({})).await;
        let outputs = host
            .run("http_request", json!({ "url": server.url }))
            .await
            .unwrap();
        assert_eq!(outputs["body"], Value::Null);
        assert_eq!(outputs["body_base64"], "AP8=");
        assert_eq!(outputs["json"], Value::Null);
    })
    .await;
}

#[tokio::test]
async fn errors_do_not_show_secrets() {
    watched(async {
        let host = host(json!({})).await;
        for (attrs, said) in [
            (json!({ "url": "/x" }), "base_url"),
            (json!({ "url": "http://h/", "method": "A B" }), "method"),
            (
                json!({ "url": "http://h/", "body": "", "json": 1 }),
                "either body or json",
            ),
            (
                json!({ "url": "http://h/", "headers": { "a b": "s3cret" } }),
                "a b",
            ),
            (
                json!({ "url": "http://h/", "headers": { "a": "s3cret\n" } }),
                "the value of a",
            ),
        ] {
            let (code, message) = host.fail("http_request", attrs).await;
            assert_eq!(code, "validation_failed");
            assert_says(&message, &[said]);
            assert!(!message.contains("s3cret"), "{message}");
        }
        // Nothing listens on port 1.
        let attrs = json!({ "url": "http://user:s3cret@127.0.0.1:1/x?token=s3cret" });
        let (_, message) = host.fail("http_request", attrs).await;
        assert_says(
            &message,
            &["http://127.0.0.1:1/x cannot be reached", "refused"],
        );
        assert!(!message.contains("s3cret"), "{message}");
    })
    .await;
}

/// Runs a request and gives the code of its failure.
async fn code(host: &Host, attrs: Value) -> String {
    host.fail("http_request", attrs).await.0
}

/// A server that acts on each request, as its log shows, and then fails to say so.
fn silent_server() -> Server {
    Server::start(|request| {
        let path = request.line.split(' ').nth(1).unwrap_or_default();
        let raw = |bytes: &[u8], holds_on| Reply {
            bytes: bytes.to_vec(),
            holds_on,
        };
        match path {
            "/closes" => raw(b"", false),
            "/half-a-head" => raw(b"HTTP/1.1 200 x\r\ncontent-le", false),
            "/half-a-body" => raw(b"HTTP/1.1 200 x\r\ncontent-length: 10\r\n\r\nx", false),
            "/nonsense" => raw(b"220 mail.example ESMTP\r\n\r\n", false),
            "/hangs" => raw(b"", true),
            "/hangs-in-the-body" => raw(b"HTTP/1.1 200 x\r\ncontent-length: 10\r\n\r\nx", true),
            "/long" => Reply::new(200, &[], &[b'x'; 2000]),
            "/see-other" => Reply::redirect(303, "/closes"),
            "/see-nobody" => Reply::redirect(303, "http://127.0.0.1:1/"),
            "/see-nonsense" => Reply::redirect(302, "file:///etc/passwd"),
            "/see-404" => Reply::redirect(302, "/status/404"),
            path => {
                let status = path.trim_start_matches("/status/").parse().unwrap();
                Reply::new(status, &[], b"oh")
            }
        }
    })
}

/// Only the answer tells what a request has changed.
#[tokio::test]
async fn without_an_answer_the_outcome_of_a_change_is_unknown() {
    watched(async {
        let server = silent_server();
        let config = json!({
            "base_url": server.url, "timeout_seconds": 0.5, "max_body_bytes": 1000,
        });
        let host = host(config).await;
        let paths = [
            "/closes",
            "/half-a-head",
            "/half-a-body",
            "/nonsense",
            "/hangs",
            "/hangs-in-the-body",
            "/long",
            "/see-other",
            "/see-nobody",
            "/see-nonsense",
            "/see-404",
            "/status/502",
            "/status/504",
            "/status/524",
        ];
        for path in paths {
            let attrs = |method: &str| json!({ "method": method, "url": path, "body": "x", "expect_status": [200] });
            let post = code(&host, attrs("POST")).await;
            assert_eq!(post, "outcome_unknown", "POST {path}");
            for method in ["GET", "HEAD", "OPTIONS"] {
                let attrs = json!({ "method": method, "url": path, "expect_status": [200] });
                if method == "HEAD" && ["/half-a-body", "/hangs-in-the-body", "/long"].contains(&path) {
                    // An answer to HEAD has no body that could be missing.
                    continue;
                }
                let read = code(&host, attrs).await;
                assert_eq!(read, "execute_failed", "{method} {path}");
            }
        }
        for method in ["PUT", "PATCH", "DELETE", "PURGE"] {
            let attrs = json!({ "method": method, "url": "/closes" });
            assert_eq!(code(&host, attrs).await, "outcome_unknown", "{method}");
        }
    })
    .await;
}

/// A server that answers has said what it did, and one without a connection has done nothing.
#[tokio::test]
async fn what_was_refused_or_never_sent_has_failed() {
    watched(async {
        let server = silent_server();
        // It is connected to, and never says a word: encryption does not get under way.
        let mute = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let config = json!({ "base_url": server.url, "timeout_seconds": 1 });
        let host = host(config).await;
        for url in [
            "http://127.0.0.1:1/".to_owned(),
            "http://nobody.invalid/".to_owned(),
            server.url.replace("http:", "https:"),
            format!("https://{}", mute.local_addr().unwrap()),
        ] {
            let attrs = json!({ "method": "POST", "url": url, "body": "x" });
            let (code, message) = host.fail("http_request", attrs).await;
            assert_eq!(code, "execute_failed", "{url}: {message}");
            assert_says(&message, &["cannot be reached"]);
        }
        for status in [400, 401, 404, 408, 409, 422, 429, 500, 503] {
            let url = format!("/status/{status}");
            let attrs = json!({ "method": "POST", "url": url, "expect_status": [200] });
            assert_eq!(code(&host, attrs).await, "execute_failed", "{status}");
        }
        // Who expects nothing in particular is given the status.
        let attrs = json!({ "method": "POST", "url": "/status/502" });
        let outputs = host.run("http_request", attrs).await.unwrap();
        assert_eq!(outputs["status"], 502);
    })
    .await;
}

#[tokio::test]
async fn an_idempotency_key_is_a_header() {
    watched(async {
        let server = Server::start(|_| Reply::new(200, &[], b""));
        let config = json!({
            "base_url": server.url, "default_headers": { "idempotency-key": "default" },
        });
        let host = host(config).await;
        let attrs = |key: Value| json!({ "method": "POST", "url": "/", "idempotency_key": key });
        host.run("http_request", attrs(json!("k-1"))).await.unwrap();
        let received = server.received();
        assert_eq!(received[0].header("idempotency-key"), Some("k-1"));
        // Only Tenon makes a key of it; this host has not.
        for wrong in [json!(true), json!(""), json!("a\nb")] {
            let (code, message) = host.fail("http_request", attrs(wrong.clone())).await;
            assert_eq!(code, "validation_failed", "{wrong}: {message}");
            assert_says(&message, &["idempotency"]);
        }
        let mut twice = attrs(json!("k-1"));
        twice["headers"] = json!({ "IDEMPOTENCY-KEY": "k-2" });
        let (code, message) = host.fail("http_request", twice).await;
        assert_eq!(code, "validation_failed");
        assert_says(&message, &["idempotency_key", "already"]);
        assert_eq!(server.received().len(), 1);
    })
    .await;
}
