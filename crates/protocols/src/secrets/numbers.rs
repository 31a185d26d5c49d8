//! Numbers as other programs print them.

/// The forms in which programs with floating point write a number: rounded, and with an exponent if it
/// is very large or very small. `1e-05` is Python and Go, `1e-5` JavaScript and Rust.
pub(super) fn floating_forms(written: &str) -> Vec<String> {
    let Some(number) = written
        .parse()
        .ok()
        .filter(|number: &f64| number.is_finite())
    else {
        return Vec::new();
    };
    let mut forms = vec![number.to_string()];
    let scientific = format!("{number:e}");
    let parts = scientific.split_once('e');
    let parts = parts.and_then(|(digits, power)| Some((digits, power.parse::<i32>().ok()?)));
    // In this range, none of them writes an exponent.
    if let Some((digits, power)) = parts.filter(|(_, power)| !(-4..16).contains(power)) {
        let sign = if power < 0 { '-' } else { '+' };
        let power = power.unsigned_abs();
        forms.push(format!("{digits}e{sign}{power:02}"));
        forms.push(format!("{digits}e{sign}{power}"));
        forms.push(scientific.clone());
    }
    forms
}
