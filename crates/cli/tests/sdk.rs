//! Our SDKs in other languages, with their own tests, each on the runtimes it is for and against
//! `tenon echo`.
//!
//! `scripts/tools` installs what they need. A test whose tool is missing says so and passes; under
//! CI=true it fails.

#[path = "foreign/mark.rs"]
mod mark;
#[path = "sdk/python.rs"]
mod python;
#[expect(dead_code, reason = "the foreign peers use the rest of it")]
#[path = "foreign/tools.rs"]
mod tools;
#[expect(dead_code, reason = "the foreign peers use the rest of it")]
#[path = "foreign/trial.rs"]
mod trial;
#[path = "sdk/typescript.rs"]
mod typescript;
