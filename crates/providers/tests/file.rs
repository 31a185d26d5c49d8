//! The provider `file`, in folders that are gone afterwards.

mod support;

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use serde_json::{Value, json};
use support::{Host, assert_says, watched};

const HELLO_SHA256: &str = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";

#[tokio::test]
async fn a_file_from_its_folder_to_its_end() {
    watched(async {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path().canonicalize().unwrap();
        let host = Host::start("file", json!({ "dir": dir })).await.unwrap();
        let directory = host.run("file_directory", json!({ "path": "a/b" })).await;
        assert_eq!(
            directory.unwrap(),
            json!({ "path": dir.join("a/b"), "created": true })
        );
        let again = host.run("file_directory", json!({ "path": "a/b" })).await;
        assert_eq!(again.unwrap()["created"], false);

        let attrs = json!({ "path": "a/b/hello", "content": "hello", "mode": "0640" });
        let written = host.run("file_write", attrs).await.unwrap();
        let path = dir.join("a/b/hello");
        assert_eq!(
            written,
            json!({ "path": path, "bytes": 5, "sha256": HELLO_SHA256 })
        );
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o7777, 0o640);

        // What file_write gave is good for the others.
        let read = host.run("file_read", json!({ "path": written["path"] })).await;
        assert_eq!(
            read.unwrap(),
            json!({ "content": "hello", "content_base64": null, "bytes": 5, "sha256": HELLO_SHA256 })
        );
        for deleted in [true, false] {
            let outputs = host.run("file_delete", json!({ "path": written["path"] })).await;
            assert_eq!(outputs.unwrap(), json!({ "deleted": deleted }));
        }
        let attrs = json!({ "path": "a/b/hello", "missing_ok": false });
        host.fail("file_delete", attrs).await;
        assert_eq!(fs::read_dir(dir.join("a/b")).unwrap().count(), 0);
        host.stop().await;
    })
    .await;
}

#[tokio::test]
async fn bytes_travel_in_base64() {
    watched(async {
        let folder = tempfile::tempdir().unwrap();
        let host = Host::start("file", json!({ "dir": folder.path() }))
            .await
            .unwrap();
        let attrs = json!({ "path": "bytes", "content_base64": "AP8=" });
        host.run("file_write", attrs).await.unwrap();
        assert_eq!(fs::read(folder.path().join("bytes")).unwrap(), [0, 255]);
        let mode = fs::metadata(folder.path().join("bytes"))
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o7777, 0o600, "the default is the owner's alone");
        let read = host
            .run("file_read", json!({ "path": "bytes" }))
            .await
            .unwrap();
        assert_eq!(read["content"], Value::Null);
        assert_eq!(read["content_base64"], "AP8=");
    })
    .await;
}

#[tokio::test]
async fn an_existing_file_can_be_kept() {
    watched(async {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("old"), "old").unwrap();
        let host = Host::start("file", json!({ "dir": folder.path() }))
            .await
            .unwrap();
        let attrs = json!({ "path": "old", "content": "new", "overwrite": false });
        let (_, message) = host.fail("file_write", attrs).await;
        assert_says(&message, &["old already exists", "overwrite"]);
        assert_eq!(fs::read(folder.path().join("old")).unwrap(), b"old");
        let attrs = json!({ "path": "old", "content": "new" });
        host.run("file_write", attrs).await.unwrap();
        assert_eq!(fs::read(folder.path().join("old")).unwrap(), b"new");
    })
    .await;
}

#[tokio::test]
async fn nothing_leads_out_of_the_dir() {
    watched(async {
        let outside = tempfile::tempdir().unwrap();
        let dir = outside.path().join("dir");
        fs::create_dir(&dir).unwrap();
        fs::write(outside.path().join("secret"), "s3cret").unwrap();
        symlink("../secret", dir.join("link")).unwrap();
        symlink("..", dir.join("up")).unwrap();
        let host = Host::start("file", json!({ "dir": dir })).await.unwrap();
        for path in ["../secret", "up/secret", "/etc/passwd"] {
            for action in ["file_read", "file_delete", "file_directory"] {
                let (_, message) = host.fail(action, json!({ "path": path })).await;
                assert_says(&message, &["leads out of"]);
            }
            let attrs = json!({ "path": path, "content": "" });
            let (_, message) = host.fail("file_write", attrs).await;
            assert_says(&message, &["leads out of"]);
        }
        host.fail("file_read", json!({ "path": "link" })).await;
        // Writing replaces the link, and leaves alone what it led to.
        let attrs = json!({ "path": "link", "content": "mine" });
        host.run("file_write", attrs).await.unwrap();
        assert_eq!(fs::read(outside.path().join("secret")).unwrap(), b"s3cret");
        assert!(!fs::symlink_metadata(dir.join("link")).unwrap().is_symlink());
    })
    .await;
}

