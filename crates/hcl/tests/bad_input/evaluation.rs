//! Expressions that are short to read and long to evaluate.

use super::{assert_says, watched};
use tenon_hcl::{Context, Diagnostic, Functions, Source, parse_expression};
use tenon_values::Value;

fn evaluated(expression: impl Into<String>) -> Result<Value, Vec<Diagnostic>> {
    let source = Source::new("expression", expression);
    watched(move || {
        let expression = parse_expression(&source).map_err(|error| vec![error])?;
        expression.evaluate(&Context {
            scope: &(),
            functions: &Functions::standard(None),
            is_plan: false,
        })
    })
}

fn error_of(expression: impl Into<String>) -> Diagnostic {
    evaluated(expression)
        .expect_err("this is refused")
        .remove(0)
}

#[test]
fn a_hundred_thousand_steps() {
    for step in [".a", "[0]", ".0", "[*]", "[*].a", ".*.a"] {
        error_of(format!("1{}", step.repeat(100_000)));
    }
    // Each of these leaves the list as it is.
    let list = evaluated(format!("1{}", ".*".repeat(100_000))).unwrap();
    assert_eq!(list.to_string(), "[1]");
}

#[test]
fn loops_that_multiply() {
    let digits = "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]";
    // 10^12 rounds, of a `for` expression and of a template.
    let rounds = format!("[for x in {digits} : ").repeat(12);
    assert_says(&error_of(format!("{rounds}1{}", "]".repeat(12))), "steps");
    let rounds = format!("%{{ for x in {digits} }}").repeat(12);
    let ends = "%{ endfor }".repeat(12);
    assert_says(&error_of(format!("\"{rounds}1{ends}\"")), "steps");
}

#[test]
fn loops_that_multiply_out_of_sight() {
    let digits = "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]";
    let rounds = format!("[for x in {digits} : ").repeat(12);
    let endless = format!("{rounds}1{}", "]".repeat(12));
    // Where errors do not count, or are looked for in several ways.
    for expression in [
        format!("try({endless}, {endless}, {endless})"),
        format!("false ? {endless} : {endless}"),
        format!("can({endless})"),
        format!("[{endless}, {endless}]"),
    ] {
        assert_says(&error_of(expression), "steps");
    }
}

#[test]
fn texts_that_multiply() {
    // Each level is twice as long as the one inside of it: 100 times 2^20 bytes.
    let levels = 20;
    let opened: String = (0..levels)
        .map(|level| format!("[for x{level} in ["))
        .collect();
    let closed: String = (0..levels)
        .rev()
        .map(|level| format!("] : \"${{x{level}}}${{x{level}}}\"][0]"))
        .collect();
    let error = error_of(format!("{opened}\"{}\"{closed}", "a".repeat(100)));
    assert_says(&error, "longer than");
}

/// An expression that comes to nested tuples, of which each has the one inside of it twice.
fn doubled(levels: usize, innermost: &str) -> String {
    let opened: String = (0..levels)
        .map(|level| format!("[for x{level} in ["))
        .collect();
    let closed: String = (0..levels)
        .rev()
        .map(|level| format!("] : [x{level}, x{level}]][0]"))
        .collect();
    format!("{opened}{innermost}{closed}")
}

#[test]
fn values_that_multiply() {
    // Two to the power of 20 elements. It is small, because the halves are one value, and whoever
    // visits all of it pays for that.
    let large = doubled(20, "1");
    let value = evaluated(large.as_str()).expect("this much is allowed");
    assert_eq!(value.size().elements, (1 << 21) - 2);
    evaluated(format!("[{large}] == [{large}]")).expect("equality is told");
    let many = vec!["{ a = 1 } == { a = 1 }"; 50].join(" && ");
    evaluated(many).expect("small values cost next to nothing");
    for visit in ["x == y", "contains(x, 1)"] {
        let rounds = "[for x in [{}] : [for y in [{}] : [for i in range(1000) : {visit}]]]"
            .replace("{visit}", visit)
            .replace("{}", &large);
        assert_says(&error_of(rounds), "steps");
    }
}

