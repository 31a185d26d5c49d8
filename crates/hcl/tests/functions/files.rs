//! Nothing is read outside of the folder.

use std::fs;

use tenon_hcl::Functions;
use tenon_values::Value;

use crate::expression::evaluate;

fn message(functions: &Functions, expression: &str) -> String {
    let result = evaluate(functions, expression);
    result.expect_err(expression).to_string()
}

#[test]
fn paths_do_not_lead_out() {
    let outer = tempfile::tempdir().unwrap();
    let folder = outer.path().join("folder");
    fs::create_dir_all(folder.join("inner")).unwrap();
    fs::write(outer.path().join("secret.txt"), "secret").unwrap();
    fs::write(folder.join("plain.txt"), "plain").unwrap();
    std::os::unix::fs::symlink("../secret.txt", folder.join("link.txt")).unwrap();
    std::os::unix::fs::symlink("..", folder.join("up")).unwrap();
    std::os::unix::fs::symlink("plain.txt", folder.join("near.txt")).unwrap();
    let functions = Functions::standard(Some(&folder));
    let absolute = outer.path().join("secret.txt").display().to_string();
    let paths = [
        "../secret.txt",
        "inner/../../secret.txt",
        "link.txt",
        "up/secret.txt",
        &absolute,
    ];
    for path in paths
        .into_iter()
        .chain(["../missing.txt", "/etc/passwd", "/missing", "up/missing"])
    {
        for name in ["file", "fileexists", "filebase64", "filesha256"] {
            let message = message(&functions, &format!("{name}(\"{path}\")"));
            assert!(
                message.contains("leads out of the scenario's folder"),
                "{name} {path}: {message}"
            );
        }
    }
    let inside = format!("file(\"{}\")", folder.join("plain.txt").display());
    assert_eq!(evaluate(&functions, &inside), Ok(Value::from("plain")));
    assert_eq!(
        evaluate(&functions, "file(\"near.txt\")"),
        Ok(Value::from("plain"))
    );
    assert!(message(&functions, "fileset(\"..\", \"*\")").contains("leads out"));
    // The link that leads out is not listed, the one that stays is.
    let files = evaluate(&functions, "fileset(\".\", \"**\")").unwrap();
    assert_eq!(files.to_string(), r#"toset(["near.txt", "plain.txt"])"#);
}

#[test]
fn files_that_are_not_text_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("bytes"), [0xff, 0xfe]).unwrap();
    fs::write(at("large"), vec![b'x'; (4 << 20) + 1]).unwrap();
    fs::write(at("allowed"), vec![b'x'; 4 << 20]).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
    let functions = Functions::standard(Some(folder.path()));
    assert!(message(&functions, "file(\"bytes\")").contains("read it with filebase64"));
    assert!(
        message(&functions, "file(\"large\")").contains("the limit is 4194304 bytes: \"large\"")
    );
    assert!(evaluate(&functions, "filemd5(\"allowed\")").is_ok());
    assert!(message(&functions, "file(\"socket\")").contains("a folder or a device"));
    assert!(message(&functions, "file(\"missing\")").contains("the file does not exist"));
    assert!(message(&functions, "file(\"bytes/x\")").contains("the file does not exist"));
}

#[test]
fn without_a_folder_no_file_can_be_read() {
    let functions = Functions::standard(None);
    for call in [
        "file(\"a\")",
        "fileexists(\"a\")",
        "fileset(\".\", \"*\")",
        "abspath(\"a\")",
    ] {
        assert!(
            message(&functions, call).contains("files cannot be read here"),
            "{call}"
        );
    }
    assert_eq!(
        evaluate(&functions, "basename(\"a/b\")"),
        Ok(Value::from("b"))
    );
}

#[test]
fn paths_are_made_absolute_in_the_folder() {
    let folder = tempfile::tempdir().unwrap();
    let functions = Functions::standard(Some(folder.path()));
    let root = folder.path().canonicalize().unwrap();
    let absolute = evaluate(&functions, "abspath(\"a/./b/../c\")").unwrap();
    assert_eq!(absolute.as_str(), root.join("a/c").to_str());
    assert_eq!(
        evaluate(&functions, "abspath(\"/x/../y\")"),
        Ok(Value::from("/y"))
    );
    for same in ["a/~", "~user/x", ""] {
        assert_eq!(
            evaluate(&functions, &format!("pathexpand(\"{same}\")")),
            Ok(Value::from(same))
        );
    }
    let home = evaluate(&functions, "pathexpand(\"~/x\")").unwrap();
    assert!(home.as_str().unwrap().ends_with("/x") && !home.as_str().unwrap().contains('~'));
}
