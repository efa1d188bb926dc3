//! Lists in every format: JSON page by page; ndjson and CSV as a stream, one page in memory at a time.

use super::asked::Asked;
use super::endpoint::{CSV, NDJSON};
use super::events::{Begin, Tail};
use super::fields::Fields;
use super::params::{FIELDS, FOLLOW, PAGE, Params};
use super::problem::Problem;
use super::reader::Reader;
use super::response;
use super::shapes::Listed;
use crate::sheet::Csv;
use axum::body::{Body, Bytes};
use axum::extract::RawPathParams;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::Response;
use futures_util::stream;
use serde::Serialize;
use std::io;
use std::time::Duration;
use utoipa::ToSchema;

/// A list that is read page by page.
pub(super) trait Rows: Sized + Send + Sync + 'static {
    /// A row.
    type Item: Serialize + ToSchema + Send + 'static;
    /// The names of its filters.
    const FILTERS: &'static [&'static str];
    /// Whether it may be public and final, so that it has a tag.
    const TAGGED: bool = false;
    /// Statuses of its own with which it refuses.
    const REFUSES: &'static [u16] = &[];
    /// How it is followed, if it can be.
    const FOLLOW: Option<Begin<Self>> = None;

    /// A page, and whether the whole list is public and final.
    fn page(
        reader: &Reader,
        params: &Params,
    ) -> impl Future<Output = Result<(Listed<Self::Item>, bool), Problem>> + Send;
}

/// The list in the format that the caller accepts.
pub(super) async fn as_accepted<L: Rows>(
    path: RawPathParams,
    asked: Asked,
) -> Result<Response, Problem> {
    match accepted(&asked.headers) {
        Accepted::Ndjson => ndjson::<L>(path, asked).await,
        Accepted::Csv => csv::<L>(path, asked).await,
        Accepted::Json => {
            let (params, fields) = read::<L>(&path, &asked)?;
            let (listed, lasting) = match followed::<L>(&asked, &params).await? {
                Some((tail, wait)) => (come(tail, wait, &asked).await?, false),
                None => L::page(&asked, &params).await?,
            };
            let mut value = response::value(&listed)?;
            if let Some(fields) = fields {
                let items = value["items"].take();
                value["items"] = fields.pick(items);
            }
            Ok(response::tagged_json(&asked.headers, lasting, &value))
        }
    }
}

/// All of the list as ndjson.
pub(super) async fn ndjson<L: Rows>(
    path: RawPathParams,
    asked: Asked,
) -> Result<Response, Problem> {
    let (params, fields) = read::<L>(&path, &asked)?;
    all::<L>(asked, params, NDJSON, move |rows, _| {
        let mut text = Vec::new();
        for row in rows {
            let value = serde_json::to_value(row)?;
            let value = match &fields {
                Some(fields) => fields.pick(value),
                None => value,
            };
            serde_json::to_writer(&mut text, &value)?;
            text.push(b'\n');
        }
        Ok(text)
    })
    .await
}

/// All of the list as CSV, with a line of headings.
pub(super) async fn csv<L: Rows>(path: RawPathParams, asked: Asked) -> Result<Response, Problem> {
    let (params, fields) = read::<L>(&path, &asked)?;
    let fields = fields.unwrap_or_else(Fields::all::<L::Item>);
    all::<L>(asked, params, CSV, move |rows, first| {
        let mut writer = Csv::default();
        if first {
            writer.row(fields.headings())?;
        }
        for row in rows {
            writer.row(fields.cells(&serde_json::to_value(row)?))?;
        }
        writer.finish()
    })
    .await
}

/// The parameters of a list and the fields that are wanted.
fn read<L: Rows>(path: &RawPathParams, asked: &Asked) -> Result<(Params, Option<Fields>), Problem> {
    let params = asked.params(&names::<L>())?;
    let fields = params.text("fields");
    let fields = fields
        .map(|text| Fields::read::<L::Item>(&text))
        .transpose()?;
    let named = path.iter().map(|(_, value)| value);
    Ok((params.of(named), fields))
}

/// The names of its parameters.
pub(super) fn names<L: Rows>() -> [&'static [&'static str]; 4] {
    let follow = L::FOLLOW.map_or(&[][..], |_| FOLLOW);
    [L::FILTERS, PAGE, FIELDS, follow]
}

/// The list's tail, and how long to wait for its next page, if it is to be followed.
async fn followed<L: Rows>(
    asked: &Asked,
    params: &Params,
) -> Result<Option<(Box<dyn Tail<L::Item>>, Duration)>, Problem> {
    let Some((begin, wait)) = L::FOLLOW.zip(params.follow()?) else {
        return Ok(None);
    };
    let tail = begin(Reader::clone(asked), params.clone()).await?;
    Ok(Some((tail, wait)))
}

/// The next page of a list that is followed: an empty one that leads on if `until` comes before any row, with what it
/// came with.
async fn next_rows<T: Send, W>(
    tail: &mut dyn Tail<T>,
    until: impl Future<Output = W>,
) -> Result<(Listed<T>, Option<W>), Problem> {
    let mut until = std::pin::pin!(until);
    loop {
        let listed = tail.read().await?;
        if !listed.items.is_empty() || listed.next.is_none() {
            return Ok((listed, None));
        }
        tokio::select! {
            () = tail.wait() => {}
            why = until.as_mut() => return Ok((listed, Some(why))),
        }
    }
}

/// The same within a time.
async fn come<T: Send>(
    mut tail: Box<dyn Tail<T>>,
    wait: Duration,
    asked: &Asked,
) -> Result<Listed<T>, Problem> {
    let until = async {
        tokio::select! {
            () = tokio::time::sleep(wait) => {}
            _ = asked.dismissed() => {}
        }
    };
    Ok(next_rows(&mut *tail, until).await?.0)
}

