//! The code in `src/generated/` is what the files in `proto/` say.
//!
//! `GENERATED=write cargo test -p tenon-tfplugin --test generated` makes it anew. No protobuf
//! compiler is needed, and a build needs neither this test nor what it uses.

use std::fs;
use std::path::Path;

#[test]
fn is_made_of_the_proto_files() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let made = tempfile::tempdir().unwrap();
    let proto = root.join("proto");
    let files = protox::compile(
        [proto.join("tfplugin6.proto"), proto.join("plugin.proto")],
        [&proto],
    )
    .unwrap();
    tonic_prost_build::configure()
        .build_transport(false)
        .out_dir(made.path())
        .compile_fds(files)
        .unwrap();
    for name in ["tfplugin6.rs", "plugin.rs"] {
        let made = fs::read_to_string(made.path().join(name)).unwrap();
        let kept = root.join("src/generated").join(name);
        if std::env::var("GENERATED").is_ok_and(|value| value == "write") {
            fs::write(&kept, made).unwrap();
        } else {
            assert!(
                fs::read_to_string(&kept).is_ok_and(|kept| kept == made),
                "{} is not what proto/ says; run\n  \
                 GENERATED=write cargo test -p tenon-tfplugin --test generated",
                kept.display()
            );
        }
    }
}
