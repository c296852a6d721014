//! One try: send, look at what comes, read it.

use std::future::Future;
use std::time::Duration;

use futures_util::StreamExt;
use reqwest::header::HeaderMap;
use reqwest::{Client, Response, Url};
use tokio_util::sync::CancellationToken;

use super::body::{Chunks, Kind, Loss};
use super::{HttpBackend, Request, answer, body, client};
use crate::backends::frames::{self, FrameError};
use crate::backends::wire::Framing;
use crate::backends::{Delta, ErrorKind, Failure, Progress, Reply, Stop};
use crate::plan::Item;
use crate::world::clock;

/// How long token counts are waited for once the reply itself is whole.
const AFTER_THE_END: Duration = Duration::from_secs(10);

/// The most bytes of an error's body that are read.
const ERROR_BODY: usize = 64 * 1024;

impl HttpBackend {
    /// Sends a request once and reads the reply.
    pub(super) async fn once(
        &self,
        request: &Request,
        cancel: &CancellationToken,
        tell: &mut (dyn FnMut(Delta) + Send),
    ) -> Result<Reply, Failure> {
        self.try_once(request, cancel, tell)
            .await
            .map_err(|failure| {
                if failure.error.kind != ErrorKind::Authentication || failure.error.hint.is_some() {
                    return failure;
                }
                failure.hint(match (&self.endpoint.key, &self.endpoint.signer) {
                    (Some(key), _) => format!("look at the key from {}", key.source()),
                    (None, Some(signer)) => format!("look at {}", signer.source()),
                    (None, None) => "this server wants a key: set one for the endpoint".to_owned(),
                })
            })
    }

    async fn try_once(
        &self,
        request: &Request,
        cancel: &CancellationToken,
        tell: &mut (dyn FnMut(Delta) + Send),
    ) -> Result<Reply, Failure> {
        let (headers, chunks) = self.received(request, cancel).await?;
        let outcome = self.read(request, chunks, cancel, tell).await;
        outcome.map_err(|mut failure| {
            let told = failure.error.request_id.take();
            failure.error.request_id = answer::request_id(&headers).or(told);
            failure
        })
    }

    /// Sends a request and gives what comes when its status is a success.
    pub(super) async fn received(
        &self,
        request: &Request,
        cancel: &CancellationToken,
    ) -> Result<(HeaderMap, Chunks), Failure> {
        let response = or_cancelled(cancel, self.send(request)).await??;
        let headers = response.headers().clone();
        let status = response.status();
        let chunks = body::chunks(response, self.endpoint.limits.idle);
        if !status.is_success() {
            let words = or_cancelled(cancel, body::beginning(chunks, ERROR_BODY)).await?;
            let refusal = answer::Refusal {
                status,
                headers: &headers,
                body: &words,
                now: clock::timestamp()
                    .parse()
                    .expect("the clock writes RFC 3339"),
            };
            return Err(answer::refusal(&refusal, &request.url));
        }
        Ok((headers, chunks))
    }

    async fn send(&self, request: &Request) -> Result<Response, Failure> {
        let client: &Client = self
            .client
            .get_or_init(|| client::build(&self.endpoint, &request.url))
            .as_ref()
            .map_err(Clone::clone)?;
        let mut headers = request.headers.clone();
        if let Some(signer) = &self.endpoint.signer {
            headers.extend(signer.sign(request).await?);
        }
        let sending = client
            .request(request.method.clone(), request.url.clone())
            .headers(headers)
            .body(request.body.clone());
        let limits = &self.endpoint.limits;
        match tokio::time::timeout(limits.connect + limits.idle, sending.send()).await {
            Ok(Ok(response)) => Ok(response),
            Ok(Err(error)) => Err(answer::no_answer(&error, &request.url)),
            Err(_) => Err(lost(&request.url, &Loss::Silence(limits.idle))),
        }
    }

    async fn read(
        &self,
        request: &Request,
        chunks: Chunks,
        cancel: &CancellationToken,
        tell: &mut (dyn FnMut(Delta) + Send),
    ) -> Result<Reply, Failure> {
        let (kind, chunks) = or_cancelled(cancel, body::look(chunks))
            .await?
            .map_err(|loss| lost(&request.url, &loss))?;
        let kind = match kind {
            // Each line of such a stream is JSON, the first one too.
            Kind::Json if request.streams && self.wire.framing() == Framing::Lines => {
                Kind::Events {
                    beginning: String::new(),
                }
            }
            other @ (Kind::Nothing | Kind::Json | Kind::Page | Kind::Events { .. }) => other,
        };
        match kind {
            Kind::Nothing => Err(Failure::new(
                ErrorKind::Empty,
                format!(
                    "`{}` answers with nothing at all",
                    answer::shown(&request.url)
                ),
            )
            .hint("look at the URL of the endpoint, and at the server's own log")
            .passing()),
            Kind::Page => Err(answer::page(&request.url)),
            Kind::Json => {
                let whole = or_cancelled(cancel, body::whole(chunks))
                    .await?
                    .map_err(|loss| lost(&request.url, &loss))?;
                let value = serde_json::from_slice(body::without_bom(&whole)).map_err(|error| {
                    Failure::new(
                        ErrorKind::Protocol,
                        format!("the reply begins as JSON and is none: {error}"),
                    )
                    .hint("ask again; if it stays so, look at the URL of the endpoint")
                })?;
                let reply = self.wire.decode(&value)?;
                tell_whole(&reply, tell);
                Ok(reply)
            }
            Kind::Events { beginning } => {
                self.follow(request, chunks, &beginning, cancel, tell).await
            }
        }
    }

