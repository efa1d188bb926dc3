//! The yardstick: a bare hyper server that says hello.

use bytes::Bytes;
use http_body_util::Full;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, body::Incoming};
use hyper_util::rt::TokioIo;
use std::convert::Infallible;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Says hello until stopped.
pub(crate) async fn serve(listener: TcpListener, stop: CancellationToken) {
    let tracker = TaskTracker::new();
    loop {
        let accepted = tokio::select! {
            () = stop.cancelled() => break,
            accepted = listener.accept() => accepted,
        };
        let Ok((stream, _)) = accepted else { continue };
        if stream.set_nodelay(true).is_err() {
            continue;
        }
        let serving =
            http1::Builder::new().serve_connection(TokioIo::new(stream), service_fn(hello));
        tracker.spawn(serving);
    }
    tracker.close();
    tracker.wait().await;
}

async fn hello(_: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    Ok(Response::new(Full::new(Bytes::from_static(b"hello"))))
}
