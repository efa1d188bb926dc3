//! Every package of the workspace builds with the same features of other crates, alone as together.

use std::collections::BTreeSet;
use std::process::Command;

/// Crates with their versions and features, as these packages build them.
fn features(packages: &[&str]) -> BTreeSet<String> {
    let edges = "normal,build,dev";
    let output = Command::new(env!("CARGO"))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(["tree", "--locked", "--prefix", "none"])
        .args(["--edges", edges, "--format", "{p} [{f}]"])
        .args(packages)
        .output()
        .expect("cargo runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let lines = String::from_utf8(output.stdout).expect("UTF-8");
    let lines = lines.lines().map(|line| line.trim_end_matches(" (*)"));
    lines.map(str::to_owned).collect()
}

#[test]
fn a_package_alone_resolves_the_features_of_the_whole_workspace() {
    let together = features(&["--workspace"]);
    let packages = together.iter().filter_map(|line| {
        let (name, rest) = line.split_once(" v")?;
        let ours = rest.contains(env!("CARGO_MANIFEST_DIR"));
        // Where the features are named, nothing else is built.
        (ours && name != "drover-features").then_some(name)
    });
    let mut seen = 0;
    for package in packages {
        let alone = features(&["--package", package]);
        let others: Vec<&String> = alone.difference(&together).collect();
        let remedy =
            "add them to src/features/Cargo.toml: else testing it alone builds these again";
        assert!(others.is_empty(), "{package}: {remedy}: {others:#?}");
        seen += 1;
    }
    assert!(seen > 10, "{seen} packages");
}
