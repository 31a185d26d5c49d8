pub(crate) mod decode;
pub(crate) mod load;
pub(crate) mod model;
pub(crate) mod variables;
