//! `tenon init`.

use std::fs;
use std::io;
use std::path::Path;

use crate::args::InitArgs;
use crate::exit::{Code, Failure};
use crate::output;

const FILES: [(&str, &str); 2] = [
    ("scenarios/hello.hcl", include_str!("init/hello.hcl")),
    ("components/merchant.hcl", include_str!("init/merchant.hcl")),
];

pub(crate) fn run(args: &InitArgs) -> Result<(), Failure> {
    for (name, text) in FILES {
        let path = args.folder.join(name);
        let is_new = write_new(&path, text)
            .map_err(|error| Failure::new(Code::Failed, format!("{}: {error}", path.display())))?;
        let what = if is_new { "wrote" } else { "left as it is:" };
        output::talk(format_args!("{what} {}", path.display()));
    }
    let scenario = args.folder.join(FILES[0].0);
    let scenario = scenario.display();
    output::talk(format_args!(
        "next:\n  tenon plan {scenario}\n  tenon run {scenario}\n  \
         tenon teardown RECORD    takes back what a run did"
    ));
    Ok(())
}

/// Writes a file unless it is there.
fn write_new(path: &Path, text: &str) -> io::Result<bool> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    match fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(path)
    {
        Ok(mut file) => io::Write::write_all(&mut file, text.as_bytes()).map(|()| true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error),
    }
}
