//! How much is logged.

use tracing::level_filters::LevelFilter;

/// What the variables say, if one of them says something. The first that is set and not empty
/// counts, and `own` is the first: the one for this provider alone.
pub(super) fn from_variables(
    own: &str,
    variable: impl Fn(&str) -> Option<String>,
) -> Option<LevelFilter> {
    let names = [own, "TF_LOG_PROVIDER", "TF_LOG"];
    let values = names.into_iter().filter_map(variable);
    let mut values = values.map(|value| value.trim().to_ascii_uppercase());
    let level = match values.find(|value| !value.is_empty())?.as_str() {
        "OFF" => LevelFilter::OFF,
        "ERROR" => LevelFilter::ERROR,
        "WARN" => LevelFilter::WARN,
        "INFO" => LevelFilter::INFO,
        "DEBUG" => LevelFilter::DEBUG,
        // TRACE, JSON, and what Terraform does not know either: it shows everything then.
        _ => LevelFilter::TRACE,
    };
    Some(level)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn level(set: &[(&str, &str)]) -> Option<LevelFilter> {
        from_variables("TF_LOG_PROVIDER_DENOBRIDGE", |name| {
            let found = set.iter().find(|(set, _)| *set == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn the_most_particular_variable_counts() {
        let all = [
            ("TF_LOG", "TRACE"),
            ("TF_LOG_PROVIDER", "INFO"),
            ("TF_LOG_PROVIDER_DENOBRIDGE", "error"),
        ];
        assert_eq!(level(&all), Some(LevelFilter::ERROR));
        assert_eq!(level(&all[..2]), Some(LevelFilter::INFO));
        assert_eq!(level(&all[..1]), Some(LevelFilter::TRACE));
        assert_eq!(level(&[]), None);
    }

    #[test]
    fn an_empty_variable_is_not_set_and_off_is() {
        let set = [("TF_LOG_PROVIDER", ""), ("TF_LOG", "WARN")];
        assert_eq!(level(&set), Some(LevelFilter::WARN));
        let set = [("TF_LOG_PROVIDER", "off"), ("TF_LOG", "WARN")];
        assert_eq!(level(&set), Some(LevelFilter::OFF));
    }

    #[test]
    fn json_and_unknown_words_show_everything() {
        assert_eq!(level(&[("TF_LOG", "JSON")]), Some(LevelFilter::TRACE));
        assert_eq!(level(&[("TF_LOG", "1")]), Some(LevelFilter::TRACE));
    }
}