#[tokio::test]
async fn errors_name_what_cannot_be_done() {
    watched(async {
        let folder = tempfile::tempdir().unwrap();
        let host = Host::start("file", json!({ "dir": folder.path() }))
            .await
            .unwrap();
        fs::create_dir(folder.path().join("folder")).unwrap();
        fs::write(folder.path().join("large"), vec![b'x'; 4 * 1024 * 1024 + 1]).unwrap();
        for (action, attrs, said) in [
            ("file_write", json!({ "path": "x" }), "content"),
            (
                "file_write",
                json!({ "path": "x", "content": "", "content_base64": "" }),
                "content",
            ),
            (
                "file_write",
                json!({ "path": "x", "content_base64": "?" }),
                "content_base64",
            ),
            (
                "file_write",
                json!({ "path": "x", "content": "", "mode": "rw" }),
                "mode",
            ),
            (
                "file_write",
                json!({ "path": "no/x", "content": "" }),
                "file_directory",
            ),
            (
                "file_write",
                json!({ "path": "folder", "content": "" }),
                "folder",
            ),
            ("file_read", json!({ "path": "x" }), "cannot find x"),
            ("file_read", json!({ "path": "folder" }), "not a file"),
            ("file_read", json!({ "path": "large" }), "4194304"),
            ("file_delete", json!({ "path": "folder" }), "files only"),
            ("file_directory", json!({ "path": "large/x" }), "large/x"),
        ] {
            let (_, message) = host.fail(action, attrs).await;
            assert_says(&message, &[said]);
        }
        let names = fs::read_dir(folder.path()).unwrap();
        assert_eq!(names.count(), 2, "failures leave nothing behind");
        let missing = Host::start("file", json!({ "dir": "/no/such/folder" })).await;
        let error = missing.err().unwrap();
        assert_eq!(error.code.to_string(), "configure_failed");
    })
    .await;
}

/// A teardown is the same action again, so what writes can take back.
#[tokio::test]
async fn the_same_action_undoes_what_it_made() {
    watched(async {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path().join("inside");
        fs::create_dir(&dir).unwrap();
        fs::write(folder.path().join("outside"), "mine").unwrap();
        let host = Host::start("file", json!({ "dir": dir })).await.unwrap();
        host.run("file_directory", json!({ "path": "a" }))
            .await
            .unwrap();
        let attrs = json!({ "path": "a/hello", "content": "hello" });
        let written = host.run("file_write", attrs).await.unwrap();

        let folder_gone = json!({ "path": "a", "delete": true });
        host.fail("file_directory", folder_gone.clone()).await;
        assert!(dir.join("a/hello").exists(), "a folder with files stays");
        let attrs = json!({ "path": written["path"], "content": "x", "delete": true });
        host.fail("file_write", attrs).await;
        let attrs = json!({ "path": "../outside", "delete": true });
        host.fail("file_write", attrs).await;
        assert!(folder.path().join("outside").exists());

        // The second time it is gone already, which is what was wanted.
        for _ in 0..2 {
            let attrs = json!({ "path": written["path"], "delete": true });
            assert_eq!(host.run("file_write", attrs).await.unwrap()["bytes"], 0);
        }
        for _ in 0..2 {
            let outputs = host.run("file_directory", folder_gone.clone()).await;
            assert_eq!(outputs.unwrap()["created"], false);
        }
        assert_eq!(fs::read_dir(&dir).unwrap().count(), 0);
        host.stop().await;
    })
    .await;
}

#[tokio::test]
async fn what_a_killed_process_left_is_removed_by_the_next_write() {
    watched(async {
        let folder = tempfile::tempdir().unwrap();
        let [left, in_use] = [".tenon-a1B2c3.tmp", ".tenon-d4E5f6.tmp"];
        let [left, in_use] = [left, in_use].map(|name| folder.path().join(name));
        fs::write(&left, "half of it").unwrap();
        // The lock of a process that is alive.
        let writer = fs::File::create(&in_use).unwrap();
        writer.lock().unwrap();
        let host = Host::start("file", json!({ "dir": folder.path() }))
            .await
            .unwrap();
        let attrs = json!({ "path": "file", "content": "text" });
        host.run("file_write", attrs).await.unwrap();
        assert!(!left.exists());
        assert!(in_use.exists());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
        host.stop().await;
    })
    .await;
}

/// No write may ever come to remove it.
#[tokio::test]
async fn what_a_killed_process_left_does_not_keep_a_folder_from_being_deleted() {
    watched(async {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("inner");
        fs::create_dir(&inner).unwrap();
        let left = inner.join(".tenon-a1B2c3.tmp");
        fs::write(&left, "half of it").unwrap();
        let host = Host::start("file", json!({ "dir": folder.path() }))
            .await
            .unwrap();
        let attrs = json!({ "path": "inner/file", "delete": true });
        host.run("file_write", attrs).await.unwrap();
        assert!(!left.exists());
        fs::write(&left, "half of it").unwrap();
        let attrs = json!({ "path": "inner", "delete": true });
        host.run("file_directory", attrs).await.unwrap();
        assert!(!inner.exists());
        host.stop().await;
    })
    .await;
}
