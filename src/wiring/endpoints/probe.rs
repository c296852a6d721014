//! Local servers that answer.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::description::{self, Description};
use super::providers;
use super::resolve::resolve_described;
use super::source::Source;
use super::{Asked, EndpointError, Target};
use crate::wiring::Settings;
use crate::wiring::trust::Trusting;

/// A port of this machine at which a kind of server usually listens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LocalServer {
    /// The name of its provider in the table.
    pub provider: &'static str,
    pub port: u16,
}

/// The usual ports, the likelier server first.
pub const LOCAL_SERVERS: [LocalServer; 4] = [
    LocalServer {
        provider: "llamacpp",
        port: 8080,
    },
    LocalServer {
        provider: "ollama",
        port: 11434,
    },
    LocalServer {
        provider: "lmstudio",
        port: 1234,
    },
    LocalServer {
        provider: "vllm",
        port: 8000,
    },
];

/// A local server that answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answering {
    pub server: LocalServer,
    /// The first of the models that it has.
    pub model: Option<String>,
}

/// How long a server of this machine may take.
const PATIENCE: Duration = Duration::from_millis(300);

/// No list of models is longer.
const ANSWER_LIMIT: u64 = 1 << 20;

/// Asks all servers at once for their models; gives the first in their order that has a list.
///
/// Many programs listen at these ports, so a connection proves nothing: a prompt must not go to
/// whoever happens to be there.
pub async fn probe(servers: &[LocalServer]) -> Option<Answering> {
    let asking = servers.iter().map(|server| async {
        let listed = tokio::time::timeout(PATIENCE, models_at(server.port)).await;
        let models = listed.ok()??;
        Some(Answering {
            server: *server,
            model: models.into_iter().next(),
        })
    });
    let answers = futures_util::future::join_all(asking).await;
    answers.into_iter().flatten().next()
}

/// Asks for the list of models in the plainest HTTP there is; whatever is no such list is nothing.
async fn models_at(port: u16) -> Option<Vec<String>> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let mut stream = TcpStream::connect(address).await.ok()?;
    let request = format!(
        "GET /v1/models HTTP/1.0\r\nHost: 127.0.0.1:{port}\r\nAccept: application/json\r\n\
         Connection: close\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).await.ok()?;
    let mut answer = Vec::new();
    stream
        .take(ANSWER_LIMIT)
        .read_to_end(&mut answer)
        .await
        .ok()?;
    let answer = String::from_utf8(answer).ok()?;
    let (head, body) = answer.split_once("\r\n\r\n")?;
    let status = head.split_whitespace().nth(1)?;
    // One that wants a key for this does not say what it is.
    if status != "200" {
        return None;
    }
    // A server may answer in chunks although it was asked in HTTP/1.0: the list is one object.
    let start = body.find('{')?;
    let mut values = serde_json::Deserializer::from_str(&body[start..]).into_iter::<Value>();
    let value = values.next()?.ok()?;
    let models = value.get("data")?.as_array()?;
    Some(
        models
            .iter()
            .filter_map(|model| Some(model.get("id")?.as_str()?.to_owned()))
            .collect(),
    )
}

impl Answering {
    /// Makes it the server to ask.
    pub(super) fn target(
        self,
        asked: &Asked,
        settings: &Settings,
        trusting: Trusting,
    ) -> Result<Target, EndpointError> {
        let mut description = Description {
            name: self.server.provider.to_owned(),
            source: Source::BuiltIn,
            ..description::built_in(
                providers::named(self.server.provider).expect("each local server is in the table"),
            )
        };
        description.table.url = Some(format!("http://127.0.0.1:{}/v1", self.server.port));
        description.table.model = self.model;
        resolve_described(&description, asked, settings, trusting)
    }
}
