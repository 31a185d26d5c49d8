//! A resource of Terraform: a file with some content.
//!
//! `examples/terraform/file-rust/main.tf` uses it; in Deno and Python, the same is beside it.
//!
//! ```text
//! cargo build -p tenon-plugin --example file_resource
//! ```

use std::fs;
use std::io::{self, ErrorKind, Write};
use std::time::UNIX_EPOCH;

use tenon_plugin::{
    Created, Data, Diagnostic, Existing, Failure, Found, Plugin, Resource, attributes,
};

attributes! {
    /// What the configuration says.
    struct Props {
        /// Where the file is.
        #[replaces]
        path: String,
        /// What is in it.
        content: String,
    }

    /// What is known once the file exists.
    struct State {
        /// When it was last changed, in seconds since 1970.
        mtime: u64,
        /// How many bytes are in it.
        size: u64,
    }
}

impl State {
    fn of(path: &str) -> Result<State, Failure> {
        let metadata = fs::metadata(path)?;
        let since = metadata.modified()?.duration_since(UNIX_EPOCH)?;
        Ok(State {
            mtime: since.as_secs(),
            size: metadata.len(),
        })
    }
}

/// The file. Its id is its path.
struct File;

impl Resource for File {
    type Props = Props;
    type State = State;

    async fn create(&self, props: Props) -> Result<Created<State>, Failure> {
        let Props { path, content } = props;
        // A file that somebody else made is not ours to overwrite, and not ours to delete later.
        let mut file = fs::File::create_new(&path).map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => refusal(
                "the file is there already",
                format!("{path} would be overwritten; import it, or choose another path"),
            ),
            _ => at(&path, &error),
        })?;
        file.write_all(content.as_bytes())?;
        let state = State::of(&path)?;
        Ok(Created::new(path, state))
    }

    async fn read(
        &self,
        id: String,
        _props: Option<Props>,
    ) -> Result<Option<Found<Props, State>>, Failure> {
        match fs::read_to_string(&id) {
            Ok(content) => {
                let state = State::of(&id)?;
                Ok(Some(Found::new(Props { path: id, content }, state)))
            }
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(at(&id, &error)),
        }
    }

    async fn update(
        &self,
        existing: Existing<Props, State>,
        props: Props,
    ) -> Result<Data<State>, Failure> {
        let path = existing.id;
        if props.path != path {
            return Err(refusal(
                "a file cannot be moved",
                format!("it is {path}; replace the resource"),
            ));
        }
        fs::write(&path, props.content).map_err(|error| at(&path, &error))?;
        Ok(State::of(&path)?.into())
    }

    async fn delete(&self, existing: Existing<Props, State>) -> Result<Data<()>, Failure> {
        match fs::remove_file(&existing.id) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(at(&existing.id, &error)),
            _ => Ok(Data::done()),
        }
    }
}

/// An error that points at the path.
fn refusal(summary: &str, detail: String) -> Failure {
    Failure::diagnosed([Diagnostic::error(summary, detail).at(["path"])])
}

/// An error that names the file.
fn at(path: &str, error: &io::Error) -> Failure {
    Failure::new(format!("{path}: {error}"))
}

fn main() -> std::process::ExitCode {
    Plugin::new("file", env!("CARGO_PKG_VERSION"))
        .resource("file", "A file with some content", |_| File)
        .serve()
}
