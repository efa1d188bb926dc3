//! The executable: parses the command line and runs one verb.

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    drover::cli::run(std::env::args_os().collect())
}
