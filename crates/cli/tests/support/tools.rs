//! Where the foreign programs are.

use std::path::{Path, PathBuf};

/// A program, or why it is not there.
pub(crate) type Tool = Result<PathBuf, String>;

/// Python with nothing but its standard library.
pub(crate) fn python() -> Tool {
    on_path("python3")
}

/// Python with the package `msgpack`.
pub(crate) fn python_with_msgpack() -> Tool {
    installed("python/stamp")?;
    installed("python/bin/python")
}

/// Node, and the folder with vscode-jsonrpc.
pub(crate) fn node_with_vscode_jsonrpc() -> Result<(PathBuf, PathBuf), String> {
    installed("node/stamp")?;
    Ok((on_path("node")?, installed("node")?))
}

/// Neovim: the system's own, or else the one that `scripts/tools` unpacked.
pub(crate) fn neovim() -> Tool {
    on_path("nvim").or_else(|_| installed("neovim/stamp").and(installed("neovim/nvim")))
}

/// A helper program of these tests.
pub(crate) fn helper(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/foreign")
        .join(name)
}

/// A file or folder that `scripts/tools` installs.
pub(crate) fn installed(path: &str) -> Tool {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let file = workspace.join(".tools").join(path);
    match file.exists() {
        true => Ok(file),
        false => Err(format!("there is no .tools/{path}; run scripts/tools")),
    }
}

/// A program of the system.
pub(crate) fn on_path(program: &str) -> Tool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .map(|folder| folder.join(program))
        .find(|file| file.is_file())
        .ok_or_else(|| format!("there is no {program} on PATH"))
}
