//! The attacks: by `..`, by spelling, by links and by kinds of files.

use std::path::Path;

use super::Place;

/// The name of the attack, and the path that is tried after the folder was prepared.
pub(super) type Attack = (&'static str, fn(&Place) -> String);

pub(super) fn all() -> Vec<Attack> {
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
pub(super) fn is_harmless_inside(name: &str) -> bool {
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
