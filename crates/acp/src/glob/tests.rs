//! What patterns match.

use super::*;

fn path(pattern: &str, text: &str) -> bool {
    Glob::read(pattern, Kind::Path).unwrap().matches(text)
}

fn command(pattern: &str, text: &str) -> bool {
    Glob::read(pattern, Kind::Command).unwrap().matches(text)
}

#[test]
fn paths_are_matched_by_their_parts() {
    assert!(path("*.rs", "main.rs") && !path("*.rs", "src/main.rs"));
    assert!(path("src/**", "src/a") && path("src/**", "src/a/b.rs"));
    assert!(!path("src/**", "src") && !path("src/**", "source/a"));
    assert!(path("**/*.env", ".env") && path("**/.env*", "a/b/.env.local"));
    assert!(path("**/.git/**", ".git/config") && path("**/.git/**", "a/.git/hooks/x"));
    assert!(path("a/**/c", "a/c") && path("a/**/c", "a/b/b/c") && !path("a/**/c", "a/bc"));
    assert!(path("**", "any/thing") && path("/etc/**", "/etc/passwd"));
    assert!(path("{src,tests}/*.{rs,toml}", "tests/a.toml") && !path("{a,b}", "c"));
    assert!(path("{a,b{c,d}}", "bd") && path("x{,y}", "x") && path("x{,y}", "xy"));
    assert!(path("[!a-c]?", "de") && !path("[^a-c]", "b") && path("[a-]", "-"));
    assert!(path(r"\*.rs", "*.rs") && !path(r"\*.rs", "a.rs") && path(r"[\]]", "]"));
    assert!(!path("a?b", "a/b") && !path("a[!x]b", "a/b"));
    assert!(path("été/*", "été/ß"));
}

#[test]
fn the_case_of_letters_can_be_ignored() {
    let any_case = |pattern: &str, text: &str| {
        let glob = Glob::read(pattern, Kind::Path).unwrap();
        glob.matches_in(text, Case::Any)
    };
    assert!(any_case("**/.env", "a/.ENV") && any_case("SRC/*.Rs", "src/É.rS"));
    assert!(any_case("[Z-a]", "z") && any_case("été", "ÉTÉ"));
    assert!(!any_case("src/*", "SRC/a/b") && !path("**/.env", ".ENV"));
    assert!(!any_case("[!a]", "A") && any_case("[!a]", "B") && !any_case("s", "ß"));
}

#[test]
fn commands_are_matched_as_a_whole() {
    assert!(command("git status*", "git status --short src/a"));
    assert!(command("cargo {test,check}", "cargo check") && !command("cargo test", "cargo test x"));
    assert!(!command("git status*", "sudo git status"));
    assert!(command("npm run *", "npm run a/b c"));
    assert!(command("rm [/~]*", "rm /etc") && command("cat ?etc", "cat /etc"));
}

#[test]
fn unknown_parts_of_a_text_match_what_they_can_be() {
    let may = |pattern: &str, text: &str| {
        let letters: Vec<Option<char>> = { text.chars() }
            .map(|letter| Some(letter).filter(|letter| *letter != '_'))
            .collect();
        Glob::read(pattern, Kind::Command)
            .unwrap()
            .may_match(&letters, &[], Case::Exact)
    };
    for (pattern, text) in [
        ("git push*", "git push"),
        ("git push*", "_"),
        ("git push*", "git _"),
        ("git push*", "_ push"),
        ("git push", "g_h"),
        ("* --force", "git push _"),
        ("{rm,mv} *", "_ x"),
        ("[a-c]x", "_x"),
    ] {
        assert!(may(pattern, text), "{pattern} {text}");
    }
    for (pattern, text) in [
        ("git push*", "git pull"),
        ("git push*", "rm _"),
        ("git push", "git push_x"),
        ("git push", "_pull"),
        ("rm *", ""),
    ] {
        assert!(!may(pattern, text), "{pattern} {text}");
    }
}

#[test]
fn patterns_that_name_a_folder_are_known() {
    let is_name = |pattern: &str| Glob::read(pattern, Kind::Path).unwrap().ends_with_name();
    for pattern in ["secrets", "**/.ssh", "/home/*/.aws", "{a,b}/c", r"a/\*"] {
        assert!(is_name(pattern), "{pattern}");
    }
    for pattern in ["*", "**", "src/**", "**/.env*", "a/", "{a,b*}", "[a]"] {
        assert!(!is_name(pattern), "{pattern}");
    }
}

#[test]
fn parts_of_a_text_can_be_left_out() {
    let letters: Vec<Option<char>> = "git -C x push -v".chars().map(Some).collect();
    let may = |pattern: &str, skips: &[(usize, usize)]| {
        let pattern = Glob::read(pattern, Kind::Command).unwrap();
        pattern.may_match(&letters, skips, Case::Exact)
    };
    let (option, value, verbose) = ((3, 6), (3, 8), (13, 16));
    assert!(!may("git push*", &[]) && !may("git push*", &[option]));
    assert!(may("git push*", &[option, value]) && may("git x push*", &[option]));
    assert!(may("git push", &[value, verbose]) && !may("git push", &[value]));
}

#[test]
fn wrong_patterns_say_what_is_wrong() {
    for (pattern, problem) in [
        ("", "empty"),
        ("[", "no `]`"),
        ("[a", "no `]`"),
        ("{a", "no `}`"),
        ("a}", "no `{`"),
        ("a\\", "nothing follows"),
        ("[z-a]", "ends before it begins"),
        ("{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}", "256"),
    ] {
        let error = Glob::read(pattern, Kind::Path).unwrap_err();
        assert!(error.contains(problem), "{pattern}: {error}");
    }
}

/// A matcher that tries everything would not end.
#[test]
fn many_stars_take_no_longer_than_the_text() {
    let pattern = "*a".repeat(200);
    assert!(!path(&pattern, &"a".repeat(199)));
    assert!(command(&pattern, &"a".repeat(2000)));
}
