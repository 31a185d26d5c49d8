//! The environment variables that every plugin inherits by default.

use std::ffi::OsStr;

use super::matches;
use crate::platform;

/// Names and patterns, in groups with the reason for each. They are settings, not credentials, and
/// without them programs do not start, or behave differently from when they are started in a shell.
///
/// Left out on purpose, although programs use them: `SSH_AUTH_SOCK`, `DBUS_SESSION_BUS_ADDRESS` and
/// `DISPLAY`, which let a program act in the user's name; `LD_PRELOAD`; settings of package
/// managers whose values are credentials as often as not (`BUNDLE_*`, `UV_INDEX_*`, `GOPROXY`,
/// `npm_config_*` but for folders).
const USUAL: &[&[&str]] = &[
    // The user, and where programs and files are.
    &["PATH", "HOME", "USER", "LOGNAME", "SHELL", "PWD"],
    // Languages, and the time of day. Nix keeps its locales where LOCALE_ARCHIVE says.
    &[
        "LANG",
        "LANGUAGE",
        "LC_*",
        "LOCALE_ARCHIVE",
        "LOCPATH",
        "TZ",
        "TZDIR",
    ],
    // How much colour text may have.
    &[
        "TERM",
        "COLORTERM",
        "NO_COLOR",
        "FORCE_COLOR",
        "CLICOLOR",
        "CLICOLOR_FORCE",
    ],
    // Folders for temporary files, caches, settings and sockets. The sockets in XDG_RUNTIME_DIR are
    // at a well-known path, so hiding the name would hide nothing.
    &[
        "TMPDIR",
        "TMP",
        "TEMP",
        "XDG_CACHE_HOME",
        "XDG_CONFIG_DIRS",
        "XDG_CONFIG_HOME",
        "XDG_DATA_DIRS",
        "XDG_DATA_HOME",
        "XDG_RUNTIME_DIR",
        "XDG_STATE_HOME",
    ],
    // How to reach the network. A proxy's URL may contain a password, which a program needs to use the
    // proxy; without the proxy it reaches nothing.
    &[
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "ALL_PROXY",
        "NO_PROXY",
        "http_proxy",
        "https_proxy",
        "all_proxy",
        "no_proxy",
    ],
    // Paths of certificates.
    &[
        "SSL_CERT_FILE",
        "SSL_CERT_DIR",
        "CURL_CA_BUNDLE",
        "DENO_CERT",
        "DENO_TLS_CA_STORE",
        "GIT_SSL_CAINFO",
        "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH",
        "HTTPLIB2_CA_CERTS",
        "NIX_SSL_CERT_FILE",
        "NODE_EXTRA_CA_CERTS",
        "PIP_CERT",
        "REQUESTS_CA_BUNDLE",
    ],
    // Where shared libraries are. Programs that were not built for NixOS do not start without
    // NIX_LD.
    &[
        "LD_LIBRARY_PATH",
        "DYLD_LIBRARY_PATH",
        "DYLD_FALLBACK_LIBRARY_PATH",
        "NIX_LD",
        "NIX_LD_LIBRARY_PATH",
        "NIX_PATH",
        "NIX_PROFILES",
    ],
    // Deno: its cache, and that it says nothing about updates. Not DENO_AUTH_TOKENS.
    &[
        "DENO_DIR",
        "DENO_INSTALL",
        "DENO_INSTALL_ROOT",
        "DENO_NO_UPDATE_CHECK",
        "DENO_V8_FLAGS",
    ],
    // Node: modules, options such as --max-old-space-size, and the folders of npm and npx. Options
    // may load code, which the user has chosen for programs of their own.
    &[
        "NODE_PATH",
        "NODE_OPTIONS",
        "NODE_ENV",
        "NODE_NO_WARNINGS",
        "NPM_CONFIG_CACHE",
        "NPM_CONFIG_PREFIX",
        "NPM_CONFIG_USERCONFIG",
        "npm_config_cache",
        "npm_config_prefix",
        "npm_config_userconfig",
        "BUN_INSTALL",
        "COREPACK_HOME",
        "PNPM_HOME",
    ],
    // Python: modules, environments, encodings and the other settings of the interpreter.
    &[
        "PYTHON*",
        "VIRTUAL_ENV",
        "CONDA_PREFIX",
        "CONDA_DEFAULT_ENV",
        "PIPX_HOME",
        "UV_CACHE_DIR",
        "UV_PYTHON",
        "UV_PYTHON_INSTALL_DIR",
        "UV_TOOL_DIR",
    ],
    // Java: where it is, and options, which is also how proxies and certificates are set there.
    &[
        "JAVA_HOME",
        "JDK_HOME",
        "JRE_HOME",
        "CLASSPATH",
        "JAVA_TOOL_OPTIONS",
        "JDK_JAVA_OPTIONS",
    ],
    // Other runtimes: where they, their libraries and their caches are.
    &[
        "GEM_HOME",
        "GEM_PATH",
        "RUBYLIB",
        "RUBYOPT",
        "GOROOT",
        "GOPATH",
        "GOCACHE",
        "GOMODCACHE",
        "GOFLAGS",
        "GOTOOLCHAIN",
        "CARGO_HOME",
        "RUSTUP_HOME",
        "RUSTUP_TOOLCHAIN",
        "RUST_BACKTRACE",
        "RUST_LOG",
        "DOTNET_ROOT",
        "DOTNET_CLI_HOME",
        "ERL_LIBS",
        "LUA_PATH",
        "LUA_CPATH",
        "PERL5LIB",
        "PHPRC",
        "PHP_INI_SCAN_DIR",
        "R_HOME",
        "R_LIBS",
    ],
    // Version managers, whose `python` or `node` in PATH is a program that looks for the real one.
    &[
        "ASDF_DIR",
        "ASDF_DATA_DIR",
        "ASDF_*_VERSION",
        "FNM_DIR",
        "FNM_MULTISHELL_PATH",
        "GOENV_*",
        "HOMEBREW_PREFIX",
        "MISE_CACHE_DIR",
        "MISE_CONFIG_DIR",
        "MISE_DATA_DIR",
        "MISE_*_VERSION",
        "NODENV_*",
        "NVM_DIR",
        "PYENV_*",
        "RBENV_*",
        "SDKMAN_DIR",
        "VOLTA_HOME",
    ],
];

