//! Where a request goes, and how that is shown.

use reqwest::Url;
use tenon_plugin::Failure;

use crate::attribute::wrong;

/// Reads `base_url`, to which the urls of the actions are relative.
pub(crate) fn base(text: &str) -> Result<Url, Failure> {
    let url = absolute(text).map_err(|problem| wrong("base_url", problem))?;
    if url.query().is_some() || url.fragment().is_some() {
        return Err(wrong(
            "base_url",
            "it has a query or a fragment, which would get lost: put that into each action",
        ));
    }
    Ok(url)
}

/// The address of a request. An `url` that does not begin with a scheme is a path below `base`,
/// with or without a slash at its start.
pub(crate) fn resolve(base: Option<&Url>, url: &str) -> Result<Url, Failure> {
    if Url::parse(url) != Err(url::ParseError::RelativeUrlWithoutBase) {
        return absolute(url).map_err(|problem| wrong("url", problem));
    }
    let Some(base) = base else {
        return Err(wrong(
            "url",
            "it is relative, and the provider has no base_url: set one, or begin with https://",
        ));
    };
    let start = base.as_str().trim_end_matches('/');
    let path = url.trim_start_matches('/');
    // The slash also keeps `@host` or `:port` at the start of a path from becoming part of the
    // address.
    let joined = match path.is_empty() || path.starts_with(['?', '#']) {
        true => format!("{start}{path}"),
        false => format!("{start}/{path}"),
    };
    absolute(&joined).map_err(|problem| wrong("url", problem))
}

/// Reads an address. The problem quotes nothing of it: there may be credentials in it.
fn absolute(text: &str) -> Result<Url, String> {
    let url = Url::parse(text).map_err(|error| {
        format!("it cannot be read ({error}) and should look like https://host:port/path")
    })?;
    check_scheme(&url)?;
    Ok(url)
}

pub(crate) fn check_scheme(url: &Url) -> Result<(), String> {
    match url.scheme() {
        "http" | "https" => Ok(()),
        scheme => Err(format!(
            "it begins with {scheme}:, but should begin with http:// or https://"
        )),
    }
}

/// An address without what may be secret in it: user, password, query and fragment.
pub(crate) fn shown(url: &Url) -> String {
    let mut url = url.clone();
    url.set_query(None);
    url.set_fragment(None);
    // Both fail only for addresses that have no host, and so nothing to hide.
    let _no_host = url.set_username("");
    let _no_host = url.set_password(None);
    url.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolved(base_url: &str, url: &str) -> String {
        let base_url = base(base_url).unwrap();
        resolve(Some(&base_url), url).unwrap().into()
    }

    #[test]
    fn a_relative_url_is_below_the_base() {
        for (base_url, url, expected) in [
            ("http://h", "/a", "http://h/a"),
            ("http://h/", "a", "http://h/a"),
            ("http://h/api/v1", "/a?b=c", "http://h/api/v1/a?b=c"),
            ("http://h/api/v1/", "a", "http://h/api/v1/a"),
            ("http://h/api", "", "http://h/api"),
            ("http://h/api", "?b=c", "http://h/api?b=c"),
            ("http://h", "@evil/a", "http://h/@evil/a"),
            ("http://h", ":81/a", "http://h/:81/a"),
            ("http://h", "//evil/a", "http://h/evil/a"),
            ("http://h/api", "https://other/a", "https://other/a"),
        ] {
            assert_eq!(resolved(base_url, url), expected, "{base_url} {url}");
        }
    }

    #[test]
    fn an_invalid_address_is_refused_without_being_quoted() {
        for wrong in ["ftp://u:s3cret@h/", "host:80/s3cret", "http://s3cret:x/"] {
            let error = format!("{:?}", resolve(None, wrong).unwrap_err());
            assert!(error.contains("https://"), "{error}");
            assert!(!error.contains("s3cret"), "{error}");
        }
        let error = format!("{:?}", resolve(None, "/path").unwrap_err());
        assert!(error.contains("base_url"), "{error}");
    }

    #[test]
    fn secrets_are_not_shown() {
        let url = Url::parse("https://user:s3cret@h:8443/path?token=s3cret#s3cret").unwrap();
        assert_eq!(shown(&url), "https://h:8443/path");
    }
}
