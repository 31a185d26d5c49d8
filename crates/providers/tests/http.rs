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
async fn statuses_are_fine_unless_others_are_expected() {
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
async fn a_circle_of_redirects_is_left() {
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
async fn a_redirect_to_no_server_is_not_followed() {
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
async fn what_is_wrong_is_said_without_secrets() {
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
        // Port 1 is nobody's.
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
