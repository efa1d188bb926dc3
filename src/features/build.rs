//! Without a build script, the build dependencies would not be resolved.

fn main() {}
