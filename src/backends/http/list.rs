//! The models of a server, as it lists them.

use bytes::Bytes;
use reqwest::header::CONTENT_TYPE;
use reqwest::{Method, Url};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use super::once::{lost, or_cancelled};
use super::{HttpBackend, Request, answer, body, full_url};
use crate::backends::{BackendError, ErrorKind, Failure, ModelList, Question, Route};
use crate::plan::Prompt;

impl HttpBackend {
    /// Asks once for the list of models; its headers are those of a question.
    pub(super) async fn listed(
        &self,
        cancel: &CancellationToken,
    ) -> Result<ModelList, BackendError> {
        let Some(list) = self.wire.list() else {
            return Ok(ModelList::None);
        };
        let (prompt, parameters) = (Prompt::default(), Map::new());
        let question = Question::plain(&prompt, "", &parameters, cancel);
        let mut request = self.request(&question);
        request.method = Method::GET;
        request.url = list_url(&self.base, &self.wire.route(&question), &list);
        request.headers.remove(CONTENT_TYPE);
        request.body = Bytes::new();
        self.read_list(&request, cancel)
            .await
            .map(ModelList::Named)
            .map_err(|failure| self.masked(failure).error)
    }

    async fn read_list(
        &self,
        request: &Request,
        cancel: &CancellationToken,
    ) -> Result<Vec<String>, Failure> {
        let (_, chunks) = self.received(request, cancel).await?;
        let whole = or_cancelled(cancel, body::whole(chunks))
            .await?
            .map_err(|loss| lost(&request.url, &loss))?;
        serde_json::from_slice(body::without_bom(&whole))
            .ok()
            .and_then(|value| names(&value))
            .ok_or_else(|| {
                Failure::new(
                    ErrorKind::Protocol,
                    format!(
                        "`{}` answers with no list of models",
                        answer::shown(&request.url)
                    ),
                )
            })
    }
}

/// Gives where the list is, for bases too that name the place of questions.
fn list_url(base: &Url, asked: &Route, list: &Route) -> Url {
    let mut base = base.clone();
    let path = base.path().trim_end_matches('/').to_owned();
    if let Some(before) = path.strip_suffix(&format!("/{}", asked.segments.join("/"))) {
        base.set_path(before);
    }
    full_url(&base, list)
}

/// Reads the names in the shapes of lists that servers give.
fn names(value: &Value) -> Option<Vec<String>> {
    let models = ["data", "models"]
        .iter()
        .find_map(|key| value.get(key)?.as_array())
        .or_else(|| value.as_array())?;
    Some(models.iter().filter_map(name).collect())
}

fn name(model: &Value) -> Option<String> {
    let name = ["id", "name", "model"]
        .iter()
        .find_map(|key| model.get(key)?.as_str())?;
    // Google lists its models with the collection in which they stand.
    Some(name.strip_prefix("models/").unwrap_or(name).to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Route, list_url, names};

    #[test]
    fn the_list_stands_beside_the_place_of_questions() {
        let urls = [
            "http://h/v1",
            "http://h/v1/",
            "http://h/v1/chat/completions",
        ]
        .map(|base| {
            list_url(
                &base.parse().unwrap(),
                &Route::of(&["chat", "completions"]),
                &Route::of(&["models"]),
            )
            .to_string()
        });
        assert_eq!(urls, ["http://h/v1/models"; 3].map(str::to_owned));
    }

    #[test]
    fn every_shape_of_a_list_is_read_and_nothing_else() {
        let read = [
            json!({"object": "list", "data": [{"id": "a"}, {"id": "b", "name": "B"}]}),
            json!({"models": [{"name": "models/g"}]}),
            json!({"models": [{"name": "o:latest", "model": "o:latest"}]}),
            json!([{"id": "t"}]),
            json!({"data": []}),
            json!({"detail": "not found"}),
        ]
        .map(|list| names(&list).map(|names| names.join(" ")));
        assert_eq!(
            read.each_ref().map(Option::as_deref),
            [
                Some("a b"),
                Some("g"),
                Some("o:latest"),
                Some("t"),
                Some(""),
                None
            ]
        );
    }
}
