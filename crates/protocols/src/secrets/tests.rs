//! Tests of what is masked, and what is not.

use super::*;

#[test]
fn hides_what_is_marked_and_nothing_else() {
    let secrets = Secrets::default();
    secrets.learn(&Value::object([
        ("user", Value::from("alice")),
        ("password", Value::from("hunter2").sensitive()),
        (
            "pins",
            Value::tuple(vec![123_456.into(), Value::TRUE]).sensitive(),
        ),
        ("short", Value::from("abc").sensitive()),
    ]));
    let text = "alice has hunter2, hunter22 and 123456, true abc";
    let hidden = "alice has (sensitive), (sensitive)2 and (sensitive), true abc";
    assert_eq!(secrets.hide(text), hidden);
}

#[test]
fn a_cut_or_quoted_secret_is_hidden_whole() {
    let secrets = Secrets::default();
    secrets.learn(&Value::from("tok\"en\\with-odd-letters").sensitive());
    let said = format!("{:?}", "x tok\"en\\with-odd-letters");
    assert_eq!(secrets.hide(&said), "\"x (sensitive)\"");
    let json = serde_json::Value::from("tok\"en\\with-odd-letters").to_string();
    let frame = format!("{json:?}");
    assert!(!secrets.hide(&frame).contains("odd"), "{frame}");
    assert_eq!(
        secrets.hide("it sent \"abc tok\\\"en\"…"),
        "it sent \"abc (sensitive)\"…"
    );
}

#[test]
fn many_are_hidden_and_none_is_shown() {
    let secrets = Secrets::default();
    let many = (0..20_000).map(|number| Value::from(format!("secret-{number}").as_str()));
    let many = Value::tuple(many.collect()).sensitive();
    secrets.learn(&many);
    secrets.learn(&many);
    assert_eq!(secrets.hide("it is secret-19999"), "it is (sensitive)");
    assert_eq!(format!("{secrets:?}"), "Secrets(20000)");
}

#[test]
fn the_longer_one_goes_first() {
    let secrets = Secrets::default();
    secrets.learn(&Value::from("pass").sensitive());
    secrets.learn(&Value::from("password").sensitive());
    assert_eq!(secrets.hide("password pass"), "(sensitive) (sensitive)");
}

/// A secret with all characters that some language escapes.
const ODD: &str = "Zürich's \"5\"/<&>\\+key+\u{1F511}";

