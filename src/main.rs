//! The executable: parses the command line and runs one verb.

fn main() {}