/// A list that is followed, as a stream of what `write` writes of its rows. It breaks off where the daemon stops or the
/// caller's token is revoked: only a list that is over ends.
async fn stream_followed<T: Send + 'static>(
    mut tail: Box<dyn Tail<T>>,
    asked: &Asked,
    kind: &'static str,
    write: impl Fn(Vec<T>, bool) -> io::Result<Vec<u8>> + Send + Sync + 'static,
) -> Result<Response, Problem> {
    let first = tail.read().await?;
    let (withheld, lasts) = (first.withheld, first.next.is_some());
    let text = write(first.items, true).map_err(|error| Problem::unshowable(&error))?;
    let state = lasts.then(|| (tail, write, asked.dismissed()));
    let rest = stream::try_unfold(state, |state| async move {
        let Some((mut tail, write, mut dismissed)) = state else {
            return Ok(None);
        };
        let next = next_rows(&mut *tail, &mut dismissed).await;
        let (listed, why) = next.map_err(Problem::into_io)?;
        if let Some(why) = why {
            return Err(io::Error::other(why));
        }
        let lasts = listed.next.is_some();
        let text = Bytes::from(write(listed.items, false)?);
        Ok(Some((text, lasts.then_some((tail, write, dismissed)))))
    });
    let first = stream::iter([Ok(Bytes::from(text))]);
    let body = Body::from_stream(futures_util::StreamExt::chain(first, rest));
    let mut response = response::dressed(kind, None, body);
    response.extensions_mut().insert(response::Live);
    Ok(partly(response, withheld))
}

/// The response, with the reason why rows may be missing.
fn partly(mut response: Response, withheld: Option<&'static str>) -> Response {
    if let Some(why) = withheld {
        let headers = response.headers_mut();
        headers.insert("drover-withheld", HeaderValue::from_static(why));
    }
    response
}

/// A stream of pages as `write` writes them, of which the first is told that it is the first; only one page if
/// a limit was given.
async fn all<L: Rows>(
    asked: Asked,
    params: Params,
    kind: &'static str,
    write: impl Fn(Vec<L::Item>, bool) -> io::Result<Vec<u8>> + Send + Sync + 'static,
) -> Result<Response, Problem> {
    if let Some((tail, _)) = followed::<L>(&asked, &params).await? {
        return stream_followed(tail, &asked, kind, write).await;
    }
    let (whole, params) = params.for_stream();
    let (listed, lasting) = L::page(&asked, &params).await?;
    let withheld = listed.withheld;
    let first = write(listed.items, true).map_err(|error| Problem::unshowable(&error))?;
    // All of it is final and public, so that its first page and its parameters tell it from all others.
    let tag = lasting.then(|| response::tag(&[&first, asked.query().as_bytes(), kind.as_bytes()]));
    if let Some(known) = tag
        .as_ref()
        .and_then(|tag| response::known(&asked.headers, tag))
    {
        return Ok(known);
    }
    let (next, reader) = (listed.next.filter(|_| whole), asked.into_reader());
    let rest = stream::try_unfold((next, write), move |(next, write)| {
        let (reader, params) = (reader.clone(), params.clone());
        async move {
            let Some(cursor) = next else {
                return Ok(None);
            };
            let page = L::page(&reader, &params.at(cursor)).await;
            let (listed, _) = page.map_err(Problem::into_io)?;
            let text = write(listed.items, false)?;
            Ok::<_, io::Error>(Some((Bytes::from(text), (listed.next, write))))
        }
    });
    let first = stream::iter([Ok(Bytes::from(first))]);
    let body = Body::from_stream(futures_util::StreamExt::chain(first, rest));
    Ok(partly(response::dressed(kind, tag, body), withheld))
}

/// A format that callers may ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Accepted {
    Json,
    Ndjson,
    Csv,
}

/// The format with the highest quality in `Accept`; JSON if none is known.
fn accepted(headers: &HeaderMap) -> Accepted {
    let lines = headers.get_all(header::ACCEPT).iter();
    let ranges = lines.filter_map(|line| line.to_str().ok());
    let mut best = (Accepted::Json, 0.0);
    for range in ranges.flat_map(|line| line.split(',')) {
        let mut parts = range.split(';').map(str::trim);
        let format = match parts.next().unwrap_or_default() {
            "application/x-ndjson" | "application/ndjson" | "application/jsonl" => Accepted::Ndjson,
            "text/csv" => Accepted::Csv,
            "application/json" | "*/*" | "application/*" => Accepted::Json,
            _ => continue,
        };
        let quality = parts.find_map(|part| part.strip_prefix("q=")?.parse::<f32>().ok());
        let quality = quality.unwrap_or(1.0);
        if quality > best.1 {
            best = (format, quality);
        }
    }
    best.0
}

#[cfg(test)]
mod tests {
    use super::{Accepted, accepted};
    use axum::http::{HeaderMap, HeaderValue, header};

    #[test]
    fn the_best_known_format_is_taken() {
        let check = |accept: &'static str, format: Accepted| {
            let accept = HeaderValue::from_static(accept);
            let headers = HeaderMap::from_iter([(header::ACCEPT, accept)]);
            assert_eq!(accepted(&headers), format);
        };
        check("*/*", Accepted::Json);
        check("text/html, application/x-ndjson", Accepted::Ndjson);
        check("application/json;q=0.5, text/csv;q=0.9", Accepted::Csv);
        check("text/csv;q=0, application/json;q=0.1", Accepted::Json);
        check("image/png", Accepted::Json);
        assert_eq!(accepted(&HeaderMap::new()), Accepted::Json);
    }
}
