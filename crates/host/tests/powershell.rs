//! Scripts of PowerShell on Windows: their arguments reach it as they are. In place of PowerShell stands a copy of this program,
//! which has no test harness, because that would read the arguments as its own.

fn main() {
    #[cfg(windows)]
    windows::main();
}

#[cfg(windows)]
mod windows {
    use std::fs;
    use std::io::Write;
    use std::path::Path;

    use tenon_host::{Capture, PluginCommand};

    const NAME: &str = "powershell.exe";

    /// What a shell, cmd.exe or PowerShell would act on.
    const HOSTILE: [&str; 16] = [
        "",
        " ",
        "a b",
        "a\"b",
        "\"; calc; \"",
        "'; calc; '",
        "a&calc",
        "a|calc>out",
        "$(calc)",
        "`calc`",
        "%PATH%",
        "^&calc",
        "--%",
        "-Command calc",
        "ends with a backslash\\",
        "grüße\n試験",
    ];

    pub(crate) fn main() {
        let own = std::env::current_exe().unwrap();
        match own.file_name().is_some_and(|name| name == NAME) {
            true => {
                let arguments: Vec<String> = std::env::args().skip(1).collect();
                write!(std::io::stdout(), "{arguments:?}").unwrap();
            }
            false => arguments_of_a_script_reach_powershell_as_they_are(&own),
        }
    }

    fn arguments_of_a_script_reach_powershell_as_they_are(own: &Path) {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("a script.ps1");
        fs::copy(own, folder.path().join(NAME)).unwrap();
        fs::write(&script, "").unwrap();
        let command = PluginCommand::new(r".\a script.ps1")
            .folder(folder.path())
            .args(HOSTILE)
            .variable("PATH", folder.path());
        let runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = { runtime }.enable_all().build().unwrap();
        let captured = runtime.block_on(Capture::default().run(&command)).unwrap();
        let mut expected = ["-NoLogo", "-NoProfile", "-NonInteractive", "-File"].to_vec();
        expected.push(script.to_str().unwrap());
        expected.extend(HOSTILE);
        let printed = String::from_utf8_lossy(&captured.stdout).into_owned();
        assert_eq!(printed, format!("{expected:?}"), "{captured:?}");
    }
}
