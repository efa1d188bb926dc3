//! Stopping and coming back: drains and second signals.

use crate::app::{TestApp, folder, request, run};
use nix::sys::signal::Signal;

/// The first message of a match to one of our bots.
const BEGIN: &str = "/koehandel/filler?market=5&id=9&type=begin";

fn drained_within(seconds: &str) -> TestApp {
    TestApp::new(&[("DRAIN__LIMIT_S", seconds)])
}

fn sessions(app: &TestApp) -> usize {
    app.items("/api/v1/sessions?live=true").len()
}

#[test]
fn with_nothing_to_wait_for_it_ends_at_once() {
    for signal in [Signal::SIGTERM, Signal::SIGINT] {
        let app = drained_within("3600");
        app.signal(signal);
        assert!(app.wait().success(), "{signal}");
    }
}

#[test]
fn a_drain_refuses_new_matches_and_lets_running_ones_go_on() {
    let app = drained_within("3600");
    assert_eq!(app.call(BEGIN).status, 200);
    let first = app.call("/koehandel/filler?market=5&id=9&type=ask");
    assert_eq!(first.status, 200, "{first:?}");
    app.signal(Signal::SIGTERM);
    let refused = app.get_until("/readyz", |answer| answer.status == 503);
    assert!(refused.body.contains("draining"), "{refused:?}");
    assert_eq!(app.get("/healthz").status, 200);
    let other = app.call("/koehandel/filler?market=6&id=10&type=begin");
    assert_eq!(other.status, 503, "{other:?}");
    let known = app.call("/koehandel/filler?market=5&id=9&type=ask");
    assert_eq!(known.status, 200, "{known:?}");
    app.signal(Signal::SIGTERM);
    assert!(app.wait().success(), "the second signal ends it now");
}

#[test]
fn the_drain_has_a_limit() {
    let app = drained_within("1");
    assert_eq!(app.call(BEGIN).status, 200);
    app.stop();
}

#[test]
fn a_session_that_merely_began_does_not_hold_a_stop_and_goes_on_after_the_start() {
    let folder = folder();
    let app = TestApp::with(folder.path(), &[("DRAIN__LIMIT_S", "3600")]);
    assert_eq!(app.call(BEGIN).status, 200);
    app.stop();
    let app = TestApp::start(folder.path());
    assert_eq!(sessions(&app), 1);
    let asked = app.call("/koehandel/filler?market=5&id=9&type=ask");
    assert_eq!(asked.status, 200, "{asked:?}");
    assert_eq!(sessions(&app), 1, "the same session");
    app.kill();
}

#[test]
fn an_operator_can_ask_for_a_drain() {
    let app = drained_within("3600");
    let foreign = ["Sec-Fetch-Site: cross-site"];
    assert_eq!(
        request(app.api, "POST", "/api/v1/drain", &foreign, "").status,
        403
    );
    assert_eq!(app.get("/readyz").status, 200);
    assert_eq!(run(&["drain", "--url", &app.url()]).status.code(), Some(0));
    assert!(app.wait().success());
}
