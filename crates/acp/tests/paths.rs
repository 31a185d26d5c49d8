//! Attacks on the folders of a session. Each is tried for reading and for writing, and must neither return what is
//! outside nor change it.

#![cfg(unix)]

#[path = "paths/attacks.rs"]
mod attacks;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use tenon_acp::paths::{Access, PathError, Roots};
use tenon_protocols::acp::Profile;

const SECRET: &str = "the secret";

struct Place {
    _folder: tempfile::TempDir,
    /// The folder of the session.
    root: PathBuf,
    /// A folder beside it with a secret in it.
    outside: PathBuf,
    roots: Roots,
}

impl Place {
    fn new() -> Place {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().canonicalize().unwrap();
        let (root, outside) = (base.join("root"), base.join("outside"));
        fs::create_dir_all(root.join("src/deep")).unwrap();
        fs::create_dir(&outside).unwrap();
        fs::write(outside.join("secret"), SECRET).unwrap();
        fs::write(root.join("src/main.rs"), "fn main() {}\n").unwrap();
        // A folder whose name begins like that of the session.
        fs::create_dir(base.join("root-2")).unwrap();
        fs::write(base.join("root-2/secret"), SECRET).unwrap();
        let roots = Roots::open([&root]).unwrap();
        Place {
            _folder: folder,
            root,
            outside,
            roots,
        }
    }

    fn link(&self, name: &str, target: impl AsRef<Path>) {
        symlink(target, self.root.join(name)).unwrap();
    }

    /// The path of a file in the folder of the session.
    fn at(&self, name: &str) -> String {
        format!("{}/{name}", self.root.display())
    }
}

#[test]
fn no_attack_reads_or_writes_outside() {
    let attacks = attacks::all();
    assert!(attacks.len() >= 60, "{}", attacks.len());
    for (name, prepare) in attacks {
        let place = Place::new();
        let path = prepare(&place);
        let before = listing(place.root.parent().unwrap(), &place.root);
        assert!(place.roots.read(&path, None, None).is_err(), "{name}: read");
        assert!(
            place.roots.check(&path, Access::Read).is_err(),
            "{name}: check"
        );
        if attacks::is_harmless_inside(name) {
            place.roots.write(&path, "x").unwrap();
        } else {
            assert!(
                place.roots.check(&path, Access::Write).is_err(),
                "{name}: check"
            );
            assert!(place.roots.write(&path, "x").is_err(), "{name}: write");
        }
        assert_eq!(
            fs::read_to_string(place.outside.join("secret")).unwrap(),
            SECRET,
            "{name}"
        );
        let after = listing(place.root.parent().unwrap(), &place.root);
        assert_eq!(before, after, "{name}: something was created outside");
        assert_eq!(
            fs::read_to_string(place.root.join("src/main.rs")).unwrap(),
            "fn main() {}\n",
            "{name}"
        );
    }
}

/// Everything below a folder but what is in `except`.
fn listing(folder: &Path, except: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path != except {
            if entry.file_type().unwrap().is_dir() {
                found.extend(listing(&path, except));
            }
            found.push(path);
        }
    }
    found.sort();
    found
}

#[test]
fn files_inside_are_read_written_and_created() {
    let place = Place::new();
    let roots = &place.roots;
    assert_eq!(
        roots.read(&place.at("src/main.rs"), None, None).unwrap(),
        "fn main() {}\n"
    );
    assert_eq!(
        roots.read(&place.at("./src//main.rs"), None, None).unwrap(),
        "fn main() {}\n"
    );
    roots.write(&place.at("src/main.rs"), "//\n").unwrap();
    assert_eq!(
        fs::read_to_string(place.root.join("src/main.rs")).unwrap(),
        "//\n"
    );
    assert_eq!(
        roots.check(&place.at("a/b/new"), Access::Write).unwrap(),
        None
    );
    assert!(!place.root.join("a").exists(), "a check creates nothing");
    roots.write(&place.at("a/b/new"), "é").unwrap();
    assert_eq!(roots.read(&place.at("a/b/new"), None, None).unwrap(), "é");
    assert!(
        roots
            .check(&place.at("a/b/new"), Access::Write)
            .unwrap()
            .is_some()
    );
    assert_eq!(
        roots.check(&place.at("a/b/new"), Access::Read).unwrap(),
        roots.check(&place.at("a/b/new"), Access::Write).unwrap()
    );
    let missing = roots.read(&place.at("none"), None, None).unwrap_err();
    let error = missing.error("/x", Profile::V1);
    assert_eq!(error.code.number(), -31700);
    let data: serde_json::Value = error.data.unwrap().decode().unwrap();
    assert_eq!(data["details"], "No such file or directory (ENOENT)");
    assert_eq!(data["acpCode"], -32002);
}

#[test]
fn links_that_stay_inside_are_followed() {
    let place = Place::new();
    place.link("file", "src/main.rs");
    place.link("folder", "src");
    place.link("src/deep/up", "../main.rs");
    place.link("absolute", place.root.join("src"));
    place.link("around", "src/deep/../../src/main.rs");
    place.link("new", "src/created");
    for path in [
        "file",
        "folder/main.rs",
        "src/deep/up",
        "absolute/main.rs",
        "around",
        "folder/deep/up",
    ] {
        assert_eq!(
            place.roots.read(&place.at(path), None, None).unwrap(),
            "fn main() {}\n",
            "{path}"
        );
    }
    place.roots.write(&place.at("new"), "x").unwrap();
    assert_eq!(
        fs::read_to_string(place.root.join("src/created")).unwrap(),
        "x"
    );
    assert!(
        fs::symlink_metadata(place.root.join("new"))
            .unwrap()
            .is_symlink()
    );
}

