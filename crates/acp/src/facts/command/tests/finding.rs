//! Which lines a rule is about.

use super::*;

pub(super) fn glob(pattern: &str) -> Glob {
    Glob::read(pattern, crate::glob::Kind::Command).unwrap()
}

/// Spellings of a command that a shell runs all the same.
#[test]
fn a_command_is_found_in_every_spelling() {
    let push = glob("git push*");
    for line in [
        "git push",
        " git   push  origin",
        "git\tpush",
        "\"git\" push",
        "g'i't pu\"sh\"",
        r"\git pu\sh",
        "git \\\n  push",
        "gi\\\nt push",
        "git$IFS''push",
        "git${IFS}push",
        "g${x}it push",
        "g$@it push",
        "$'git' push",
        r"$'\x67it' $'pus\150'",
        "{git,push,origin}",
        "/usr/bin/git push",
        "./git push",
        "~/bin/git push",
        "$HOME/bin/git push",
        "X=1 git push",
        "X=1 Y='a b' git push",
        "env X=1 git push",
        "env -i -u HOME X=1 /usr/bin/git push",
        "env -S 'git push'",
        "time git push",
        "time -p git push",
        "nice -n 5 git push",
        "sudo -u root -- git push",
        "doas git push",
        "command git push",
        "command -p git push",
        "builtin command git push",
        "exec git push",
        "exec -a x git push",
        "nohup git push &",
        "timeout -k 5 10 git push",
        "stdbuf -oL git push",
        "setsid -w git push",
        "echo origin | xargs git push",
        "xargs -n1 -I{} git push {}",
        "find . -exec git push ;",
        "sh -c 'git push'",
        "bash -lc \"git push\"",
        "/bin/sh -ec 'cd x && git push'",
        "sudo sh -c 'env X=1 bash -c \"git push\"'",
        "eval git push",
        "eval 'git' \"push\"",
        "ssh host 'cd x; git push'",
        "trap 'git push' EXIT",
        "(git push)",
        "( cd x; git push )",
        "{ git push; }",
        "! git push",
        "if git push; then :; fi",
        "while :; do git push; done",
        "for x in a; do git push; done",
        "case a in a) git push;; esac",
        "f() { git push; }; f",
        "true;git push",
        "true&&git push",
        "false||git push",
        "true|git push",
        "true&git push",
        "true\ngit push",
        "echo $(git push)",
        "echo \"a $(git push) b\"",
        "echo \"$(echo ')' ; git push)\"",
        "echo `git push`",
        "echo \"`git push`\"",
        "echo `echo \\`git push\\``",
        "diff <(git push) x",
        "tee >(git push)",
        "echo ${x:-$(git push)}",
        ">/dev/null git push",
        "git >/dev/null 2>&1 push",
        "git 2>&1 push",
        "</dev/null git push",
        "bash <<< 'git push'",
        "coproc git push",
        "sudo -E env X=1 nice time git push",
        "git -C . push",
        "git --no-pager -c a=b push origin",
        "git --git-dir=x --work-tree y push",
        "git -C $X push",
        "sh -c 'git -C x push'",
        "sudo -u me git -c a=b push",
        "git -c alias.p=push push",
        "git log\\\r\ngit push",
    ] {
        let commands = Commands::on_unix(line);
        assert!(
            matches!(commands.find(&push), Meant::Yes(_)),
            "{line}: {commands:?}"
        );
    }
}

/// Only these programs know that they run it.
#[test]
fn a_command_is_found_behind_programs_that_start_it() {
    for line in [
        "env -S'git push'",
        "env --split-string='git push'",
        "script --command='git push'",
        "function f { git push; }; f",
        "coproc X { git push; }",
        "rbash -c 'git push'",
        "tcsh -c 'git push'",
        "pwsh -c 'git push'",
        "nu -c 'git push'",
        "git rebase -x 'git push'",
        "git -C x bisect run git push",
        "git submodule foreach git push",
        "git-push",
        "/usr/lib/git-core/git-push origin",
        "alias g='git push'; g",
        "docker exec x git push",
        "docker run x sh -c 'git push'",
        "docker compose exec x git push",
        "podman exec x git push",
        "kubectl exec x -- git push",
        "npm exec -- git push",
        "pnpm exec git push",
        "poetry run git push",
        "uv run git push",
        "bundle exec git push",
        "mise exec -- git push",
        "direnv exec . git push",
        "tmux new 'git push'",
        "screen -dm git push",
        "prlimit git push",
        "linux64 git push",
        "sg x -c 'git push'",
        "capsh -- -c 'git push'",
        "valgrind git push",
        "perf stat -- git push",
        "watchexec git push",
        "hyperfine 'git push'",
        "=git push",
        "sudo =git push",
        "{fd}>x git push",
    ] {
        let found = Commands::on_unix(line).find(&glob("git push*"));
        assert!(matches!(found, Meant::Yes(_)), "{line}: {found:?}");
    }
    for line in [
        "env -Sgit push",
        "parallel git ::: push",
        "echo push | xargs git",
        "echo push | sudo xargs -n1 git",
        "echo git push | sh",
        "printf 'git push' | bash -s",
        "curl x | sudo sh",
        "source <(echo git push)",
        "bash < x",
        "bash /dev/stdin",
        "git pus[h]",
        "git pu?h",
        "git [p]ush",
        "alias g=git; g push",
        "unknown --flag git push",
        "unknown sh -c 'git push'",
        "'a;git push'",
        "git \\\r\n push",
        "rsync -e 'git push' a b",
        "rsync -ae 'git push' a b",
        "rsync --rsh='git push' a b",
        "tar xf a --to-command='git push'",
        "tar --to-com 'git push' -xf a",
        "tar -cI 'git push' a",
        "tar cf a b --checkpoint-action=exec='git push'",
        "rg --pre 'git push' x",
        "man -P 'git push' x",
        "zip -TT 'git push' a b",
        "less '+!git push' a",
        "sort --compress-program='git push' a",
        "sed '1e git push' a",
        "sed 's/.*/git push/e' a",
        "sed -n 's/a/b/; e git push' a",
    ] {
        let found = Commands::on_unix(line).find(&glob("git push*"));
        assert!(matches!(found, Meant::Perhaps(_)), "{line}: {found:?}");
    }
    for line in [
        "sh build.sh",
        "bash --version",
        "source x/activate",
        "[ -f x ] && make",
        "ls | xargs grep push",
        "git log -- 'pus[h]'",
        "echo git push",
        "make test release",
        "docker run x ls",
        "npm run push",
        "git stash show stash@{0}",
        "rsync -av 'git push' b",
        "rsync -e ssh a b:",
        "tar cf 'git push' a",
        "rg 'git push'",
        "sed 's/git push/git pull/' a",
        "sed -e 's/the e/git push/' a",
    ] {
        let found = Commands::on_unix(line).find(&glob("git push*"));
        assert_eq!(found, Meant::No, "{line}");
    }
}

