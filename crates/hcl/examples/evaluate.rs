//! Evaluates an expression: `cargo run -p tenon-hcl --example evaluate -- 'upper("a")'`.

use std::process::ExitCode;

use tenon_hcl::{Context, Functions, Source, Style, parse_expression};

#[allow(clippy::print_stdout, reason = "this is what an example is for")]
fn main() -> ExitCode {
    let mut failed = false;
    for text in std::env::args().skip(1) {
        let context = Context {
            scope: &(),
            functions: &Functions::standard(None),
            is_plan: false,
        };
        let outcome = parse_expression(&Source::new("expression", text.as_str()))
            .map_err(|error| vec![error])
            .and_then(|expression| expression.evaluate(&context));
        match outcome {
            Ok(value) => println!("{text}   =>  {value}"),
            Err(errors) => {
                failed = true;
                for error in errors {
                    println!("{}", error.render(Style::Plain));
                }
            }
        }
    }
    ExitCode::from(u8::from(failed))
}
