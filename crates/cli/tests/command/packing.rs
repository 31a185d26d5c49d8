//! Making providers out of plugins.

use std::path::Path;

use insta::assert_snapshot;

use crate::support::shell::Shell;

/// What packing takes for the provider's program.
const PROVIDER: &str = "#!/bin/sh\necho terraform-provider-tenon 0.1.0\n";

/// A plugin that answers `init` with this map, in msgpack with octal escapes, and nothing else.
fn answering(answer: &str) -> String {
    format!("#!/bin/sh\nprintf '\\224\\001\\001\\300{answer}'\nexec cat > /dev/null\n")
}

fn shell() -> Shell {
    let shell = Shell::new();
    shell.program("provider", PROVIDER);
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    let plugin = std::fs::read_to_string(tests.join("tests/command/catalogue.py")).expect("a file");
    shell.file("catalogue.py", &plugin);
    shell
}

/// A command line in an environment where the plugin finds its library.
fn with_examples(line: &str) -> String {
    let examples = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../examples/seasonings/python"
    );
    format!("export EXAMPLES={examples} HOME=$PWD/home PYTHONDONTWRITEBYTECODE=1; {line}")
}

/// Runs a command line, and notes it without the environment.
async fn run(shell: &mut Shell, transcript: &mut String, line: &str) {
    let outcome = shell.run_unnoted(&with_examples(line)).await;
    transcript.push_str(&format!("$ {line}\n"));
    for (stream, text) in [(1, &outcome.stdout), (2, &outcome.stderr)] {
        for line in text.lines() {
            let line = format!("{stream}> {line}");
            transcript.push_str(line.trim_end());
            transcript.push('\n');
        }
    }
    let code = outcome.code.expect("an exit code");
    transcript.push_str(&format!("exit code {code}\n\n"));
}

fn plain(transcript: &str) -> String {
    let processor = match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    };
    transcript.replace(
        &format!("{}_{processor}", std::env::consts::OS),
        "[platform]",
    )
}

const PLUGIN: &str = "-- python3 catalogue.py";

#[tokio::test]
async fn a_plugin_is_packed_again() {
    let mut shell = shell();
    let mut transcript = String::new();
    let pack = "tenon provider pack catalogue --binary provider --mirror mirror --for terraform --env EXAMPLES";
    for line in [
        "tenon provider list --mirror mirror",
        &format!("{pack} --write-config {PLUGIN}"),
        // The same once more.
        &format!("{pack} {PLUGIN}"),
        // With other settings.
        &format!("{pack} --config region=eu --config budget=100 --timeout 1m {PLUGIN}"),
        &format!("{pack} --as-version 10.0.0 --dev {PLUGIN}"),
        "tenon provider list --mirror mirror",
        "tenon provider list --mirror mirror --json",
        "tenon provider remove catalogue --mirror mirror --as-version 2.0.1",
        "tenon provider remove catalogue --mirror mirror --json",
        "tenon provider remove catalogue --mirror mirror",
        "tenon provider docs catalogue --mirror mirror",
        "find mirror",
    ] {
        run(&mut shell, &mut transcript, line).await;
    }
    let python = shell.run_unnoted("command -v python3").await.stdout;
    let transcript = transcript.replace(python.trim(), "[python3]");
    assert_snapshot!(plain(&transcript));
}

#[tokio::test]
async fn pages_for_registries() {
    let mut shell = shell();
    let mut transcript = String::new();
    for line in [
        &format!("tenon provider docs catalogue --env EXAMPLES {PLUGIN}"),
        "find docs -type f | sort",
        "cat docs/index.md",
        "cat docs/resources/server.md",
        "cat docs/data-sources/image.md",
        "cat docs/ephemeral-resources/token.md",
        "cat docs/functions/slug.md",
        "cat docs/functions/merge.md",
        // Pages of people are kept.
        "sed -i 2d docs/functions/slug.md; cp docs/functions/merge.md docs/functions/old.md",
        &format!("tenon provider docs catalogue --env EXAMPLES {PLUGIN}"),
        &format!("tenon provider docs catalogue --env EXAMPLES --json {PLUGIN}"),
        &format!("tenon provider docs catalogue --output catalogue.py --env EXAMPLES {PLUGIN}"),
        "tenon provider docs catalogue --config a=1",
    ] {
        run(&mut shell, &mut transcript, line).await;
    }
    assert_snapshot!(transcript);
}

#[tokio::test]
async fn what_cannot_be_packed() {
    let mut shell = shell();
    let mut transcript = String::new();
    shell.program(
        "prints",
        "#!/bin/sh\necho 'listening on port 80'\nexec cat > /dev/null\n",
    );
    shell.program(
        "needs",
        "#!/bin/sh\necho 'EXAMPLES is not set' >&2\nexit 1\n",
    );
    shell.program("exits", "#!/bin/sh\necho 'no credentials' >&2\nexit 7\n");
    shell.program("newer", &answering(r"\201\260protocol_version\002"));
    shell.program("nothing", &answering(r"\201\244name\241x"));
    shell.program("hooks", &answering(r"\201\254capabilities\221\245hooks"));
    shell.file("wrong.json", "[1]");
    shell.file("wrong.hcl", "a = b\nc {}\n");
    let pack = "tenon provider pack x --binary provider --mirror mirror";
    for line in [
        &format!("{pack} -- ./prints"),
        &format!("{pack} -- ./exits"),
        &format!("{pack} -- ./newer"),
        &format!("{pack} -- ./nothing"),
        &format!("{pack} -- ./hooks"),
        &format!("{pack} -- ./missing"),
        &format!("{pack} -- no-such-program"),
        &format!("{pack} -- ./needs"),
        &format!("{pack} --env TOKEN=secret -- ./exits"),
        &format!("{pack} --config a -- ./exits"),
        &format!("{pack} --config-file wrong.json -- ./exits"),
        &format!("{pack} --config-file wrong.hcl -- ./exits"),
        &format!("{pack} --config-file missing.hcl -- ./exits"),
        &format!("{pack} --timeout soon -- ./exits"),
        "tenon provider pack My_Tool -- ./exits",
        "tenon provider pack con -- ./exits",
        "tenon provider pack x --namespace com1 -- ./exits",
        "tenon provider pack x",
        "test -e mirror",
    ] {
        run(&mut shell, &mut transcript, line).await;
    }
    assert_snapshot!(plain(&transcript));
}