#[test]
fn a_file_with_another_name_is_not_written() {
    let place = Place::new();
    fs::hard_link(place.outside.join("secret"), place.root.join("hard")).unwrap();
    let error = place.roots.write(&place.at("hard"), "x").unwrap_err();
    assert!(error.to_string().contains("hard links"), "{error}");
    assert!(place.roots.check(&place.at("hard"), Access::Write).is_err());
    assert_eq!(
        fs::read_to_string(place.outside.join("secret")).unwrap(),
        SECRET
    );
    assert_eq!(error.error("/x", Profile::V1).code.number(), -31701);
}

#[test]
fn large_files_and_bytes_are_refused() {
    let place = Place::new();
    let large = "x".repeat(10 * 1024 * 1024 + 1);
    assert!(matches!(
        place.roots.write(&place.at("large"), &large),
        Err(PathError::TooLarge(_))
    ));
    assert!(!place.root.join("large").exists());
    fs::write(place.root.join("large"), &large).unwrap();
    assert!(matches!(
        place.roots.read(&place.at("large"), None, None),
        Err(PathError::TooLarge(_))
    ));
    fs::write(place.root.join("bytes"), [0xff, 0xfe]).unwrap();
    assert!(matches!(
        place.roots.read(&place.at("bytes"), None, None),
        Err(PathError::NotText)
    ));
}

#[test]
fn a_session_may_have_several_folders_and_names_for_them() {
    let place = Place::new();
    let alias = place.root.parent().unwrap().join("alias");
    symlink(&place.root, &alias).unwrap();
    let roots = Roots::open([&alias, &place.outside]).unwrap();
    for path in [
        alias.join("src/main.rs"),
        place.root.join("src/main.rs"),
        place.outside.join("secret"),
    ] {
        roots.read(path.to_str().unwrap(), None, None).unwrap();
    }
    assert!(Roots::open(["relative"]).is_err());
    assert!(Roots::open([place.root.join("none")]).is_err());
    assert!(Roots::open([place.root.join("src/main.rs")]).is_err());
}

/// The folder of the session is the one that was opened, also if its name leads elsewhere now.
#[test]
fn a_replaced_folder_does_not_change_the_session() {
    let place = Place::new();
    fs::rename(&place.root, place.root.with_extension("old")).unwrap();
    symlink(&place.outside, &place.root).unwrap();
    assert!(place.roots.read(&place.at("secret"), None, None).is_err());
    place.roots.write(&place.at("new"), "x").unwrap();
    assert!(!place.outside.join("new").exists());
}

/// Someone replaces a folder by a link and back, all the time.
#[test]
fn races_do_not_lead_outside() {
    let place = Place::new();
    fs::create_dir(place.root.join("real")).unwrap();
    fs::write(place.root.join("real/secret"), "inside").unwrap();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let (real, link, name) = (
                place.root.join("real"),
                place.root.join("link"),
                place.root.join("x"),
            );
            symlink(&place.outside, &link).unwrap();
            while !done.load(Ordering::Relaxed) {
                fs::rename(&real, &name).unwrap();
                fs::rename(&name, &real).unwrap();
                fs::rename(&link, &name).unwrap();
                fs::rename(&name, &link).unwrap();
            }
        });
        for _ in 0..5000 {
            if let Ok(text) = place.roots.read(&place.at("x/secret"), None, None) {
                assert!(
                    text == "inside" || text == "written" || text.is_empty(),
                    "{text}"
                );
            }
            // The folder may not exist at this moment, and would be created in the other's way.
            if place
                .roots
                .check(&place.at("x/secret"), Access::Write)
                .is_ok_and(|found| found.is_some())
            {
                assert_eq!(
                    fs::read_to_string(place.outside.join("secret")).unwrap(),
                    SECRET
                );
            }
        }
        done.store(true, Ordering::Relaxed);
    });
    assert_eq!(
        fs::read_to_string(place.outside.join("secret")).unwrap(),
        SECRET
    );
}

/// The folder and a link that leads outside change places, all the time.
#[cfg(target_os = "linux")]
#[test]
fn races_do_not_write_outside() {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    let place = Place::new();
    let (folder, link) = (place.root.join("x"), place.root.join("y"));
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("secret"), "inside").unwrap();
    symlink(&place.outside, &link).unwrap();
    let done = AtomicBool::new(false);
    let written = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                renameat_with(CWD, &folder, CWD, &link, RenameFlags::EXCHANGE).unwrap();
            }
        });
        let written = (0..5000).filter(|number| {
            let text = "written".repeat(number % 3);
            place.roots.write(&place.at("x/secret"), &text).is_ok()
        });
        let written = written.count();
        done.store(true, Ordering::Relaxed);
        written
    });
    let kept = fs::read_to_string(place.outside.join("secret")).unwrap();
    assert_eq!((kept.as_str(), written > 0), (SECRET, true));
    assert_eq!(fs::read_dir(&place.outside).unwrap().count(), 1);
}

/// Its owner, its rights and the programs that watch it stay as they are.
#[test]
fn a_file_is_changed_where_it_is() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let place = Place::new();
    let path = place.root.join("src/main.rs");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o750)).unwrap();
    let before = fs::metadata(&path).unwrap();
    for text in ["a much longer text than before\n", "x", ""] {
        place.roots.write(&place.at("src/main.rs"), text).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }
    let after = fs::metadata(&path).unwrap();
    assert_eq!((after.ino(), after.mode()), (before.ino(), before.mode()));
}
