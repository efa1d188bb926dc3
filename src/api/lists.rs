//! Lists in every format: JSON page by page; ndjson and CSV as a stream, one page in memory at a time.

use super::asked::Asked;
use super::methods::get;
use super::problem::Problem;
use super::public::Public;
use super::query::{Checked, Follow, Page, Params, Sparse, parameters};
use super::reader::Reader;
use super::response::{self, CSV, JSON, NDJSON};
use super::shapes::{Listed, Paged};
use super::sparse::Fields;
use super::state::ApiState;
use crate::sheet::Csv;
use axum::body::{Body, Bytes};
use axum::extract::RawPathParams;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::Response;
use futures_util::future::{BoxFuture, ready};
use futures_util::{FutureExt as _, StreamExt as _, stream};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io;
use std::time::Duration;
use tokio::sync::OwnedSemaphorePermit;
use utoipa::openapi::path::{OperationBuilder, Parameter, Paths};
use utoipa::openapi::schema::Schema;
use utoipa::openapi::{Content, HttpMethod, RefOr, ResponseBuilder};
use utoipa::{IntoParams, PartialSchema as _, ToSchema};
use utoipa_axum::router::UtoipaMethodRouter;

/// A list that is read page by page.
pub(super) trait Rows: Sized + Send + Sync + 'static {
    /// A row.
    type Item: Serialize + ToSchema + Send + 'static;
    /// What its filters are read into.
    type Filters: IntoParams + DeserializeOwned + Clone + Send + Sync + 'static;
    /// The names of its filters among those; all of them, if it names none.
    const FILTERS: &'static [&'static str] = &[];
    /// Its columns as a table, in order; all of its fields in the alphabet's, if it names none.
    const COLUMNS: &'static [&'static str] = &[];
    /// Whether it may be public and final, so that it has a tag.
    const TAGGED: bool = false;
    /// Statuses of its own with which it refuses.
    const REFUSES: &'static [u16] = &[];
    /// How it is followed, if it can be.
    const FOLLOW: Option<Begin<Self>> = None;

    /// A page.
    fn page(
        reader: &Reader,
        params: &Params<Self::Filters>,
    ) -> impl Future<Output = Paged<Self::Item>> + Send;
}

/// Begins to follow a list.
pub(super) type Begin<L> =
    fn(
        Reader,
        Params<<L as Rows>::Filters>,
    ) -> BoxFuture<'static, Result<Box<dyn Tail<<L as Rows>::Item>>, Problem>>;

/// Where a follower stands in a list.
pub(super) trait Tail<T>: Send {
    /// The rows at hand that it has not had, perhaps none. Without a cursor `next`, no more will come.
    fn read(&mut self) -> BoxFuture<'_, Result<Listed<T>, Problem>>;

    /// Waits until there may be more. It may be dropped and called again.
    fn wait(&mut self) -> BoxFuture<'_, ()>;
}

/// The list's three paths: as JSON page by page or as accepted, and whole as ndjson and as CSV.
pub(super) fn routes<L: Rows>(path: &str, about: &str) -> [UtoipaMethodRouter<ApiState>; 3] {
    let mut schemas = vec![(L::Item::name().into_owned(), L::Item::schema())];
    L::Item::schemas(&mut schemas);
    [
        ("", None, &[JSON, NDJSON, CSV][..]),
        (".ndjson", Some(Format::Ndjson), &[NDJSON]),
        (".csv", Some(Format::Csv), &[CSV]),
    ]
    .map(|(end, format, kinds)| {
        let mut found = ResponseBuilder::new();
        for kind in kinds {
            let schema: RefOr<Schema> = match *kind {
                JSON => Listed::<L::Item>::schema(),
                _ => String::schema(),
            };
            found = found.content(*kind, Content::new(Some(schema)));
        }
        let mut operation = OperationBuilder::new()
            .summary(Some(about))
            .parameters(Some(known::<L>()))
            .response("200", found);
        let gone = L::FOLLOW.map(|_| 410).into_iter();
        let others = gone.chain(L::REFUSES.iter().copied());
        for status in others.chain(L::TAGGED.then_some(304)) {
            operation = operation.response(status.to_string(), ResponseBuilder::new());
        }
        let mut paths = Paths::new();
        paths.add_path_operation(format!("{path}{end}"), vec![HttpMethod::Get], operation);
        let handler = move |path: RawPathParams, asked: Asked| answer::<L>(format, path, asked);
        (schemas.clone(), paths, get(handler))
    })
}

