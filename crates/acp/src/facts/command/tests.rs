//! How a line is taken apart.

mod finding;

use super::*;

#[track_caller]
fn parts(line: &str, expected: &[&str], is_opaque: bool) {
    let commands = Commands::on_unix(line);
    assert_eq!(commands.parts, expected, "{line}");
    assert_eq!(commands.is_opaque, is_opaque, "{line}");
}

#[test]
fn lines_are_cut_at_the_operators_of_shells() {
    parts("git status", &["git status"], false);
    parts("git status && rm -rf /", &["git status", "rm -rf /"], false);
    parts(
        "a; b | c & d || e\nf",
        &["a", "b", "c", "d", "e", "f"],
        false,
    );
    parts("(cd x; make)", &["cd x", "make"], false);
    parts(
        "echo 'a; b' \"c && d\" e\\;f",
        &["echo 'a; b' \"c && d\" e\\;f"],
        false,
    );
    parts("", &[], false);
}

/// Agents write these all the time.
#[test]
fn what_changes_nothing_is_left_out_of_a_command() {
    for line in [
        "cargo test 2>&1",
        "cargo test > /dev/null",
        "cargo test >/dev/null 2>&1",
        "cargo test 2>/dev/null",
        "cargo test 2>&-",
        "2>&1 cargo test",
        "cargo 2>&1 test",
        "LANG=C cargo test",
        "LC_ALL=C.UTF-8 PAGER=cat cargo test 2>&1",
    ] {
        let commands = Commands::on_unix(line);
        let [part] = &commands.parts[..] else {
            panic!("{line}: {commands:?}")
        };
        let words: Vec<&str> = part.split_whitespace().collect();
        assert_eq!(words, ["cargo", "test"], "{line}");
        assert!(!commands.is_opaque, "{line}");
    }
    parts("cargo test 2>&1 | tail", &["cargo test", "tail"], false);
    parts("ls \"2\">&1", &["ls \"2\""], false);
    parts("ls a2>&1", &["ls a2"], false);
    parts("PAGER=./x git log", &["PAGER=./x git log"], false);
    parts("LANG='x y' ls", &["LANG='x y' ls"], false);
    // These are the names of programs.
    for line in [
        "LC_x/y=z make",
        "LC_a-b=c make",
        "make\u{a0}",
        "\u{3000}make",
    ] {
        parts(line, &[line], false);
    }
}

#[test]
fn commands_that_cannot_be_read_are_marked() {
    for line in [
        "git status $(rm x)",
        "echo \"$(rm x)\"",
        "git log `rm x`",
        "diff <(rm x) y",
        "git status > ~/.bashrc",
        "git status 'x",
        "git status \\",
    ] {
        assert!(Commands::on_unix(line).is_opaque, "{line}");
    }
    for line in [
        r"git status ${x:=\\140touch pwn\\140}${x@P}",
        r"echo ${x='\044(touch pwn)'}${x@P}",
        "git log $X",
        "git log $1",
        "echo \"$HOME\"",
        "echo ${!x}",
        "echo $[1+1]",
        "echo $=x",
        "git log ''$X",
        "g?t log",
        "git log --format=evil 1<>/root/.bashrc",
        "git log <>x",
        "git log {fd}<>x",
        "git log 2>&1x",
        "git log >&x",
        "git log 2>&1 >x",
        "git log >/dev/nullx",
        "git log >/dev/null$X",
        "git log &>>x",
    ] {
        assert!(Commands::on_unix(line).is_opaque, "{line}");
    }
    parts("grep \"a$\" 'b$' $ c", &["grep \"a$\" 'b$' $ c"], false);
    parts("echo '$(x) `y` > z'", &["echo '$(x) `y` > z'"], false);
    parts("sort < file", &["sort < file"], false);
    for line in [
        // They hide a command from a reader that does not know them.
        r"git log 'a\'b' ; rm -rf / #'",
        "git log \\\r\nrm -rf /",
        "git log\rrm -rf /",
        "git log # it's\nrm -rf / # '",
        r"git log $'\'' ; rm -rf / ; echo \'",
        "cat <<E\n'\nE\nrm -rf / #'",
        "git log \0",
    ] {
        let commands = Commands::on_unix(line);
        assert!(commands.is_opaque || commands.parts.len() > 1, "{line}");
    }
}