/// Only the shell knows what these run.
#[test]
fn a_command_with_unknown_parts_may_be_meant() {
    let push = glob("git push*");
    for line in [
        "$X push",
        "git $X",
        "git \"$X\"",
        "${X}",
        "$(echo git) push",
        "`echo git` push",
        "gi* push",
        "/usr/bin/g?t push",
        "g{i,o}t push",
        "git p{ull,ush}",
        "sh -c \"git $X\"",
        "cat <<E | sh\ngit push\nE",
        "echo # git push",
        "echo $(case a in a) git push;; esac)",
        "cat <<E\n'\nE\ngit push #'",
    ] {
        let found = Commands::on_unix(line).find(&push);
        assert!(!matches!(found, Meant::No), "{line}: {found:?}");
    }
    for line in [
        "git status",
        "git log --grep push",
        "echo 'git push'",
        "echo \"$HOME\"",
        "cargo test \"$X\"",
        "grep -r 'git push' src",
        "git commit -m 'git push'",
        "git commit -m \"$(date)\"",
        "ls *.rs",
        "git -C push status",
        "git -c color.ui=never log",
        "=ls push",
        "X=1 git status",
        "echo PATH=x",
    ] {
        let found = Commands::on_unix(line).find(&push);
        assert_eq!(found, Meant::No, "{line}");
    }
}

/// Which options have a value is known of some programs, and others are asked about.
#[test]
fn a_subcommand_is_found_behind_options() {
    for (line, pattern) in [
        ("npm --prefix x publish", "npm publish*"),
        ("npm --prefix=x publish --tag a", "npm publish*"),
        ("docker --host tcp://x run a", "docker run*"),
        ("docker -H tcp://x --tls run a", "docker run *"),
        ("kubectl -n x delete pod y", "kubectl delete*"),
        ("kubectl --context=a -n x delete pod y", "kubectl delete *"),
        ("cargo +nightly -Z a publish", "cargo publish*"),
        ("systemctl --user -M x stop y", "systemctl stop*"),
        ("/usr/bin/git -C 'a b' push", "git push"),
        ("gh -R a/b pr merge 1", "gh pr merge*"),
    ] {
        let found = Commands::on_unix(line).find(&glob(pattern));
        assert!(matches!(found, Meant::Yes(_)), "{line}: {found:?}");
    }
    for (line, pattern) in [
        ("unknown -C x push", "unknown push*"),
        ("unknown --flag push", "unknown push*"),
        ("docker compose -f x up -d", "docker compose up*"),
        ("npm --some-option x publish", "npm publish*"),
        ("gh pr -R a/b merge 1", "gh pr merge*"),
        ("git stash --quiet push", "git stash push*"),
        ("rm -v -rf x", "rm -rf *"),
        ("rm -fr x", "rm -rf *"),
        ("rm -r -f x", "rm -rf *"),
        ("sudo -u me rm -vfr x", "rm -rf *"),
        ("rm -rfv x", "rm -rf *"),
        ("rm --recursive --force x", "rm -rf *"),
        ("rm --rec -f x", "rm -rf *"),
        ("rm -Rf x", "rm -rf *"),
    ] {
        let found = Commands::on_unix(line).find(&glob(pattern));
        assert!(matches!(found, Meant::Perhaps(_)), "{line}: {found:?}");
    }
    for (line, pattern) in [
        ("kubectl -n delete get pods", "kubectl delete*"),
        ("git -C push status", "git push*"),
        ("rm -r x", "rm -rf *"),
        ("npm run publish", "npm publish*"),
        ("cargo run --bin publish", "cargo publish*"),
    ] {
        let found = Commands::on_unix(line).find(&glob(pattern));
        assert_eq!(found, Meant::No, "{line}");
    }
}

/// With these, the name of a program says nothing.
#[test]
fn what_is_set_may_change_what_runs() {
    let push = glob("git push*");
    for line in [
        "PATH=/x git status",
        "env LD_PRELOAD=x git status",
        "export PATH=/x; git status",
        "sudo BASH_ENV=x sh -c ls",
        "sh -c 'GIT_SSH_COMMAND=x git fetch'",
        "git -c alias.p=push p",
        "git --exec-path=/x status",
    ] {
        let found = Commands::on_unix(line).find(&push);
        assert!(matches!(found, Meant::Perhaps(_)), "{line}: {found:?}");
    }
}