/// Words in names of what is a secret, wherever they stand, without `_` and the like: a plugin that lacks a variable says
/// so, so more names count than in [`tenon_text::is_secret_name`].
const SECRET_WORDS: [&str; 9] = [
    "ACCESSKEY",
    "APIKEY",
    "AUTH",
    "CREDENTIAL",
    "PASSPHRASE",
    "PASSWD",
    "PASSWORD",
    "SECRET",
    "TOKEN",
];

/// The names and patterns of all systems, and of this one.
fn all() -> impl Iterator<Item = &'static &'static str> {
    USUAL
        .iter()
        .copied()
        .flatten()
        .chain(platform::USUAL_VARIABLES)
}

/// Whether every plugin inherits the variable with this name.
pub(super) fn is_usual(name: &OsStr) -> bool {
    let mut names = all();
    names.any(|usual| matches(usual.as_ref(), name)) && !is_secret(name)
}

/// Whether a name says that its value is a secret. A pattern above may not let it in.
pub(super) fn is_secret(name: &OsStr) -> bool {
    let name = tenon_text::plain_name(&name.to_string_lossy()).to_uppercase();
    let has = |word: &str| {
        let mut places = name.match_indices(word);
        places.any(|(at, _)| !is_other_word(&name[..at], &name[at..]))
    };
    SECRET_WORDS.iter().any(|word| has(word)) || name.ends_with("KEY")
}

/// Whether a word of a name only begins as the name of a secret does: the author of a commit, the file `XAUTHORITY`, a
/// library for texts, and how much a model may say.
fn is_other_word(before: &str, rest: &str) -> bool {
    let is_author = rest.starts_with("AUTHOR");
    let is_authorization = rest.starts_with("AUTHORIZ") || rest.starts_with("AUTHORIS");
    let is_count = rest.starts_with("TOKENS") && before.contains("MAX");
    is_author && !is_authorization || rest.starts_with("TOKENIZ") || is_count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_get_what_they_need_and_no_secrets() {
        for name in [
            "PATH",
            "HOME",
            "LC_ALL",
            "TMPDIR",
            "https_proxy",
            "SSL_CERT_FILE",
            "DENO_DIR",
            "NODE_EXTRA_CA_CERTS",
            "VIRTUAL_ENV",
            "PYTHONPATH",
            "JAVA_HOME",
            "PYENV_ROOT",
            "ASDF_NODEJS_VERSION",
        ] {
            assert!(is_usual(name.as_ref()), "{name}");
        }
        for name in [
            "AWS_PROFILE",
            "AWS_SECRET_ACCESS_KEY",
            "DATABASE_URL",
            "DENO_AUTH_TOKENS",
            "DISPLAY",
            "GITHUB_TOKEN",
            "LD_PRELOAD",
            "PGPASSWORD",
            "PYTHON_API_TOKEN",
            "PYENV_SECRET",
            "SSH_AUTH_SOCK",
            "TENON_RECORD_KEY",
            "TENON_VAR_dsn",
            "TF_VAR_password",
            "npm_config_//registry.example.com/:_authToken",
        ] {
            assert!(!is_usual(name.as_ref()), "{name}");
        }
    }

    #[test]
    fn a_secret_is_known_by_the_words_of_its_name() {
        for name in [
            "ANTHROPIC_API_KEY",
            "ANTHROPIC_AUTH_TOKEN",
            "AWS_ACCESS_KEY_ID",
            "AWS_SECRET_ACCESS_KEY",
            "AWS_SESSION_TOKEN",
            "BASICAUTH",
            "CLIENT_SECRET",
            "DOCKER_AUTH_CONFIG",
            "GEMINI_API_KEYS",
            "HTTP_AUTHORIZATION",
            "MAX_AUTH_TOKENS",
            "MYSQL_PWD_PASSWORD",
            "NPM_AUTH_TOKEN",
            "OAUTH2_CLIENT",
            "apiKey",
            "author_token",
        ] {
            assert!(is_secret(name.as_ref()), "{name}");
        }
        for name in [
            "AUTHORS_FILE",
            "CLAUDE_CODE_MAX_OUTPUT_TOKENS",
            "GIT_AUTHOR_DATE",
            "GIT_AUTHOR_NAME",
            "KEYBOARD",
            "TOKENIZERS_PARALLELISM",
            "XAUTHORITY",
        ] {
            assert!(!is_secret(name.as_ref()), "{name}");
        }
    }

    #[test]
    fn no_name_on_the_list_is_refused_as_a_secret() {
        for name in all() {
            assert!(!is_secret(name.as_ref()), "{name}");
        }
    }
}
