//! What stands for event streams in a build without the feature `bedrock`.

use bytes::Bytes;
use futures_util::stream::{self, Stream};

use super::super::{FrameError, OwnedFrame};

/// Gives no event, and says why.
pub(in crate::backends::frames) fn events<S, E>(
    _bytes: S,
) -> impl Stream<Item = Result<OwnedFrame, FrameError<E>>> + Send
where
    S: Stream<Item = Result<Bytes, E>> + Send + 'static,
    E: std::error::Error + Send + Sync + 'static,
{
    let why = "this build lacks the feature `bedrock`".to_owned();
    stream::iter([Err(FrameError::Unreadable(why))])
}
