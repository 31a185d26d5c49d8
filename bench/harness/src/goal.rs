//! A goal, with what a run says about it.

use serde_json::{Value, json};

pub struct Goal {
    pub text: String,
    pub measured: Option<f64>,
    /// The same with each side on cores of its own, where that is measured. Not what is judged.
    pub apart: Option<f64>,
    pub bar: Bar,
    pub unit: &'static str,
}

#[derive(Clone, Copy)]
pub enum Bar {
    AtMost(f64),
    AtLeast(f64),
}

impl Goal {
    pub fn met(&self) -> Option<bool> {
        let measured = self.measured?;
        Some(match self.bar {
            Bar::AtMost(bar) => measured <= bar,
            Bar::AtLeast(bar) => measured >= bar,
        })
    }

    pub fn json(&self) -> Value {
        json!({
            "goal": self.text,
            "measured": self.measured,
            "two_cores": self.apart,
            "met": self.met(),
        })
    }
}