/// Without a limit of what is made, each of these takes longer than anybody has.
#[test]
fn values_that_multiply_without_end() {
    const TOO_MANY: &str = "more than 4194304 elements";
    // One expression nests no deeper than 64 levels; a variable starts where another ended.
    let value = evaluated(doubled(21, "1")).expect("this much is allowed");
    let scope = std::collections::BTreeMap::from([("big".to_owned(), value)]);
    let with_big = move |expression: &str| {
        let (source, scope) = (Source::new("expression", expression), scope.clone());
        watched(move || {
            let expression = parse_expression(&source).map_err(|error| vec![error])?;
            expression.evaluate(&Context {
                scope: &scope,
                functions: &Functions::standard(None),
                is_plan: true,
            })
        })
    };
    for made in [
        "[big, big]",
        "{ a = big, b = big }",
        "{ for key in [\"a\", \"b\", \"c\"] : key => big }",
        "{ for key in range(10) : \"a\" => big... }",
        "[for i in range(1000) : big]",
        "[[big], [big]][*][0]",
        "concat([big], [big])",
        "tolist([big, big])",
        "try([big, big], 1)",
        "can([big, big])",
        "[big, big] == 1",
        "true ? [big, big] : null",
        "false && [big, big] == 1",
        "merge({ a = big }, { b = big })",
        "zipmap([\"a\", \"b\"], [big, big])",
        "chunklist(concat([big], [big]), 1)",
        "\"${jsonencode([big, big])}\"",
        // Types double as well, where there is only null or nothing.
        "[for x in [true ? null : big] : [x, x, x]][0]",
        "[for x in [slice(tolist([big]), 0, 0)] : [x, x]][0]",
    ] {
        let errors = with_big(made).err().unwrap_or_else(|| panic!("{made}"));
        assert_eq!(errors.len(), 1, "{made}");
        assert_says(&errors[0], TOO_MANY);
    }
    // Those that would look at everything while they make it refuse before.
    for made in [
        "setproduct([big], range(1000))",
        "setproduct(toset([big]), toset(range(100)), toset(range(10)))",
    ] {
        let errors = with_big(made).err().unwrap_or_else(|| panic!("{made}"));
        assert_says(&errors[0], "elements at every depth");
    }
}

#[test]
fn texts_in_values_multiply_no_further_than_bytes_do() {
    let text = "a".repeat(1 << 20);
    assert!(evaluated(format!("[for i in range(60) : \"{text}\"]")).is_ok());
    let error = error_of(format!(
        "[for x in [\"{text}\"] : [for i in range(70) : x]]"
    ));
    assert_says(&error, "more than 67108864 bytes of text");
    let error = error_of(format!(
        "[for x in [\"{text}\"] : [for i in range(70) : {{ (x) = i }}]]"
    ));
    assert_says(&error, "more than 67108864 bytes of text");
    // Reading a text costs, too.
    let error = error_of(format!(
        "[for x in [\"{text}\"] : [for i in range(1000) : sha512(x)]]"
    ));
    assert_says(&error, "steps");
}

/// Numbers are a few bytes until they become text.
#[test]
fn numbers_with_far_exponents() {
    let text = |expression: &str| evaluated(expression).expect("a value").to_string();
    assert_eq!(text("1e400"), "1e400");
    assert_eq!(text("-1e-400"), "-1e-400");
    assert_eq!(text("- 1.5e157000"), "-1.5e157000");
    assert_eq!(text("- /* far */ 1e157000"), "-1e157000");
    assert_eq!(text("1e157000 + 1 == 1e157000"), "true");
    assert_eq!(text("jsonencode([1e157000])"), r#""[1e157000]""#);
    assert_eq!(text("length(\" ${1e157000}\")"), "157002");
    assert_eq!(text("\"%{ if 1e400 > 1e399 }far%{ endif }\""), r#""far""#);
    assert_eq!(text(&format!("{} > 1e999", "9".repeat(1000))), "true");
    // What is not there is an error with its place, and not zero.
    for beyond in ["1e999999999", "1e-999999999", "[1, 1e157900]"] {
        assert_says(&error_of(beyond), "too large or too small");
    }
    assert_says(&error_of("1e157000 * 1e157000"), "too large or too small");
    let template = Source::new("template", "${1e400} and ${1e999999999}");
    let error = tenon_hcl::parse_template(&template).expect_err("beyond");
    assert_eq!(error.place.expect("a place").position(), "template:1:16");

    let many = "[for i in range(1000) : 1e157000 + i * 1e156999]";
    assert!(evaluated(many).is_ok());
    for expression in [
        format!("[for number in {many} : \"is ${{number}}\"]"),
        format!("{{ for number in {many} : number => 1 }}"),
        format!("[for number in {many} : tostring(number)]"),
    ] {
        let error = error_of(expression);
        let told = error.to_string();
        assert!(told.contains("steps") || told.contains("bytes"), "{told}");
    }
    for call in [
        "join(\",\", {})",
        "tolist(concat([\"a\"], {}))",
        "formatlist(\"%s\", {})",
    ] {
        let told = error_of(call.replace("{}", many)).to_string();
        let is_limit = told.contains("67108864") || told.contains("16777216");
        assert!(is_limit, "{told}");
    }
}