#[test]
fn one_command_has_one_key() {
    let words = |words: &[&str]| Key::Words(words.iter().map(|word| (*word).to_owned()).collect());
    let line = |line: &str| Key::Line(line.to_owned());
    for line in ["git push", " git  push\n"] {
        assert_eq!(Commands::key(line), words(&["git", "push"]), "{line}");
    }
    // Shells of Windows read these in different ways.
    for quoted in ["'git' \"push\"", "git \\\n push"] {
        let expected = match cfg!(windows) {
            true => line(quoted),
            false => words(&["git", "push"]),
        };
        assert_eq!(Commands::key(quoted), expected, "{quoted}");
    }
    assert_eq!(Commands::key("git push; ls"), line("git push; ls"));
    assert_eq!(
        Commands::key("sudo git push"),
        words(&["sudo", "git", "push"])
    );
    assert_eq!(Commands::key("git push > x"), line("git push > x"));
    assert_eq!(Commands::key("X=1 git push"), line("X=1 git push"));
}

#[test]
fn other_commands_have_other_keys() {
    for (one, other) in [
        ("ls 'x; rm -r src'", "ls x; rm -r src"),
        ("ls 'a b'", "ls a b"),
        ("ls ''", "ls"),
        ("rm '*'", "rm *"),
        ("rm '~'", "rm ~"),
        ("rm '{a,b}'", "rm {a,b}"),
        ("rm a b", "rm {a,b}"),
        ("ls '$HOME'", "ls $HOME"),
        ("ls '> x'", "ls > x"),
        ("cat", "cat < /etc/passwd"),
        ("ls", "ls > /dev/null"),
        ("ls", "not ls"),
        ("ls", "! ls"),
        ("'X=1' ls", "X=1 ls"),
        ("'=ls' x", "=ls x"),
        ("./x", "./x\u{a0}"),
        ("./x", "./x\r"),
        ("ls \\\nx", "ls \\\r\nx"),
    ] {
        assert_ne!(Commands::key(one), Commands::key(other), "{one} | {other}");
    }
}

#[test]
fn words_stay_words() {
    assert_eq!(
        command_line("git", &["log".into(), "it's".into()]),
        r"git log 'it'\''s'"
    );
    assert_eq!(command_line("ls", &["; rm".into()]), "ls '; rm'");
    assert_eq!(command_line("LANG=x/y", &["a=b".into()]), "'LANG=x/y' a=b");
    let commands = Commands::on_unix(&command_line("ls", &["; rm".into()]));
    assert_eq!(commands.parts.len(), 1);
}

/// Anyone can call a program `sh`, and a shell can be given the name of a file.
#[test]
fn only_shells_of_the_system_are_given_a_script() {
    let read = |words: &[&str]| {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        script(&words[0], &words[1..]).map(|given| matches!(given, Given::Script("a; b")))
    };
    for (program, option) in [
        ("sh", "-c"),
        ("/bin/sh", "-c"),
        ("/usr/bin/bash", "-lc"),
        ("zsh", "-ic"),
        ("/opt/homebrew/bin/bash", "-euxc"),
    ] {
        let words = [program, option, "a; b"];
        assert_eq!(read(&words), Some(true), "{words:?}");
    }
    for (program, option) in [
        ("./sh", "-c"),
        ("bin/sh", "-c"),
        ("/tmp/sh", "-c"),
        ("/bin/../tmp/sh", "-c"),
        ("bash", "--norc"),
        ("bash", "-oc"),
        ("bash", "-Oc"),
        ("fish", "-pc"),
        ("fish", "-c"),
    ] {
        let words = [program, option, "a; b"];
        assert_eq!(read(&words), Some(false), "{words:?}");
    }
    assert_eq!(read(&["sh", "-c", "-x"]), Some(false));
    assert_eq!(read(&["python", "-c", "a; b"]), None);
    assert_eq!(read(&["sh", "-e", "a; b"]), None);
    assert_eq!(read(&["sh", "-c", "a; b", "x"]), None);
}

/// Whatever it is given, it ends soon and does not fill the memory.
#[test]
fn long_and_deep_lines_are_not_read_to_their_end() {
    let rm = finding::glob("rm *");
    for line in [
        "$(".repeat(200_000),
        "sudo ".repeat(200_000),
        "sudo -ab ".repeat(10_000),
        format!("sudo {}", "a ".repeat(60_000)),
        "PATH=x ".repeat(10_000),
        format!("git {}", "-c x ".repeat(20_000)),
        format!("sudo {}", "a ".repeat(500_000)),
        "`".repeat(200_001),
        "\"$(".repeat(50_000),
        "{a,".repeat(200_000),
        "((((".repeat(200_000),
        "<<E\n".repeat(100_000),
        "x".repeat(1 << 20),
    ] {
        let commands = Commands::on_unix(&line);
        assert!(!matches!(commands.find(&rm), Meant::Yes(_)));
    }
    let long = Commands::on_unix(&format!("true {}; rm x", "x".repeat(1 << 18)));
    assert!(long.is_opaque && matches!(long.find(&rm), Meant::Perhaps(_)));
}
