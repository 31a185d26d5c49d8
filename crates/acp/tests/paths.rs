//! Attacks on the folders of a session. Each is tried for reading and for writing, and must neither return what is
//! outside nor change it.

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

/// The name of the attack, and the path that is tried after the folder was prepared.
type Attack = (&'static str, fn(&Place) -> String);

fn attacks() -> Vec<Attack> {
    vec![
        // By `..`.
        ("one step up", |p| p.at("../outside/secret")),
        ("two steps up from a folder", |p| {
            p.at("src/../../outside/secret")
        }),
        ("up and down again", |p| p.at("../root/../outside/secret")),
        ("up through a folder that does not exist", |p| {
            p.at("none/../../outside/secret")
        }),
        ("up through a file", |p| {
            p.at("src/main.rs/../../../outside/secret")
        }),
        ("far up", |p| {
            p.at(&format!("{}etc/passwd", "../".repeat(60)))
        }),
        ("up at the end", |p| p.at("..")),
        ("up after doubled slashes", |p| {
            p.at("//..//outside//secret")
        }),
        ("up after a dot", |p| p.at("./../outside/secret")),
        ("up with a trailing slash", |p| p.at("../outside/secret/")),
        ("a path that begins above", |p| {
            format!("/..{}", p.outside.join("secret").display())
        }),
        ("a path that leads in from outside", |p| {
            format!("{}/../outside/secret", p.root.display())
        }),
        // By other names of places.
        ("an absolute path outside", |p| {
            p.outside.join("secret").display().to_string()
        }),
        ("a sibling with the same beginning", |p| {
            format!("{}-2/secret", p.root.display())
        }),
        ("the parent folder", |p| {
            p.root.parent().unwrap().display().to_string()
        }),
        ("the root of the system", |_| "/".to_owned()),
        ("a file of the system", |_| "/etc/passwd".to_owned()),
        ("the process itself", |_| "/proc/self/environ".to_owned()),
        ("the root through the process", |p| {
            format!("/proc/self/root{}", p.outside.join("secret").display())
        }),
        ("the folder through the process", |_| {
            "/proc/self/cwd/Cargo.toml".to_owned()
        }),
        ("a descriptor", |_| "/proc/self/fd/0".to_owned()),
        ("a device", |_| "/dev/null".to_owned()),
        ("doubled slashes at the beginning", |p| {
            format!("/{}", p.outside.join("secret").display())
        }),
        // By spelling.
        ("a relative path", |_| "src/main.rs".to_owned()),
        ("a relative path upwards", |_| {
            "../outside/secret".to_owned()
        }),
        ("an empty path", |_| String::new()),
        ("a dot", |_| ".".to_owned()),
        ("a URL", |p| {
            format!("file://{}", p.outside.join("secret").display())
        }),
        ("a home folder", |_| "~/.ssh/id_rsa".to_owned()),
        ("a variable", |_| "$HOME/.ssh/id_rsa".to_owned()),
        ("a null character at the end", |p| {
            format!("{}\0", p.at("src/main.rs"))
        }),
        ("a null character before another ending", |p| {
            format!("{}\0.txt", p.outside.join("secret").display())
        }),
        ("a null character inside", |p| {
            p.at("src\0/../../outside/secret")
        }),
        ("percent-encoded dots", |p| p.at("%2e%2e/outside/secret")),
        ("percent-encoded slashes", |p| p.at("..%2foutside%2fsecret")),
        ("doubly encoded dots", |p| p.at("%252e%252e/outside/secret")),
        ("backslashes", |p| p.at("..\\outside\\secret")),
        ("a mixed separator", |p| {
            p.at("src\\..\\../../outside/secret")
        }),
        ("full-width dots", |p| {
            p.at("\u{ff0e}\u{ff0e}/outside/secret")
        }),
        ("a division slash", |p| {
            p.at("..\u{2215}outside\u{2215}secret")
        }),
        ("a two-dot leader", |p| p.at("\u{2025}/outside/secret")),
        ("an overlong encoding", |p| {
            p.at("%c0%ae%c0%ae/outside/secret")
        }),
        ("three dots", |p| p.at(".../outside/secret")),
        ("dots and a blank", |p| p.at(".. /outside/secret")),
        ("another case", |p| {
            p.outside
                .join("secret")
                .display()
                .to_string()
                .to_uppercase()
        }),
        ("another case of the folder", |p| {
            format!(
                "{}/../outside/secret",
                p.root.display().to_string().to_uppercase()
            )
        }),
        ("a very long path", |p| p.at(&"a/".repeat(4000))),
        ("a very long name", |p| p.at(&"a".repeat(300))),
        ("a drive", |_| "C:\\Windows\\win.ini".to_owned()),
        ("a stream of a file", |p| p.at("../outside/secret:$DATA")),
        // By symbolic links.
        ("a link to a file", |p| {
            p.link("l", p.outside.join("secret"));
            p.at("l")
        }),
        ("a link to a folder", |p| {
            p.link("l", &p.outside);
            p.at("l/secret")
        }),
        ("a relative link upwards", |p| {
            p.link("l", "../outside");
            p.at("l/secret")
        }),
        ("a relative link to a file", |p| {
            p.link("l", "../outside/secret");
            p.at("l")
        }),
        ("a link in a folder", |p| {
            p.link("src/deep/l", "../../../outside");
            p.at("src/deep/l/secret")
        }),
        ("a link to a link", |p| {
            p.link("one", "two");
            p.link("two", &p.outside);
            p.at("one/secret")
        }),
        ("a chain of links", |p| {
            p.link("l0", p.outside.join("secret"));
            (1..20).for_each(|n| p.link(&format!("l{n}"), format!("l{}", n - 1)));
            p.at("l19")
        }),
        ("a link to itself", |p| {
            p.link("l", "l");
            p.at("l")
        }),
        ("a circle of links", |p| {
            p.link("a", "b/x");
            p.link("b", "a/x");
            p.at("a/secret")
        }),
        ("a link to the parent and down", |p| {
            p.link("up", "..");
            p.at("up/outside/secret")
        }),
        ("a link to the root of the system", |p| {
            p.link("l", "/");
            p.at(&format!("l{}", p.outside.join("secret").display()))
        }),
        ("a link through the process", |p| {
            p.link("l", "/proc/self/root");
            p.at(&format!("l{}", p.outside.join("secret").display()))
        }),
        ("a link that is inside by its text alone", |p| {
            p.link("l", p.root.join("../outside"));
            p.at("l/secret")
        }),
        ("a link that goes in and out again", |p| {
            p.link("l", p.root.join("src/../../outside"));
            p.at("l/secret")
        }),
        ("a link up from a linked folder", |p| {
            p.link("s", "src/deep");
            p.link("src/deep/l", "../../../outside/secret");
            p.at("s/l")
        }),
        ("a link to a sibling with the same beginning", |p| {
            p.link("l", format!("{}-2", p.root.display()));
            p.at("l/secret")
        }),
        ("a link that leads nowhere, outside", |p| {
            p.link("l", p.outside.join("new"));
            p.at("l")
        }),
        ("a link to a folder that does not exist, outside", |p| {
            p.link("l", p.outside.join("none"));
            p.at("l/new")
        }),
        // By kinds of files.
        ("a folder", |p| p.at("src")),
        ("the folder itself", |p| p.root.display().to_string()),
        ("a file as a folder", |p| p.at("src/main.rs/x")),
        ("a FIFO", |p| {
            fifo(&p.root.join("f"));
            p.at("f")
        }),
        ("a link to a FIFO", |p| {
            fifo(&p.root.join("f"));
            p.link("l", "f");
            p.at("l")
        }),
        ("a socket", |p| {
            let socket = std::os::unix::net::UnixListener::bind(p.root.join("s")).unwrap();
            std::mem::forget(socket);
            p.at("s")
        }),
        ("a link to a device", |p| {
            p.link("l", "/dev/zero");
            p.at("l")
        }),
        ("a link to the memory of the process", |p| {
            p.link("l", "/proc/self/mem");
            p.at("l")
        }),
    ]
}

fn fifo(path: &Path) {
    let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
    rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, mode, 0).unwrap();
}

/// Files that a name of the attack creates inside do no harm: `%2e%2e` is a name like any other.
fn is_harmless_inside(name: &str) -> bool {
    [
        "percent-encoded dots",
        "percent-encoded slashes",
        "doubly encoded dots",
        "backslashes",
        "full-width dots",
        "a division slash",
        "a two-dot leader",
        "an overlong encoding",
        "three dots",
        "dots and a blank",
    ]
    .contains(&name)
}

#[test]
fn no_attack_reads_or_writes_outside() {
    let attacks = attacks();
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
        if is_harmless_inside(name) {
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
