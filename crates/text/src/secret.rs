//! Names of settings that say that the value is a secret.

/// How such names end, as [`plain_name`] writes them. `key` alone is not among them: most keys are names.
const ENDINGS: [&str; 12] = [
    "accesskey",
    "accountkey",
    "apikey",
    "credential",
    "credentials",
    "passphrase",
    "passwd",
    "password",
    "privatekey",
    "secret",
    "secretkey",
    "token",
];

/// A name without the differences between `API_KEY`, `api-key` and `apiKey`: its letters and digits, in lower case.
///
/// ```
/// assert_eq!(tenon_text::plain_name("X-Api_Key"), "xapikey");
/// ```
pub fn plain_name(name: &str) -> String {
    let letters = name.chars().filter(|letter| letter.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

/// Whether a setting with this name is a secret: a member of a message, a parameter of a URL, an option of a command.
///
/// ```
/// assert!(tenon_text::is_secret_name("accessToken"));
/// assert!(tenon_text::is_secret_name("--client-secret"));
/// assert!(!tenon_text::is_secret_name("maxTokens"));
/// ```
pub fn is_secret_name(name: &str) -> bool {
    let name = plain_name(name);
    ENDINGS.iter().any(|ending| name.ends_with(ending))
}

/// Values of settings that are words of ordinary sentences: switches, levels, stages, branches.
const ORDINARY: [&str; 30] = [
    "always",
    "auto",
    "basic",
    "bearer",
    "debug",
    "default",
    "development",
    "disabled",
    "enabled",
    "error",
    "false",
    "http",
    "https",
    "info",
    "json",
    "local",
    "localhost",
    "main",
    "master",
    "never",
    "none",
    "null",
    "prod",
    "production",
    "staging",
    "stdio",
    "test",
    "trace",
    "true",
    "warn",
];

/// Whether a value keeps no secret, whatever its name says: `true`, `main`. If it were masked wherever it appears, little
/// would be left of most texts. A number may be a PIN.
///
/// ```
/// assert!(tenon_text::is_ordinary_value("true"));
/// assert!(!tenon_text::is_ordinary_value("8080"));
/// assert!(!tenon_text::is_ordinary_value("hunter22"));
/// ```
pub fn is_ordinary_value(value: &str) -> bool {
    ORDINARY.iter().any(|word| value.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_words_are_no_secrets() {
        for value in ["True", "MAIN", "production"] {
            assert!(is_ordinary_value(value), "{value}");
        }
        for value in [
            "4711",
            "main1",
            "maintenance",
            "s3cret",
            "password",
            " true",
        ] {
            assert!(!is_ordinary_value(value), "{value}");
        }
    }

    #[test]
    fn names_are_compared_without_case_and_separators() {
        for name in [
            "token",
            "API_KEY",
            "api-key",
            "apiKey",
            "secretKey",
            "client-secret",
            "DB_PASSWORD",
            "--auth.token",
            "Private Key",
        ] {
            assert!(is_secret_name(name), "{name}");
        }
        for name in ["", "key", "monkey", "tokens", "secretary", "passwords.txt"] {
            assert!(!is_secret_name(name), "{name}");
        }
    }
}