#[test]
fn a_secret_is_hidden_in_every_spelling() {
    let secrets = Secrets::default();
    secrets.learn_text(ODD);
    for (language, spelled) in [
        ("nobody's", ODD),
        ("JSON", r#"Zürich's \"5\"/<&>\\+key+🔑"#),
        ("JSON of PHP", r#"Zürich's \"5\"\/<&>\\+key+🔑"#),
        (
            "JSON of Python",
            r#"Z\u00fcrich's \"5\"/<&>\\+key+\ud83d\udd11"#,
        ),
        (
            "JSON in capitals",
            r#"Z\u00FCrich's \"5\"/<&>\\+key+\uD83D\uDD11"#,
        ),
        (
            "JSON of Go",
            r#"Zürich's \"5\"/\u003c\u0026\u003e\\+key+🔑"#,
        ),
        (
            "JSON in JSON",
            r#"Z\\u00fcrich's \\\"5\\\"/<&>\\\\+key+\\ud83d\\udd11"#,
        ),
        (
            "JSON in JSON in JSON",
            r#"Z\\\\u00fcrich's \\\\\\\"5\\\\\\\"/<&>\\\\\\\\+key+\\\\ud83d\\\\udd11"#,
        ),
        ("Python", r#"Zürich\'s "5"/<&>\\+key+🔑"#),
        (
            "Python, ASCII only",
            r#"Z\xfcrich\'s "5"/<&>\\+key+\U0001f511"#,
        ),
        (
            "Python, bytes",
            r#"Z\xc3\xbcrich\'s "5"/<&>\\+key+\xf0\x9f\x94\x91"#,
        ),
        ("Rust", r#"Zürich's \"5\"/<&>\\+key+🔑"#),
        (
            "Rust, ASCII only",
            r#"Z\u{fc}rich\'s \"5\"/<&>\\+key+\u{1f511}"#,
        ),
        ("Go", r#"Z\u00fcrich's \"5\"/<&>\\+key+\U0001f511"#),
        ("C", r#"Z\303\274rich's \"5\"/<&>\\+key+\360\237\224\221"#),
        ("a shell", r#"Zürich'\''s "5"/<&>\+key+🔑"#),
        ("Python for a shell", r#"Zürich'"'"'s "5"/<&>\+key+🔑"#),
        (
            "a shell without quotes",
            r#"Zürich\'s\ \"5\"/\<\&\>\\+key+🔑"#,
        ),
        ("SQL", r#"Zürich''s "5"/<&>\+key+🔑"#),
        ("CSV", r#"Zürich's ""5""/<&>\+key+🔑"#),
        ("XML", "Zürich's &quot;5&quot;/&lt;&amp;&gt;\\+key+🔑"),
        (
            "HTML",
            "Z&#252;rich&#39;s &quot;5&quot;/&lt;&amp;&gt;\\+key+&#x1F511;",
        ),
        (
            "a URL",
            "Z%C3%BCrich%27s%20%225%22%2F%3C%26%3E%5C%2Bkey%2B%F0%9F%94%91",
        ),
        (
            "a URL in small letters",
            "Z%c3%bcrich's%20%225%22/%3c%26%3e%5c%2bkey%2b%f0%9f%94%91",
        ),
        (
            "a form",
            "Z%C3%BCrich%27s+%225%22%2F%3C%26%3E%5C%2Bkey%2B%F0%9F%94%91",
        ),
    ] {
        let said = format!("<<{spelled}>> and {spelled}.");
        let expected = format!("<<{MASK}>> and {MASK}.");
        assert_eq!(secrets.hide(&said), expected, "{language}");
    }
    let hex: String = ODD.bytes().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(secrets.hide(&format!("0x{hex}.")), "0x(sensitive).");
    let hex = hex.to_uppercase();
    assert_eq!(secrets.hide(&format!("0x{hex}.")), "0x(sensitive).");
}

#[test]
fn a_secret_is_hidden_in_base64_wherever_it_stands() {
    use base64::Engine;
    use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE};
    for secret in ["hunter2", "hunter22", "hunter222", "ü?ü>ü~ü"] {
        let secrets = Secrets::default();
        secrets.learn_text(secret);
        for engine in [&STANDARD, &STANDARD_NO_PAD, &URL_SAFE] {
            for (before, after) in [("", ""), ("a", "b"), ("ab", "cd"), ("user:", ""), ("", "@")] {
                let encoded = engine.encode(format!("{before}{secret}{after}"));
                let hidden = secrets.hide(&encoded);
                assert!(hidden.contains(MASK), "{before}{secret}{after}: {encoded}");
                let left = hidden.replace(MASK, "");
                // Characters with bits of the neighbours, and padding.
                assert!(left.len() <= 8, "{encoded} became {hidden}");
            }
        }
    }
    let secrets = Secrets::default();
    secrets.learn_text("abcd");
    assert_eq!(secrets.hide("YWJjZA=="), "(sensitive)==");
}

#[test]
fn long_secrets_are_hidden_line_by_line() {
    let secrets = Secrets::default();
    let key = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkq\n  hkiG9w0BAQEFAASC\nx==\n\
               -----END PRIVATE KEY-----\n";
    secrets.learn_text(key);
    assert_eq!(secrets.hide("got MIIEvQIBADANBgkq"), "got (sensitive)");
    assert_eq!(secrets.hide("> hkiG9w0BAQEFAASC"), "> (sensitive)");
    assert_eq!(
        secrets.hide("-----BEGIN PRIVATE KEY-----"),
        "-----BEGIN PRIVATE KEY-----"
    );
    assert_eq!(secrets.hide(&format!("{key:?}")), "\"(sensitive)\"");
    let encoded = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, key);
    for width in [64, 76] {
        for line in encoded.as_bytes().chunks(width) {
            let line = std::str::from_utf8(line).unwrap();
            let hidden = secrets.hide(line);
            assert!(hidden.starts_with(MASK), "{line}: {hidden}");
        }
    }
}

#[test]
fn the_credentials_in_a_secret_are_secrets() {
    for (secret, part) in [
        ("Bearer abc.def-123", "abc.def-123"),
        ("Authorization: token abc.def-123", "abc.def-123"),
        ("Basic YW5uYTpodW50ZXIyMg==", "hunter22"),
        ("Basic YW5uYTpodW50ZXIyMg==", "YW5uYTpodW50ZXIyMg"),
        ("postgres://anna:hunter22@db:5432/shop", "hunter22"),
        ("postgres://anna:hunter%2F22@db/shop", "hunter/22"),
        (
            "https://ghp_0123456789abcdefghij@github.com/x",
            "ghp_0123456789abcdefghij",
        ),
        ("Server=db;User Id=anna;Password=hunter22;", "hunter22"),
        ("host=db password='hunter 22' user=anna", "hunter 22"),
        (
            "https://x/y?user=anna&access_token=hunter22&z=1",
            "hunter22",
        ),
        (
            "{\"user\": \"anna\", \"client_secret\": \"hunter22\"}",
            "hunter22",
        ),
        (
            "AccountName=anna;AccountKey=hunter22==;Suffix=x",
            "hunter22==",
        ),
    ] {
        let secrets = Secrets::default();
        secrets.learn_text(secret);
        assert_eq!(
            secrets.hide(&format!("it is {part}.")),
            "it is (sensitive).",
            "{secret}"
        );
        for word in [
            "anna", "Bearer", "Basic", "postgres", "github", "Password", "user", "db",
        ] {
            assert_eq!(secrets.hide(word), word, "{secret}");
        }
    }
}

#[test]
fn overlaps_are_hidden_once() {
    let secrets = Secrets::default();
    secrets.learn_text("abcdef");
    secrets.learn_text("defghi");
    assert_eq!(secrets.hide("<abcdefghi>"), "<(sensitive)>");
}

#[test]
fn what_is_cut_in_an_escape_is_hidden() {
    let secrets = Secrets::default();
    secrets.learn_text("passwört-of-anna");
    for cut in [
        "passw",
        "passw\\",
        "passw\\u00",
        "passw\\u00f6rt-o",
        "passw%C3",
        "cGFzc3fD",
    ] {
        assert_eq!(
            secrets.hide(&format!("it said \"x {cut}\"…")),
            "it said \"x (sensitive)\"…"
        );
        let hidden = secrets.hide_bytes(format!("x {cut}").as_bytes(), true);
        assert_eq!(hidden, b"x (sensitive)", "{cut}");
    }
    assert_eq!(secrets.hide_bytes(b"x passw", false), b"x passw");
    assert_eq!(secrets.hide("a pass"), "a pass");
}

#[test]
fn numbers_and_texts_that_come_back_are_marked() {
    let secrets = Secrets::default();
    secrets.learn(&Value::from("123456").sensitive());
    let returned = Value::tuple(vec![
        123_456.into(),
        1234.into(),
        "MTIzNDU2".into(),
        "x".into(),
    ]);
    let marked = secrets.mark(&returned);
    let marks: Vec<bool> = { marked.elements().unwrap().iter() }
        .map(Value::is_sensitive)
        .collect();
    assert_eq!(marks, [true, false, true, false]);
}

/// Checks that no part of the secret is left in the text outside of masks.
fn assert_hidden(secrets: &Secrets, said: &str, secret: &str) {
    let hidden = secrets.hide(said);
    assert!(
        hidden.contains(MASK),
        "{secret:?} in {said} became {hidden}"
    );
    // Characters with bits of the neighbours, quotation marks, and padding.
    let (_, end) = hidden.rsplit_once(MASK).unwrap();
    assert!(end.len() <= 8, "{secret:?} in {said} became {hidden}");
}

#[test]
fn white_space_around_a_secret_does_not_matter() {
    use base64::engine::{Engine, general_purpose::STANDARD};
    for secret in [
        "  hunter22",
        "hunter22\r\n",
        "\thunter22 ",
        "\n hunter22\n\n",
        "\u{1f}hunter22\u{a0}",
    ] {
        let secrets = Secrets::default();
        secrets.learn_text(secret);
        for said in [
            "hunter22".to_owned(),
            STANDARD.encode("hunter22"),
            STANDARD.encode("anna:hunter22"),
            encodings::hex(b"hunter22"),
        ] {
            assert_hidden(&secrets, &format!("it is {said}"), secret);
        }
        assert_eq!(secrets.hide(&format!("<{secret}>")), "<(sensitive)>");
    }
    let secrets = Secrets::default();
    secrets.learn_text(" abc ");
    assert_eq!(secrets.hide("abc"), "abc");
}

#[test]
fn lines_of_a_secret_are_hidden_in_base64_and_hex() {
    use base64::engine::{Engine, general_purpose::STANDARD};
    let secrets = Secrets::default();
    secrets.learn_text("first-line-1\n  second-line\r\nshort\n");
    for line in [
        "first-line-1",
        "second-line",
        "first-line-1\n  second-line\r\nshort",
    ] {
        for said in [
            STANDARD.encode(line),
            STANDARD.encode(format!("[{line}")),
            encodings::hex(line.as_bytes()),
            encodings::hex(line.as_bytes()).to_uppercase(),
        ] {
            assert_hidden(&secrets, &said, line);
        }
    }
    let short = encodings::hex(b"short");
    assert_eq!(secrets.hide(&short), short);
}

#[test]
fn a_secret_in_json_is_hidden_however_the_json_is_encoded() {
    use base64::engine::{Engine, general_purpose::STANDARD};
    let percent =
        |text: &str| -> String { text.bytes().map(|byte| format!("%{byte:02X}")).collect() };
    for (secret, spelled) in [
        (ODD, r#"Zürich's \"5\"/<&>\\+key+🔑"#),
        (ODD, r#"Z\u00fcrich's \"5\"/<&>\\+key+\ud83d\udd11"#),
        (ODD, r#"Z\u00fcrich's \"5\"\/<&>\\+key+\ud83d\udd11"#),
        (ODD, r#"Zürich's \"5\"/\u003c\u0026\u003e\\+key+🔑"#),
        ("-----K-----\nab/cd\n", r"-----K-----\nab/cd\n"),
        ("-----K-----\nab/cd\n", r"-----K-----\nab\/cd\n"),
        ("a\u{1}\tb\"c", r#"a\u0001\tb\"c"#),
    ] {
        let secrets = Secrets::default();
        secrets.learn_text(secret);
        for before in ["", "x", "xy"] {
            let json = format!("{before}{{\"k\":\"{spelled}\"}}");
            for said in [
                STANDARD.encode(&json),
                // The bytes beside it are not text, so only the needles can find it.
                STANDARD.encode([b"\0\xff\0", json.as_bytes()].concat()),
                encodings::hex(json.as_bytes()),
                percent(&json),
                percent(&percent(&json)),
            ] {
                let hidden = secrets.hide(&said);
                let left = hidden.replace(MASK, "").len();
                let most = said.len() * (json.len() - spelled.len() + 5) / json.len();
                assert!(hidden.contains(MASK) && left <= most, "{json}: {hidden}");
            }
        }
    }
}

#[test]
fn hex_with_separators_is_read() {
    let secrets = Secrets::default();
    secrets.learn_text("plain-secret");
    let pairs: Vec<String> = "plain-secret"
        .bytes()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    for (before, separator, after) in [
        ("<Buffer ", " ", ">"),
        ("", ":", ""),
        ("x ", "-", "."),
        ("[0x", ", 0x", "]"),
        ("0a:", ":", "\""),
    ] {
        let said = format!("{before}{}{after}", pairs.join(separator));
        assert_eq!(secrets.hide(&said), format!("{before}{MASK}{after}"));
        let capitals = pairs.join(separator).to_uppercase().replace("0X", "0x");
        let said = format!("{before}{capitals}{after}");
        assert_eq!(secrets.hide(&said), format!("{before}{MASK}{after}"));
    }
    let cut = format!("<Buffer {} ... 6 more bytes>", pairs[..6].join(" "));
    assert_eq!(secrets.hide(&cut), "<Buffer (sensitive) ... 6 more bytes>");
    for ordinary in [
        "at 07:45:12:33 of 20-11-16",
        "00:1b:44:11:3a:b7",
        "be ad de ed fa",
    ] {
        assert_eq!(secrets.hide(ordinary), ordinary);
    }
}

#[test]
fn what_was_cut_at_an_ellipsis_is_hidden() {
    let secrets = Secrets::default();
    secrets.learn_text("correct-horse-battery");
    for (said, hidden) in [
        ("stderr: correct-ho…", "stderr: (sensitive)…"),
        (
            "'correct-ho'... 11 more characters",
            "'(sensitive)'... 11 more characters",
        ),
        ("corr [...]", "(sensitive) [...]"),
        (
            "LINE 1: ...se-battery' FROM x",
            "LINE 1: ...(sensitive)' FROM x",
        ),
        ("correct...attery", "(sensitive)...(sensitive)"),
        ("…\"battery\"", "…\"(sensitive)\""),
        (
            "Y29ycmVjdC1o… (9 bytes more)",
            "(sensitive)… (9 bytes more)",
        ),
        ("...6261747465727922", "...(sensitive)22"),
        ("cor... and ...ery", "cor... and ...ery"),
        ("an incorrect horse...", "an incorrect horse..."),
        ("wait... battery", "wait... (sensitive)"),
    ] {
        assert_eq!(secrets.hide(said), hidden);
    }
    let value = secrets.mark(&Value::from("correct-ho..."));
    assert!(!value.is_sensitive());
}

#[test]
fn escape_of_javascript_and_urls_in_urls_are_read() {
    let secrets = Secrets::default();
    secrets.learn_text("pré-10€/🔑 x");
    for spelled in [
        "pr%E9-10%u20AC/%uD83D%uDD11%20x",
        "pr%25C3%25A9-10%25E2%2582%25AC%252F%25F0%259F%2594%2591%2520x",
        "pr%25C3%25A9-10%25E2%2582%25AC%252F%25F0%259F%2594%2591%2Bx",
    ] {
        assert_eq!(secrets.hide(&format!("<{spelled}>")), "<(sensitive)>");
    }
}

#[test]
fn short_secrets_are_hidden_in_base64_of_text() {
    let secrets = Secrets::default();
    secrets.learn_text("abcd");
    for (said, hidden) in [
        ("Basic dXNlcjphYmNk", "Basic dXNl(sensitive)"),
        ("Basic dXNlcnM6YWJjZA==", "Basic dXNlcnM6(sensitive)=="),
        ("Basic dXNlcjE6YWJjZCE=", "Basic dXNlcjE6(sensitive)="),
        // The same characters in another alignment, which encode other bytes.
        ("the phYmNk of XYphYmNkXYZ", "the phYmNk of XYphYmNkXYZ"),
    ] {
        assert_eq!(secrets.hide(said), hidden);
    }
}

#[test]
fn numbers_are_hidden_as_other_programs_print_them() {
    for (written, printed) in [
        ("0.00001234", ["1.234e-05", "1.234e-5", "0.00001234"]),
        (
            "100000000000000000000",
            ["1e+20", "1e20", "100000000000000000000"],
        ),
        (
            "0.12345678901234567890",
            [
                "0.12345678901234568",
                "0.1234567890123456789",
                "0.12345678901234568",
            ],
        ),
        ("1234567", ["1234567", "1234567.0", "1234567"]),
    ] {
        let number = convert::convert(&Value::from(written), &Type::Number).unwrap();
        let secrets = Secrets::default();
        secrets.learn(&number.sensitive());
        for printed in printed {
            assert_hidden(&secrets, printed, written);
        }
    }
    let secrets = Secrets::default();
    secrets.learn(&Value::from(1_234_567).sensitive());
    assert_eq!(secrets.hide("1.234567e6"), "1.234567e6");
}

/// `AUTH_BRANCH=main` must not mask every `main`.
#[test]
fn ordinary_values_of_variables_are_not_masked() {
    let secrets = Secrets::default();
    let values = ["main", "true", "4711", "hunter22"].map(OsString::from);
    secrets.learn_variables(values, [("URL".into(), "http://u:pa55w0rd@x/".into())]);
    assert_eq!(
        secrets.hide("main: true at 4711, hunter22, pa55w0rd"),
        format!("main: true at {MASK}, {MASK}, {MASK}")
    );
}
