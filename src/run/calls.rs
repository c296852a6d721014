//! The calls of one round: run together, their outputs recorded in call order.

use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use serde_json::{Map, Value};

use super::journal::Journal;
use super::limits::RoundOfCalls;
use super::request::GRACE;
use super::{Event, Kept, RunError, Sink, TranscriptError};
use crate::chat::{ToolCall, ToolOutput};
use crate::plan::{Media, Returned, Saying};
use crate::tools::{
    CallContext, Effects, Output, OutputLimit, OutputMedia, ToolError, ToolRegistry,
};
use crate::world::clock;

/// The only key of the arguments of a call whose own ones were cut or are no JSON object: under it
/// stands what the model wrote. Such a call is never run.
pub(super) const UNREAD: &str = "_unread";

/// What the model is told of a call that an earlier run left open and that is not run again.
const INTERRUPTED: &str = "interrupted";

/// Whether a call that an earlier run left open is run again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RetryCalls {
    /// Only when its executor says that running it twice does no harm.
    #[default]
    Harmless,
    /// In any case.
    All,
}

/// Which run made the calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MadeBy {
    ThisRun,
    /// It was killed or interrupted, and the call may have run.
    EarlierRun,
}

/// What runs calls.
pub(super) struct Desk<'a> {
    pub(super) registry: &'a ToolRegistry,
    pub(super) context: CallContext,
    pub(super) limit: OutputLimit,
    pub(super) retry: RetryCalls,
}

/// A call that has ended.
struct Ended {
    result: Result<Output, ToolError>,
    started: Option<String>,
    elapsed: Duration,
}

impl Desk<'_> {
    /// Runs the calls of a round and records their outputs, each as soon as those of the calls
    /// before it are recorded too. Gives the outputs in call order.
    ///
    /// When the run is cancelled, calls that do not end soon are left open: the next run tells the
    /// model that they were interrupted.
    pub(super) async fn run(
        &self,
        calls: &[ToolCall],
        made_by: MadeBy,
        journal: &mut Journal<'_>,
        sink: &mut dyn Sink,
    ) -> Result<Vec<ToolOutput>, RunError> {
        let cancel = &self.context.cancel;
        let mut running = FuturesUnordered::new();
        let mut ended: Vec<Option<Ended>> = Vec::new();
        for (at, call) in calls.iter().enumerate() {
            let settled = self.settled(call, made_by);
            match settled {
                Some(INTERRUPTED) => sink.tell(Event::Warned(format!(
                    "an earlier run has left the call of `{}` open, and it may have done its \
                     work: the model is told that it was interrupted",
                    call.name.0
                ))),
                Some(_) => {}
                None => {
                    sink.tell(Event::Calling { call: call.clone() });
                    running.push(async move { (at, self.run_one(call).await) });
                }
            }
            ended.push(settled.map(|told| Ended {
                result: Err(ToolError::Tell(told.to_owned())),
                started: None,
                elapsed: Duration::ZERO,
            }));
        }
        let mut book = Book {
            calls,
            limit: self.limit,
            outputs: Vec::new(),
            stop: None,
        };
        book.record(&mut ended, journal, sink)?;
        let too_late = async {
            cancel.cancelled().await;
            tokio::time::sleep(GRACE).await;
        };
        tokio::pin!(too_late);
        loop {
            let next = tokio::select! {
                biased;
                next = running.next() => next,
                () = &mut too_late => None,
            };
            let Some((at, one)) = next else { break };
            // A tool that was told to end has not done its work: its call stays open.
            if cancel.is_cancelled() && one.result.is_err() {
                continue;
            }
            ended[at] = Some(one);
            book.record(&mut ended, journal, sink)?;
        }
        book.record_rest(&mut ended, journal, sink)?;
        if cancel.is_cancelled() {
            return Err(RunError::Interrupted);
        }
        match book.stop {
            Some((message, hint)) => Err(RunError::Stopped { message, hint }),
            None => Ok(book.outputs),
        }
    }

    /// Gives what the model is told of a call that is not run.
    fn settled(&self, call: &ToolCall, made_by: MadeBy) -> Option<&'static str> {
        if let Some(told) = unread(&call.arguments) {
            return Some(told);
        }
        let again = match (made_by, self.retry) {
            (MadeBy::ThisRun, _) | (MadeBy::EarlierRun, RetryCalls::All) => true,
            (MadeBy::EarlierRun, RetryCalls::Harmless) => match self.registry.effects(&call.name) {
                Some(Effects::ReadOnly | Effects::Repeatable) => true,
                Some(Effects::Once) | None => false,
            },
        };
        (!again).then_some(INTERRUPTED)
    }

    async fn run_one(&self, call: &ToolCall) -> Ended {
        let started = clock::timestamp();
        let watch = clock::stopwatch();
        let result = self.registry.call(call, &self.context).await;
        Ended {
            result,
            started: Some(started),
            elapsed: watch.elapsed(),
        }
    }

    /// Tells what kind of round these calls make.
    pub(super) fn kind_of_round(&self, calls: &[&ToolCall]) -> RoundOfCalls {
        if calls.iter().any(|call| unread(&call.arguments).is_some()) {
            RoundOfCalls::Cut
        } else if calls
            .iter()
            .all(|call| self.registry.get(&call.name).is_none())
        {
            RoundOfCalls::Unknown
        } else {
            RoundOfCalls::Usual
        }
    }
}

