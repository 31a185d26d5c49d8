//: resource
//! A resource: a file with some text. Its id is its path.

use std::fs;
use std::io::{ErrorKind, Write};

use tenon_plugin::{Created, Data, Existing, Failure, Found, Resource, attributes};

attributes! {
    /// What the configuration says.
    pub struct Props {
        /// Where the file is.
        #[replaces]
        path: String,
        /// What is in it.
        text: String,
    }

    /// What is known once the file exists.
    pub struct State {
        /// How many words are in it.
        words: usize,
    }
}

pub struct Note;

impl Resource for Note {
    type Props = Props;
    type State = State;

    async fn create(&self, props: Props) -> Result<Created<State>, Failure> {
        // A file that somebody else made is not ours to overwrite.
        let mut file = fs::File::create_new(&props.path)?;
        file.write_all(props.text.as_bytes())?;
        let state = State::of(&props.text);
        Ok(Created::new(props.path, state))
    }

    async fn read(
        &self,
        id: String,
        _: Option<Props>,
    ) -> Result<Option<Found<Props, State>>, Failure> {
        match fs::read_to_string(&id) {
            Ok(text) => {
                let state = State::of(&text);
                Ok(Some(Found::new(Props { path: id, text }, state)))
            }
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    async fn update(
        &self,
        existing: Existing<Props, State>,
        props: Props,
    ) -> Result<Data<State>, Failure> {
        fs::write(existing.id, &props.text)?;
        Ok(State::of(&props.text).into())
    }

    async fn delete(&self, existing: Existing<Props, State>) -> Result<Data<()>, Failure> {
        match fs::remove_file(existing.id) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error.into()),
            _ => Ok(Data::done()),
        }
    }
}

impl State {
    fn of(text: &str) -> State {
        State {
            words: text.split_whitespace().count(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_counted() {
        assert_eq!(State::of("two words").words, 2);
    }
}
//: end