/// The list's filters, and which page of it.
pub(super) fn rows_and_page<L: Rows>() -> impl Iterator<Item = Parameter> {
    let filters = parameters::<L::Filters>().into_iter();
    let filters =
        filters.filter(|filter| L::FILTERS.is_empty() || L::FILTERS.contains(&&*filter.name));
    filters.chain(parameters::<Page>())
}

/// All parameters of the list.
fn known<L: Rows>() -> Vec<Parameter> {
    let follow = L::FOLLOW.map(|_| parameters::<Follow>());
    let others = [parameters::<Sparse>()].into_iter().chain(follow);
    rows_and_page::<L>().chain(others.flatten()).collect()
}

/// The list in this format, or else in the one that the caller accepts.
async fn answer<L: Rows>(
    format: Option<Format>,
    path: RawPathParams,
    asked: Asked,
) -> Result<Response, Problem> {
    let checked = Checked::read(asked.query(), &known::<L>())?;
    let fields = Fields::asked::<L::Item>(&checked.get()?)?;
    let of = path.iter().map(|(_, value)| value.to_owned());
    let params: Params<L::Filters> = checked.params(of.collect())?;
    let followed = match L::FOLLOW.zip(checked.get::<Follow>()?.wait()) {
        Some((begin, wait)) => Some((begin(Reader::clone(&asked), params.clone()).await?, wait)),
        None => None,
    };
    match format.unwrap_or_else(|| accepted(&asked.headers)) {
        Format::Json => {
            let listed = match followed {
                Some((tail, wait)) => come(tail, wait, &asked).await?,
                None => L::page(&asked, &params).await?,
            };
            let mut value = response::value(&listed)?;
            if let Some(fields) = fields {
                let items = value["items"].take();
                value["items"] = fields.pick(items);
            }
            Ok(response::tagged_json(
                &asked.headers,
                listed.lasting,
                &value,
            ))
        }
        format => {
            let is_live = followed.is_some();
            let tail = followed.map(|(tail, _)| tail);
            let tail = match tail {
                Some(tail) => tail,
                None => Box::new(Pages::<L>::new(&asked, params)?),
            };
            let mut response = if format == Format::Csv {
                let fields = fields.unwrap_or_else(|| Fields::columns::<L::Item>(L::COLUMNS));
                let write = move |rows, first| table(rows, &fields, first);
                streamed(tail, &asked, CSV, write).await?
            } else {
                let write = move |rows, _| lines(rows, fields.as_ref());
                streamed(tail, &asked, NDJSON, write).await?
            };
            if is_live {
                response.extensions_mut().insert(response::Live);
            }
            Ok(response)
        }
    }
}

/// A list that is not followed, page by page: all of it, unless a limit is given.
struct Pages<L: Rows> {
    reader: Reader,
    params: Params<L::Filters>,
    whole: bool,
    _place: Option<OwnedSemaphorePermit>,
}

impl<L: Rows> Pages<L> {
    fn new(reader: &Reader, params: Params<L::Filters>) -> Result<Self, Problem> {
        let whole = params.page.limit.is_none();
        let public = reader.public().filter(|_| whole);
        Ok(Self {
            _place: public.map(Public::stream).transpose()?,
            reader: reader.clone(),
            whole,
            params: Params {
                streamed: true,
                ..params
            },
        })
    }
}

impl<L: Rows> Tail<L::Item> for Pages<L> {
    fn read(&mut self) -> BoxFuture<'_, Paged<L::Item>> {
        let page = async {
            let mut listed = L::page(&self.reader, &self.params).await?;
            listed.next = listed.next.filter(|_| self.whole);
            self.params.page.cursor.clone_from(&listed.next);
            Ok(listed)
        };
        page.boxed()
    }

    fn wait(&mut self) -> BoxFuture<'_, ()> {
        ready(()).boxed()
    }
}

