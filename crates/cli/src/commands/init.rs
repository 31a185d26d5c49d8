//! `tenon init`.

use crate::args::InitArgs;
use crate::commands::new_file;
use crate::exit::Failure;
use crate::output;

pub(crate) const FILES: [(&str, &str); 2] = [
    ("scenarios/hello.hcl", include_str!("init/hello.hcl")),
    ("components/merchant.hcl", include_str!("init/merchant.hcl")),
];

pub(crate) fn run(args: &InitArgs) -> Result<(), Failure> {
    for (name, text) in FILES {
        let path = args.folder.join(name);
        let is_new = new_file::write(&path, text)?;
        let what = if is_new { "wrote" } else { "kept existing" };
        output::talk(format_args!("{what} {}", tenon_text::path(&path)));
    }
    let scenario = args.folder.join(FILES[0].0);
    let scenario = tenon_text::path(&scenario);
    output::talk(format_args!(
        "next:\n  tenon plan {scenario}\n  tenon run {scenario}\n  \
         tenon teardown RECORD    undoes the run"
    ));
    Ok(())
}
