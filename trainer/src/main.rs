//! The `senpu` binary.

fn main() {}
