//! Windows: attacks on the folders of a session by the spellings of paths, and rules that know them.

#![cfg(windows)]

use std::fs;
use std::path::{Path, PathBuf};

use tenon_acp::facts::Facts;
use tenon_acp::paths::{Access, FolderNames, PathError, Roots};
use tenon_acp::policy::{Action, Policy};
use tenon_hcl::Source;
use tenon_protocols::acp::CreateTerminalParams;

const SECRET: &str = "the secret";

struct Place {
    /// Closed first: an open folder cannot be removed.
    roots: Roots,
    root: PathBuf,
    outside: PathBuf,
    _folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Place {
        let folder = tempfile::tempdir().unwrap();
        let (root, outside) = (
            folder.path().join("Wurzel ö"),
            folder.path().join("outside"),
        );
        fs::create_dir_all(root.join("src")).unwrap();
        fs::create_dir(&outside).unwrap();
        fs::write(outside.join("secret"), SECRET).unwrap();
        fs::write(root.join("src/main.rs"), "fn main() {}\r\n").unwrap();
        let roots = Roots::open([&root]).unwrap();
        Place {
            _folder: folder,
            root,
            outside,
            roots,
        }
    }

    fn at(&self, name: &str) -> String {
        format!(r"{}\{name}", self.root.display())
    }
}

#[test]
fn no_spelling_leads_outside() {
    let place = Place::new();
    let secret = place.outside.join("secret").display().to_string();
    let (drive, rest) = secret.split_at(2);
    let attacks = [
        place.at(r"..\outside\secret"),
        place.at("../outside/secret"),
        place.at(r"src\..\..\outside\secret"),
        place.at(r".. \outside\secret"),
        place.at(r"...\outside\secret"),
        place.at(r"src/..\../outside\secret"),
        secret.clone(),
        secret.to_uppercase(),
        format!(r"\\?\{secret}"),
        format!(r"\\.\{secret}"),
        format!(r"\??\{secret}"),
        format!(r"\\?\{}\..\outside\secret", place.root.display()),
        format!(r"\\?\{}\src/../../outside/secret", place.root.display()),
        format!(r"\\localhost\{}${rest}", &drive[..1]),
        format!(r"\\127.0.0.1\{}${rest}", &drive[..1]),
        r"\\?\UNC\localhost\C$\x".into(),
        r"\\?\GLOBALROOT\Device\Null".into(),
        rest.to_owned(),
        format!("{drive}secret"),
        "secret".into(),
        r"\\.\pipe\x".into(),
        r"\\.\pipe\..\x".into(),
        r"\\.\CON".into(),
        r"\\.\PhysicalDrive0".into(),
        "CON".into(),
        "NUL".into(),
        String::new(),
        place.root.display().to_string(),
        place.at("src"),
        place.at(r"src\main.rs\x"),
        place.at("src\0"),
    ];
    for path in attacks {
        assert!(place.roots.read(&path, None, None).is_err(), "{path}: read");
        for access in [Access::Read, Access::Write] {
            assert!(place.roots.check(&path, access).is_err(), "{path}: check");
        }
        assert!(place.roots.write(&path, "x").is_err(), "{path}: write");
    }
    assert_eq!(
        fs::read_to_string(place.outside.join("secret")).unwrap(),
        SECRET
    );
    assert_eq!(fs::read_dir(&place.outside).unwrap().count(), 1);
    assert_eq!(fs::read_dir(&place.root).unwrap().count(), 1);
}

/// What other programs read as another name is refused, and nothing is created.
#[test]
fn names_with_several_meanings_are_refused() {
    let place = Place::new();
    for name in [
        "src\\main.rs:stream",
        "src\\main.rs::$DATA",
        "src::$INDEX_ALLOCATION\\main.rs",
        "src\\main.rs.",
        "src\\main.rs ",
        "src.\\main.rs",
        "new.",
        "new ",
        "CON",
        "con.txt",
        "src\\NUL",
        "COM1.txt",
        "lpt9",
        "aux.a.b",
        "COM²",
        "CONIN$",
        "a*b",
        "a?b",
        "a<b",
        "a|b",
        "a\"b",
        "a\nb",
        "nul\\x",
    ] {
        let path = place.at(name);
        let refused = place.roots.write(&path, "x").unwrap_err();
        assert!(
            matches!(refused, PathError::Invalid(_)),
            "{name}: {refused:?}"
        );
        assert!(place.roots.read(&path, None, None).is_err(), "{name}");
        assert!(place.roots.check(&path, Access::Write).is_err(), "{name}");
    }
    let all = fs::read_dir(place.root.join("src")).unwrap();
    assert_eq!(all.count(), 1);
    assert_eq!(fs::read_dir(&place.root).unwrap().count(), 1);
}

