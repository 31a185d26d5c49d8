//! The resource that is measured, in Rust. It does what `thing.ts` does.

use std::collections::BTreeMap;
use std::process::ExitCode;

use tenon_plugin::{Created, Data, Existing, Failure, Found, Plugin, Resource, attributes};

attributes! {
    struct Props {
        name: String,
        size: u64,
        tags: BTreeMap<String, String>,
    }

    struct State {
        address: String,
        ready: bool,
    }
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

    async fn create(&self, props: Props) -> Result<Created<State>, Failure> {
        let state = State::of(&props.name);
        Ok(Created::new(props.name, state))
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
        _: Props,
    ) -> Result<Data<State>, Failure> {
        Ok(State::of(&existing.id).into())
    }

    async fn delete(&self, _: Existing<Props, State>) -> Result<Data<()>, Failure> {
        Ok(Data::done())
    }
}

fn main() -> ExitCode {
    Plugin::new("thing", "1.0.0")
        .resource("thing", "What is measured", |_| Thing)
        .serve()
}
