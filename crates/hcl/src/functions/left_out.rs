//! Functions of Terraform that are left out on purpose, and what to use instead.

/// Names and reasons; `docs/reference/scenario-language.md` has the same table.
const LEFT_OUT: [(&str, &str); 5] = [
    (
        "base64gzip",
        "`base64gzip` is not supported: let an action compress the data, or use `base64encode`",
    ),
    (
        "bcrypt",
        "`bcrypt` is not supported: hash passwords in the database or in the provider that stores them",
    ),
    (
        "ephemeralasnull",
        "`ephemeralasnull` is not supported, since no value is ephemeral here: use the value itself",
    ),
    (
        "plantimestamp",
        "`plantimestamp` is not supported, since plans are not stored: use `timestamp`, or a variable",
    ),
    (
        "rsadecrypt",
        "`rsadecrypt` is not supported: decrypt in an action, and pass secrets in sensitive variables",
    ),
];

/// Why there is no function of this name, if it was left out on purpose.
pub(super) fn reason(name: &str) -> Option<&'static str> {
    let found = LEFT_OUT.iter().find(|(left_out, _)| *left_out == name);
    found.map(|(_, reason)| *reason)
}
