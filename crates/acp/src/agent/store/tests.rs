use tenon_protocols::acp::{Chunk, ContentBlock, SessionUpdate};

use super::*;

fn store() -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path().join("sessions")).unwrap();
    (folder, store)
}

fn info(cwd: &str) -> Info {
    Info {
        format: Info::FORMAT,
        session_id: new_id().unwrap(),
        cwd: cwd.into(),
        additional_directories: Vec::new(),
        created_at: now(),
        title: None,
        settings: Kept::default(),
    }
}

fn said(text: &str) -> SessionUpdate {
    SessionUpdate::AgentMessageChunk(Chunk::new(ContentBlock::text(text)))
}

fn heard(text: &str) -> SessionUpdate {
    SessionUpdate::UserMessageChunk(Chunk::new(ContentBlock::text(text)))
}

fn history(opened: &Opened) -> Vec<SessionUpdate> {
    opened.log.read().unwrap().map(Result::unwrap).collect()
}

#[test]
fn a_stored_history_is_read_again_with_its_chunks_joined() {
    let (_folder, store) = store();
    let mut opened = store.create(info("/w")).unwrap();
    let id = opened.info.session_id.clone();
    for update in [heard("hi"), said("hel"), said("lo"), heard("more")] {
        opened.log.append(&update).unwrap();
    }
    opened.info.title = Some("a title".into());
    store.save(&opened.info).unwrap();
    drop(opened);
    let opened = store.reopen(&id).unwrap();
    assert_eq!(opened.info.title.as_deref(), Some("a title"));
    assert_eq!(
        history(&opened),
        [heard("hi"), said("hello"), heard("more")]
    );
}

/// A process can be killed after any byte of a line.
#[test]
fn a_line_is_there_as_a_whole_or_not_at_all() {
    let (_folder, store) = store();
    let mut opened = store.create(info("/w")).unwrap();
    let id = opened.info.session_id.clone();
    opened.log.append(&heard("first")).unwrap();
    let path = store.path(&id, "jsonl");
    let first = fs::metadata(&path).unwrap().len();
    opened.log.append(&said("second")).unwrap();
    drop(opened);
    let whole = fs::read(&path).unwrap();
    for cut in first..=whole.len() as u64 {
        fs::write(&path, &whole[..usize::try_from(cut).unwrap()]).unwrap();
        let mut opened = store.reopen(&id).unwrap();
        let is_complete = cut == whole.len() as u64;
        let expected = match is_complete {
            true => vec![heard("first"), said("second")],
            false => vec![heard("first")],
        };
        assert_eq!(history(&opened), expected, "{cut}");
        opened.log.append(&heard("third")).unwrap();
        assert_eq!(history(&opened).last(), Some(&heard("third")), "{cut}");
    }
    // What a failing file system leaves does not hide what follows.
    fs::write(&path, [&whole[..], b"\0\0\0\n", &whole[..]].concat()).unwrap();
    assert_eq!(history(&store.reopen(&id).unwrap()).len(), 4);
}

#[test]
fn a_session_is_open_once() {
    let (folder, store) = store();
    let opened = store.create(info("/w")).unwrap();
    let id = opened.info.session_id.clone();
    let other = Store::open(folder.path().join("sessions")).unwrap();
    assert!(matches!(other.reopen(&id), Err(StoreError::Busy)));
    assert!(matches!(other.delete(&id), Err(StoreError::Busy)));
    drop(opened);
    drop(other.reopen(&id).unwrap());
    other.delete(&id).unwrap();
    other.delete(&id).unwrap();
    assert!(matches!(store.reopen(&id), Err(StoreError::NotFound)));
    assert_eq!(fs::read_dir(&store.folder).unwrap().count(), 0);
}

#[test]
fn ids_are_never_paths() {
    let (folder, store) = store();
    fs::write(folder.path().join("x.json"), "{}").unwrap();
    fs::write(folder.path().join("x.jsonl"), "").unwrap();
    for id in ["../x", "x", "/etc/passwd", "", "a\0b"] {
        assert!(
            matches!(store.reopen(id), Err(StoreError::NotFound)),
            "{id:?}"
        );
        store.delete(id).unwrap();
    }
    assert!(folder.path().join("x.json").exists());
}

#[cfg(unix)]
#[test]
fn a_link_is_not_followed() {
    let (folder, store) = store();
    fs::write(folder.path().join("x.jsonl"), "").unwrap();
    let id = new_id().unwrap();
    let link = store.path(&id, "jsonl");
    std::os::unix::fs::symlink(folder.path().join("x.jsonl"), link).unwrap();
    assert!(matches!(store.reopen(&id), Err(StoreError::File { .. })));
}

#[cfg(unix)]
#[test]
fn files_are_for_their_owner() {
    use std::os::unix::fs::MetadataExt;

    let (_folder, store) = store();
    let opened = store.create(info("/w")).unwrap();
    for extension in ["json", "jsonl"] {
        let path = store.path(&opened.info.session_id, extension);
        assert_eq!(fs::metadata(path).unwrap().mode() & 0o777, 0o600);
    }
    assert_eq!(fs::metadata(&store.folder).unwrap().mode() & 0o777, 0o700);
}

#[test]
fn lists_have_pages_and_an_order() {
    let (_folder, store) = store();
    let mut ids = Vec::new();
    for number in 0..120 {
        let cwd = if number % 2 == 0 { "/even" } else { "/odd" };
        let opened = store.create(info(cwd)).unwrap();
        ids.push(opened.info.session_id);
    }
    // One that cannot be read does not hide the others.
    fs::write(store.path(&new_id().unwrap(), "json"), "{").unwrap();
    let mut seen = Vec::new();
    let mut cursor = None;
    let mut sizes = Vec::new();
    loop {
        let page = store.list(None, cursor.as_deref()).unwrap();
        sizes.push(page.sessions.len());
        seen.extend(page.sessions.into_iter().map(|one| one.session_id));
        cursor = page.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(sizes, [50, 50, 20]);
    seen.sort();
    ids.sort();
    assert_eq!(seen, ids);
    let odd = store.list(Some("/odd/"), None).unwrap();
    assert_eq!(odd.sessions.len(), 50);
    assert!(odd.sessions.iter().all(|one| one.cwd == "/odd"));
    let times: Vec<_> = { odd.sessions.iter() }
        .map(|one| one.updated_at.clone().unwrap())
        .collect();
    assert!(times.is_sorted_by(|a, b| a >= b), "{times:?}");
    assert!(times[0].ends_with('Z'), "{times:?}");
    assert!(
        store
            .list(None, Some("nonsense"))
            .unwrap()
            .sessions
            .is_empty()
    );
}

#[test]
fn a_history_has_a_limit() {
    let (_folder, store) = store();
    let store = store.with_history_limit(200);
    let mut opened = store.create(info("/w")).unwrap();
    opened.log.append(&said("a")).unwrap();
    assert!(!opened.log.is_full());
    opened.log.append(&said(&"b".repeat(200))).unwrap();
    assert!(opened.log.is_full(), "the turn ends all the same");
    let id = opened.info.session_id.clone();
    drop(opened);
    assert!(store.reopen(&id).unwrap().log.is_full());
}