/// Rows as ndjson.
fn lines<T: Serialize>(rows: Vec<T>, fields: Option<&Fields>) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    for row in rows {
        let value = serde_json::to_value(row)?;
        let value = match fields {
            Some(fields) => fields.pick(value),
            None => value,
        };
        serde_json::to_writer(&mut text, &value)?;
        text.push(b'\n');
    }
    Ok(text)
}

/// Rows as CSV, the first ones with a line of headings.
fn table<T: Serialize>(rows: Vec<T>, fields: &Fields, first: bool) -> io::Result<Vec<u8>> {
    let mut writer = Csv::default();
    if first {
        writer.row(fields.headings())?;
    }
    for row in rows {
        writer.row(fields.cells(&serde_json::to_value(row)?))?;
    }
    writer.finish()
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
async fn come<T: Send>(mut tail: Box<dyn Tail<T>>, wait: Duration, asked: &Asked) -> Paged<T> {
    let until = async {
        tokio::select! {
            () = tokio::time::sleep(wait) => {}
            _ = asked.dismissed() => {}
        }
    };
    Ok(next_rows(&mut *tail, until).await?.0)
}

/// A list as a stream of what `write` writes of its rows, whose second argument says that they are the first. One that
/// is followed breaks off where the daemon stops or the caller's token is revoked: only a list that is over ends.
async fn streamed<T: Send + 'static>(
    mut tail: Box<dyn Tail<T>>,
    asked: &Asked,
    kind: &'static str,
    write: impl Fn(Vec<T>, bool) -> io::Result<Vec<u8>> + Send + Sync + 'static,
) -> Result<Response, Problem> {
    let listed = tail.read().await?;
    let first = write(listed.items, true).map_err(|error| Problem::unshowable(&error))?;
    // All of it is final and public, so that its first page and its parameters set it apart from all others.
    let parts = [&first, asked.query().as_bytes(), kind.as_bytes()];
    let tag = listed.lasting.then(|| response::tag(&parts));
    let known = tag.as_ref();
    if let Some(known) = known.and_then(|tag| response::known(&asked.headers, tag)) {
        return Ok(known);
    }
    let lasts = listed.next.is_some();
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
    let first = stream::iter([Ok(Bytes::from(first))]);
    let mut response = response::dressed(kind, tag, Body::from_stream(first.chain(rest)));
    if let Some(why) = listed.withheld {
        let headers = response.headers_mut();
        headers.insert("drover-withheld", HeaderValue::from_static(why));
    }
    Ok(response)
}

/// A format that callers may ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Json,
    Ndjson,
    Csv,
}

/// The format with the highest quality in `Accept`; JSON if none is known.
fn accepted(headers: &HeaderMap) -> Format {
    let lines = headers.get_all(header::ACCEPT).iter();
    let ranges = lines.filter_map(|line| line.to_str().ok());
    let mut best = (Format::Json, 0.0);
    for range in ranges.flat_map(|line| line.split(',')) {
        let mut parts = range.split(';').map(str::trim);
        let format = match parts.next().unwrap_or_default() {
            "application/x-ndjson" | "application/ndjson" | "application/jsonl" => Format::Ndjson,
            "text/csv" => Format::Csv,
            "application/json" | "*/*" | "application/*" => Format::Json,
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
    use super::{Format, accepted};
    use axum::http::{HeaderMap, HeaderValue, header};

    #[test]
    fn the_best_known_format_is_taken() {
        let check = |accept: &'static str, format: Format| {
            let accept = HeaderValue::from_static(accept);
            let headers = HeaderMap::from_iter([(header::ACCEPT, accept)]);
            assert_eq!(accepted(&headers), format);
        };
        check("*/*", Format::Json);
        check("text/html, application/x-ndjson", Format::Ndjson);
        check("application/json;q=0.5, text/csv;q=0.9", Format::Csv);
        check("text/csv;q=0, application/json;q=0.1", Format::Json);
        check("image/png", Format::Json);
        assert_eq!(accepted(&HeaderMap::new()), Format::Json);
    }
}
