//! Names for ext types such as a protocol has them: those of cty's unknown values.

use tenon_rpc::options::{ExtContent, ExtName};

pub(crate) const EXT_NAMES: &[ExtName] = &[
    ExtName {
        code: 0,
        name: "$unknown",
        content: ExtContent::Fixed(&[0]),
    },
    ExtName {
        code: 12,
        name: "$unknown",
        content: ExtContent::Map(&[(1, "null"), (2, "prefix")]),
    },
];
