//! A server of Chat Completions on loopback that plays scripted answers byte by byte, and keeps
//! what it was asked.
//!
//! ```text
//! let server = FakeLlm::start(vec![Play::text("hello")]);
//! // ask `server.url`
//! assert_eq!(server.requests().len(), 1);
//! ```
//!
//! It runs on a thread of its own, so tests need no runtime. Each connection carries one request;
//! each request takes the next play; one too many gets a 400 that says so.

mod play;
mod serve;

use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Instant;

use serde_json::Value;
use tokio_util::sync::CancellationToken;

pub(crate) use crate::strict::chat::Rules;
pub(crate) use play::{Gate, Play, chunk};

use crate::strict::Api;

/// The server; dropping it ends it.
pub(crate) struct FakeLlm {
    /// The base URL, `http://127.0.0.1:PORT/v1`.
    pub(crate) url: String,
    stage: Arc<Stage>,
    end: CancellationToken,
    thread: Option<JoinHandle<()>>,
}

/// A request as it came.
#[derive(Debug, Clone)]
pub(crate) struct Seen {
    pub(crate) at: Instant,
    /// Method, target and version.
    pub(crate) line: String,
    /// Names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

/// What the connections share.
struct Stage {
    plays: Mutex<std::vec::IntoIter<Play>>,
    seen: Mutex<Vec<Seen>>,
    api: Option<Api>,
}

impl FakeLlm {
    /// Starts a server that takes every request.
    pub(crate) fn start(plays: Vec<Play>) -> FakeLlm {
        FakeLlm::begin(plays, None)
    }

    /// Starts a server that holds requests to rules of Chat Completions.
    pub(crate) fn strict(plays: Vec<Play>, rules: Rules) -> FakeLlm {
        FakeLlm::strict_as(plays, Api::Chat(rules))
    }

    /// Starts a server that answers 400 to requests that break the rules of an API, in its own
    /// words and without using a play up.
    pub(crate) fn strict_as(plays: Vec<Play>, api: Api) -> FakeLlm {
        FakeLlm::begin(plays, Some(api))
    }

    fn begin(plays: Vec<Play>, api: Option<Api>) -> FakeLlm {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let stage = Arc::new(Stage {
            plays: Mutex::new(plays.into_iter()),
            seen: Mutex::new(Vec::new()),
            api,
        });
        let end = CancellationToken::new();
        let thread = std::thread::spawn({
            let (stage, end) = (Arc::clone(&stage), end.clone());
            move || {
                tokio::runtime::Builder::new_current_thread()
                    .enable_all()
                    .build()
                    .unwrap()
                    .block_on(end.run_until_cancelled(serve::listen(listener, stage)));
            }
        });
        FakeLlm {
            url,
            stage,
            end,
            thread: Some(thread),
        }
    }

    /// Gives the requests that came so far, refused ones too.
    pub(crate) fn requests(&self) -> Vec<Seen> {
        self.stage.seen.lock().unwrap().clone()
    }

    /// Gives the only request that came.
    pub(crate) fn only_request(&self) -> Seen {
        let mut requests = self.requests();
        assert_eq!(requests.len(), 1, "{requests:?}");
        requests.remove(0)
    }
}

impl Drop for FakeLlm {
    fn drop(&mut self) {
        self.end.cancel();
        if let Some(thread) = self.thread.take() {
            thread.join().expect("the server ends when it is told to");
        }
    }
}

impl Seen {
    /// Gives the body, which has to be JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
    }
}