/// Makes the arguments that stand for ones that cannot be read.
pub(super) fn unread_arguments(written: &str) -> Map<String, Value> {
    Map::from_iter([(UNREAD.to_owned(), written.into())])
}

/// Gives what the model is told of a call whose arguments could not be read.
fn unread(arguments: &Map<String, Value>) -> Option<&'static str> {
    (arguments.len() == 1 && arguments.contains_key(UNREAD)).then_some(
        "the call was not run: its arguments were cut by the token limit or are no JSON object; \
         call again with whole arguments, and shorter ones if they were long",
    )
}

/// Records outputs in call order.
struct Book<'a> {
    calls: &'a [ToolCall],
    limit: OutputLimit,
    outputs: Vec<ToolOutput>,
    /// Why the run ends after this round.
    stop: Option<(String, Option<String>)>,
}

impl Book<'_> {
    /// Records what has ended, up to the first call that has not.
    fn record(
        &mut self,
        ended: &mut [Option<Ended>],
        journal: &mut Journal<'_>,
        sink: &mut dyn Sink,
    ) -> Result<(), RunError> {
        while let Some(one) = ended.get_mut(self.outputs.len()).and_then(Option::take) {
            let at = self.outputs.len();
            let output = self.record_one(at, one, journal, sink)?;
            self.outputs.push(output);
        }
        Ok(())
    }

    /// Records all that has ended, also behind calls that have not.
    fn record_rest(
        &mut self,
        ended: &mut [Option<Ended>],
        journal: &mut Journal<'_>,
        sink: &mut dyn Sink,
    ) -> Result<(), RunError> {
        for (at, one) in ended.iter_mut().enumerate() {
            if let Some(one) = one.take() {
                self.record_one(at, one, journal, sink)?;
            }
        }
        Ok(())
    }

    fn record_one(
        &mut self,
        at: usize,
        ended: Ended,
        journal: &mut Journal<'_>,
        sink: &mut dyn Sink,
    ) -> Result<ToolOutput, RunError> {
        let call = &self.calls[at];
        let output = match ended.result {
            Ok(output) => output,
            Err(ToolError::Tell(content)) => failed(content),
            Err(ToolError::Stop { message, hint }) => {
                let output = failed(message.clone());
                self.stop.get_or_insert((message, hint));
                output
            }
        };
        let ran = ended.started.is_some();
        let bytes = output.content.len();
        let error = output.error;
        let (content, kept, lost) = self.bounded(output, journal);
        let recorded = ToolOutput {
            id: call.id.clone(),
            name: Some(call.name.clone()),
            content,
            error,
            media: kept.iter().map(|(name, _)| name.clone()).collect(),
            start_timestamp: ended.started,
            timestamp: Some(clock::timestamp()),
            other: Map::new(),
        };
        let media = kept
            .into_iter()
            .filter_map(|(name, media)| Media::of_bytes(name, media.bytes))
            .collect();
        journal.record(vec![Saying::Output(Box::new(Returned {
            output: recorded.clone(),
            media,
        }))])?;
        if ran {
            sink.tell(Event::Returned {
                call: call.clone(),
                elapsed: ended.elapsed,
                bytes,
                error,
            });
        }
        match lost {
            Some(error) => Err(error.into()),
            None => Ok(recorded),
        }
    }

    /// Puts beside the record what is too much for it. What cannot be kept there ends the run, but
    /// only after the rest of the output is recorded: the tool has done its work.
    fn bounded(
        &self,
        output: Output,
        journal: &mut Journal<'_>,
    ) -> (String, Vec<(String, OutputMedia)>, Option<TranscriptError>) {
        let mut lost = None;
        let mut media = Vec::new();
        for one in output.media {
            let kept = Kept::Media {
                mime: &one.mime,
                bytes: &one.bytes,
            };
            match journal.keep(kept) {
                Ok(name) => media.push((name, one)),
                Err(error) => lost = Some(error),
            }
        }
        let content = match self.limit.cut(&output.content) {
            None => output.content,
            Some(cut) => match journal.keep(Kept::Output(&output.content)) {
                Ok(name) => cut.text(&name),
                Err(error) => {
                    lost = Some(error);
                    format!(
                        "{}\n\n[{} of {} characters are lost here]\n\n{}",
                        cut.head, cut.left_out, cut.total_chars, cut.tail
                    )
                }
            },
        };
        (content, media, lost)
    }
}

fn failed(content: String) -> Output {
    Output {
        content,
        error: true,
        media: Vec::new(),
    }
}
