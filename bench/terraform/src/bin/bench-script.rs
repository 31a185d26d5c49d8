//! The resource that is measured, in Rust. It does what `thing.ts` does.

use std::collections::BTreeMap;
use std::process::ExitCode;

use serde::{Deserialize, Serialize};
use tenon_plugin::denobridge::{
    Created, Data, Existing, Failure, Found, Outcome, Resource, Script, Wanted,
};

#[derive(Serialize, Deserialize)]
struct Props {
    name: String,
    size: u64,
    tags: BTreeMap<String, String>,
}

#[derive(Serialize, Deserialize)]
struct State {
    address: String,
    ready: bool,
}

impl State {
    fn of(name: &str) -> State {
        State {
            address: format!("{name}.example"),
            ready: true,
        }
    }
}

struct Thing;

impl Resource for Thing {
    type Props = Props;
    type State = State;

    async fn create(&self, wanted: Wanted<Props>) -> Result<Created<State>, Failure> {
        let state = State::of(&wanted.props.name);
        Ok(Created::new(wanted.props.name, state))
    }

    async fn read(
        &self,
        id: String,
        props: Option<Props>,
    ) -> Result<Option<Found<Props, State>>, Failure> {
        Ok(props.map(|props| Found::new(props, State::of(&id))))
    }

    async fn update(
        &self,
        existing: Existing<Props, State>,
        _: Wanted<Props>,
    ) -> Result<Data<State>, Failure> {
        Ok(State::of(&existing.id).into())
    }

    async fn delete(&self, _: Existing<Props, State>) -> Result<Outcome, Failure> {
        Ok(Outcome::done())
    }
}

fn main() -> ExitCode {
    Script::new().resource(Thing).serve()
}
