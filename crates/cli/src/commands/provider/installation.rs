//! The block in the configuration of Terraform and OpenTofu that says where providers come from.

use std::path::Path;

/// A block for a configuration that has none. What is included comes from the mirror, everything else from registries.
pub(super) fn block(mirror: &Path, included: &[&str]) -> String {
    let methods = methods(mirror, included).replace('\n', "\n  ");
    format!("provider_installation {{\n  {}\n}}\n", methods.trim_end())
}

/// A path between quotes in HCL.
pub(super) fn quoted(path: &Path) -> String {
    { path.display().to_string() }
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace("${", "$${")
}

/// What the block has in it.
pub(super) fn methods(mirror: &Path, included: &[&str]) -> String {
    let mirror = quoted(mirror);
    let included: Vec<String> = included.iter().map(|one| format!("\"{one}\"")).collect();
    let included = included.join(", ");
    format!(
        "filesystem_mirror {{\n  path    = \"{mirror}\"\n  include = [{included}]\n}}\ndirect {{\n  \
         exclude = [{included}]\n}}\n"
    )
}

/// A configuration with one more provider from the mirror, if it is just what [`block`] makes. What a user has written is
/// left alone.
pub(super) fn extended(config: &str, mirror: &Path, include: &str) -> Option<String> {
    let mut lines = config.lines().map(str::trim_start);
    let list = lines.find_map(|line| line.strip_prefix("include = "))?;
    let list: Vec<String> = serde_json::from_str(list).ok()?;
    let mut included: Vec<&str> = list.iter().map(String::as_str).collect();
    if included.contains(&include) || block(mirror, &included) != config {
        return None;
    }
    included.push(include);
    Some(block(mirror, &included))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_quoted_as_hcl_wants_it() {
        let text = block(Path::new("/a \"b\"/${c}"), &["x/y"]);
        assert!(text.contains(r#"path    = "/a \"b\"/$${c}""#), "{text}");
        let windows = block(Path::new(r"C:\Users\a"), &["x/y"]);
        assert!(windows.contains(r#"path    = "C:\\Users\\a""#), "{windows}");
    }

    #[test]
    fn a_configuration_of_ours_is_extended_and_one_of_a_user_is_not() {
        let mirror = Path::new("/mirror");
        let ours = block(mirror, &["tenon/*"]);
        let both = extended(&ours, mirror, "a/b").unwrap();
        assert_eq!(both, block(mirror, &["tenon/*", "a/b"]));
        assert_eq!(extended(&both, mirror, "a/b"), None);
        assert_eq!(extended(&ours, Path::new("/other"), "a/b"), None);
        assert_eq!(extended(&format!("{ours}# mine\n"), mirror, "a/b"), None);
        assert_eq!(extended("plugin_cache_dir = \"x\"\n", mirror, "a/b"), None);
    }
}