#[test]
fn files_inside_have_several_spellings() {
    let place = Place::new();
    let root = place.root.display().to_string();
    let canonical = place.root.canonicalize().unwrap();
    for path in [
        place.at(r"src\main.rs"),
        place.at("src/main.rs"),
        place.at(r".\src\\MAIN.RS"),
        format!("{}/src/main.rs", root.replace('\\', "/")),
        format!(r"{}\SRC\main.rs", root.to_uppercase()),
        format!(r"{}\src\main.rs", canonical.display()),
    ] {
        let read = place.roots.read(&path, None, None);
        assert_eq!(read.unwrap(), "fn main() {}\r\n", "{path}");
    }
    place.roots.write(&place.at("a/b/ä.txt"), "é\r\n").unwrap();
    assert_eq!(
        fs::read_to_string(place.root.join("a/b/ä.txt")).unwrap(),
        "é\r\n"
    );
    let line = place
        .roots
        .read(&place.at(r"src\main.rs"), Some(1), Some(1));
    assert_eq!(line.unwrap(), "fn main() {}\r\n");
}

#[test]
fn a_file_with_another_name_is_not_written() {
    let place = Place::new();
    fs::hard_link(place.outside.join("secret"), place.root.join("hard")).unwrap();
    let error = place.roots.write(&place.at("hard"), "x").unwrap_err();
    assert!(error.to_string().contains("hard links"), "{error}");
    assert_eq!(
        fs::read_to_string(place.outside.join("secret")).unwrap(),
        SECRET
    );
}

/// Paths of more than 260 characters need no prefix.
#[test]
fn long_paths_are_read_and_written() {
    let place = Place::new();
    let name = vec!["a".repeat(60); 6].join("\\");
    let path = place.at(&format!(r"{name}\file.txt"));
    assert!(path.len() > 300);
    place.roots.write(&path, "x").unwrap();
    assert_eq!(place.roots.read(&path, None, None).unwrap(), "x");
    assert!(place.roots.check(&path, Access::Write).unwrap().is_some());
}

fn decide(policy: &str, facts: &Facts, folder: &Path) -> Action {
    let policy = Policy::parse(&Source::new("policy", policy)).unwrap();
    policy.decide(facts, &FolderNames::only(folder)).action
}

#[test]
fn rules_know_the_spellings_of_paths() {
    let folder = Path::new(r"C:\w");
    let secrets =
        "default = \"allow\"\nrule \"secrets\" {\n action = \"deny\"\n path = [\"**/.env\"]\n}\n";
    for path in [
        r"C:\w\.env",
        "C:/w/.env",
        r"c:\W\.ENV",
        ".env",
        r"src\..\.env",
        r"C:\w\.env.",
        r"C:\w\.env ",
        r"C:\w\.env::$DATA",
        r"\\?\C:\w\.env",
        r"\\.\C:\w\.env",
        r"\w\.env",
        r"D:\other\.env",
        r"\\host\share\.env",
        "file:///C:/w/.env",
        "file:///C:/w/%2eenv",
        "file://host/share/.env",
    ] {
        let facts = Facts::reading(path, folder);
        assert_eq!(decide(secrets, &facts, folder), Action::Deny, "{path}");
    }
    let inside =
        "default = \"ask\"\nrule \"src\" {\n action = \"allow\"\n path = [\"src/**\"]\n}\n";
    for path in [r"C:\w\src\a.rs", "src/a.rs", r"c:\W\SRC\a.rs"] {
        let facts = Facts::writing(path, folder);
        assert_eq!(decide(inside, &facts, folder), Action::Allow, "{path}");
    }
    for path in [
        r"C:\w2\src\a.rs",
        r"D:\w\src\a.rs",
        r"src\..\a.rs",
        "C:src\\a.rs",
        r"\\host\w\src\a",
    ] {
        let facts = Facts::writing(path, folder);
        assert_eq!(decide(inside, &facts, folder), Action::Ask, "{path}");
    }
    let drive = "default = \"ask\"\nrule \"c\" {\n action = \"deny\"\n path = [\"C:/Windows/**\", \"/etc/**\"]\n}\n";
    for path in [
        r"c:\windows\x",
        "C:/Windows/System32/drivers/etc/hosts",
        r"D:\etc\x",
    ] {
        let facts = Facts::writing(path, folder);
        assert_eq!(decide(drive, &facts, folder), Action::Deny, "{path}");
    }
}

#[test]
fn rules_know_the_spellings_of_commands() {
    let folder = Path::new(r"C:\w");
    let policy = "default = \"ask\"\nrule \"no\" {\n action = \"deny\"\n command = [\"git push*\"]\n}\n\
                  rule \"yes\" {\n action = \"allow\"\n command = [\"git log*\", \"dir*\"]\n}\n";
    let running = |line: &str| {
        let params = serde_json::json!({ "sessionId": "s", "command": line });
        let params: CreateTerminalParams = serde_json::from_value(params).unwrap();
        decide(policy, &Facts::running(&params, folder), folder)
    };
    for line in [
        "git push",
        "GIT.EXE push",
        r"C:\Git\git.exe push",
        "g^it push",
        "cmd /c git push",
    ] {
        assert_eq!(running(line), Action::Deny, "{line}");
    }
    for line in ["git log", "git log & dir", "dir /b"] {
        assert_eq!(running(line), Action::Allow, "{line}");
    }
    for line in [
        "git log 'a & del x'",
        "git log ^& del x",
        "git log %X%",
        "powershell -enc AAAA",
    ] {
        assert_eq!(running(line), Action::Ask, "{line}");
    }
}
