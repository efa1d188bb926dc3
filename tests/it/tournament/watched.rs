//! A run that serves its own pages.

use super::tournament;
use super::workers::Running;
use crate::app::{folder, request, until};
use std::fs::{self, File};
use std::net::SocketAddr;
use std::process::Stdio;

#[test]
fn a_run_that_is_watched_shows_how_far_it_has_come() {
    let folder = folder();
    let file = super::CUP.replace("rounds = 8", "rounds = 2000");
    fs::write(folder.path().join("cup.toml"), file).unwrap();
    let said = folder.path().join("said");
    let mut run = tournament(folder.path(), "run", &["cup.toml", "--watch=127.0.0.1:0"]);
    run.stdout(Stdio::null())
        .stderr(File::create(&said).unwrap());
    // It ends with the test, however that ends.
    let _run = Running(run.spawn().unwrap());
    let address = || -> Option<SocketAddr> {
        let said = fs::read_to_string(&said).unwrap();
        let address = said.split_once("watch at http://")?.1;
        address.split_once("/\n")?.0.parse().ok()
    };
    until(|| address().is_some());
    let address = address().unwrap();
    let get = |path: &str| request(address, "GET", path, &[], "");
    let cups = || get("/api/v1/tournaments").items();
    until(|| {
        cups()
            .first()
            .is_some_and(|cup| cup["matches"].as_u64() > Some(3))
    });
    let cup = cups()[0].clone();
    assert_eq!(cup["ended"], serde_json::Value::Null);
    let page = get(&format!("/tournaments/{}", cup["id"].as_str().unwrap())).body;
    for shown in ["of 2000: ", " matches have ended; about ", "not ended"] {
        assert!(page.contains(shown), "{shown}: {page}");
    }
    let start = get("/").body;
    assert!(start.contains("class=\"board\""), "{start}");
}