    /// Reads a stream of events. What the decoder makes of them counts, whatever happens to the
    /// connection after the proof of the end.
    async fn follow(
        &self,
        request: &Request,
        chunks: Chunks,
        beginning: &str,
        cancel: &CancellationToken,
        tell: &mut (dyn FnMut(Delta) + Send),
    ) -> Result<Reply, Failure> {
        let mut events = frames::events(self.wire.framing(), chunks);
        let mut decoder = self.wire.stream();
        let mut any = false;
        let broken = loop {
            let next = or_cancelled(cancel, events.next());
            let next = match decoder.progress() {
                Progress::Done => break None,
                Progress::Open => next.await,
                Progress::Proved => match tokio::time::timeout(AFTER_THE_END, next).await {
                    Ok(next) => next,
                    Err(_) => break None,
                },
            };
            match next {
                Err(cancelled) => break Some(cancelled),
                Ok(None) => break None,
                Ok(Some(Err(error))) => break Some(broken(&request.url, &error)),
                Ok(Some(Ok(event))) => {
                    any = true;
                    match decoder.event(event.as_frame()) {
                        Ok(deltas) => deltas.into_iter().for_each(&mut *tell),
                        Err(failure) => break Some(failure),
                    }
                }
            }
        };
        let begins = self.wire.framing() == Framing::EventStream || body::begins_events(beginning);
        if !any && broken.is_none() && !begins {
            return Err(Failure::new(
                ErrorKind::Protocol,
                format!(
                    "`{}` answers with neither JSON nor a stream of events: {}",
                    answer::shown(&request.url),
                    crate::backends::fault::one_line(beginning)
                ),
            )
            .hint("look at the URL of the endpoint"));
        }
        match (decoder.finish(), broken) {
            (Err(cut), Some(broken)) if cut.error.kind == ErrorKind::Cut => {
                let mut partial = cut.partial.map(|partial| *partial);
                if let (Some(partial), ErrorKind::Cancelled) = (&mut partial, broken.error.kind) {
                    partial.stop = Stop::Interrupted;
                }
                Err(broken.with_partial(partial))
            }
            (outcome, _) => outcome,
        }
    }
}

fn broken(url: &Url, error: &FrameError<Loss>) -> Failure {
    match error {
        FrameError::Bytes(loss) => lost(url, loss),
        FrameError::TooLong | FrameError::NotUtf8 | FrameError::Unreadable(_) => {
            Failure::new(ErrorKind::Protocol, error.to_string())
                .hint("ask again; if it stays so, the server or a proxy is at fault")
        }
    }
}

pub(super) fn lost(url: &Url, loss: &Loss) -> Failure {
    let place = answer::place(url);
    match loss {
        Loss::Connection(error) => {
            let mut failure = answer::no_answer(error, url);
            failure.error.kind = ErrorKind::Cut;
            failure
        }
        Loss::Silence(_) => Failure::new(
            ErrorKind::Cut,
            format!("the answer from `{place}` stopped: {loss}"),
        )
        .hint("ask again, or allow a longer silence")
        .passing(),
        Loss::TooLong => Failure::new(
            ErrorKind::Protocol,
            format!("the answer from `{place}` cannot be read: {loss}"),
        ),
    }
}

/// Shows a reply that came in one piece, so that those who look on see every reply the same way.
fn tell_whole(reply: &Reply, tell: &mut (dyn FnMut(Delta) + Send)) {
    for item in &reply.items {
        match item {
            Item::Text(text) => tell(Delta::Text(text.clone())),
            Item::Reasoning(reasoning) => {
                if let Some(text) = &reasoning.text {
                    tell(Delta::Reasoning(text.clone()));
                }
            }
            Item::Call(_) => {}
        }
    }
}

/// What a cancelled question gives.
pub(super) fn cancelled() -> Failure {
    Failure::new(ErrorKind::Cancelled, "the request was cancelled")
}

/// Waits for the outcome or for the end of the run, whichever comes first.
pub(super) async fn or_cancelled<T>(
    cancel: &CancellationToken,
    outcome: impl Future<Output = T>,
) -> Result<T, Failure> {
    tokio::select! {
        biased;
        () = cancel.cancelled() => Err(cancelled()),
        outcome = outcome => Ok(outcome),
    }
}
