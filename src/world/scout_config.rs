//! Scout's `etc/config`: settings found by key and tokens.

use super::Environment;

/// One line `KEY VALUE TOKEN...`, with where it stands.
#[derive(Clone, PartialEq, Eq)]
pub struct Entry<P> {
    pub key: String,
    pub value: String,
    tokens: Vec<(String, Option<i64>)>,
    /// Where it stands: the caller knows what that means.
    pub place: P,
}

/// Hides the value, which may be a key.
impl<P: std::fmt::Debug> std::fmt::Debug for Entry<P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Entry")
            .field("key", &self.key)
            .field("tokens", &self.tokens)
            .field("place", &self.place)
            .finish_non_exhaustive()
    }
}

impl<P: Clone> Entry<P> {
    /// Reads one line; one without a value is nothing.
    pub fn read(line: &str, place: P) -> Option<Entry<P>> {
        let mut words = line.split_whitespace();
        let (key, value) = (words.next()?, words.next()?);
        Some(Entry::new(key, value, words, place))
    }

    /// Makes an entry of its words; a token may end in its priority: `TOKEN::N`.
    pub fn new<'a>(
        key: &str,
        value: &str,
        tokens: impl IntoIterator<Item = &'a str>,
        place: P,
    ) -> Entry<P> {
        let tokens = tokens.into_iter().map(|word| match word.rsplit_once("::") {
            Some((token, priority)) if priority.parse::<i64>().is_ok() => {
                (token.to_owned(), priority.parse().ok())
            }
            Some(_) | None => (word.to_owned(), None),
        });
        Entry {
            key: key.to_owned(),
            value: value.to_owned(),
            tokens: tokens.collect(),
            place,
        }
    }

    /// Reads a file: one entry on each line, `#` at its start makes a line a comment.
    pub fn read_all(text: &str, place: &P) -> Vec<Entry<P>> {
        text.lines()
            .filter(|line| !line.starts_with('#'))
            .filter_map(|line| Entry::read(line, place.clone()))
            .collect()
    }

    /// Gives the priority with which a token of a request fits; the lowest wins.
    fn priority(&self, token: &str) -> Option<i64> {
        let implied = token.strip_prefix("key:") == Some(self.key.as_str());
        let given = self.tokens.iter().filter(|(own, _)| own == token);
        given
            .map(|(own, priority)| priority.unwrap_or_else(|| usual_priority(own)))
            .chain(implied.then(|| usual_priority(token)))
            .min()
    }
}

fn usual_priority(token: &str) -> i64 {
    let prefix = token.split_once(':').map_or("", |(prefix, _)| prefix);
    match prefix {
        "line" => 1,
        "file" => 2,
        "task" => 3,
        "workflow" => 4,
        "key" => 20,
        _ => 10,
    }
}

/// What a lookup found.
#[derive(Clone, PartialEq, Eq)]
pub struct Lookup<'a, P> {
    pub value: String,
    /// The variable of the environment that holds the value, when the entry names one.
    pub variable: Option<String>,
    pub place: &'a P,
}

/// Looks a key up by tokens, the entry that was defined last winning among equals; without tokens,
/// by its name alone. An entry of `nil`, or whose variables are not set, gives nothing.
pub fn get<'a, P>(
    entries: &'a [Entry<P>],
    key: &str,
    tokens: &[String],
    environment: &Environment,
) -> Option<Lookup<'a, P>>
where
    P: Clone,
{
    let own = [format!("key:{key}")];
    let tokens = if tokens.is_empty() { &own[..] } else { tokens };
    let fits = |(at, entry): (usize, &'a Entry<P>)| {
        tokens
            .iter()
            .enumerate()
            .filter_map(|(order, token)| Some((entry.priority(token)?, order)))
            .min()
            .map(|(priority, order)| (priority, order, std::cmp::Reverse(at), entry))
    };
    let (.., entry) = entries
        .iter()
        .enumerate()
        .filter(|(_, entry)| entry.key == key)
        .filter_map(fits)
        .min_by_key(|(priority, order, at, _)| (*priority, *order, *at))?;
    if entry.value == "nil" {
        return None;
    }
    let (value, variable) = match entry.value.strip_prefix("env:") {
        Some(names) => {
            let set = |name: &str| Some((environment.get(name)?.to_owned(), Some(name.to_owned())));
            names.split(',').find_map(set)?
        }
        None => (entry.value.clone(), None),
    };
    Some(Lookup {
        value,
        variable,
        place: &entry.place,
    })
}

/// Gives the tokens by which settings of a server at `url` are found, for prefixes in order: for
/// each, the parts of the host and all runs of them; then the prefixes alone. The prefix `""`
/// gives tokens without one.
pub fn url_tokens(url: &str, prefixes: &[&str]) -> Vec<String> {
    let host = url
        .split_once("//")
        .map_or("", |(_, rest)| rest)
        .split(['/', ':'])
        .next()
        .unwrap_or("");
    let mut parts: Vec<&str> = host.split('.').filter(|part| !part.is_empty()).collect();
    if parts.last().is_some_and(|last| last.chars().count() <= 3) {
        parts.pop();
    }
    let mut hosts: Vec<String> = Vec::new();
    for length in 1..=parts.len() {
        hosts.extend(parts.windows(length).map(|run| run.join(".")));
    }
    if !host.is_empty() {
        hosts.push(host.to_owned());
    }
    let mut tokens: Vec<String> = Vec::new();
    for prefix in prefixes {
        for host in &hosts {
            let token = if prefix.is_empty() {
                host.clone()
            } else {
                format!("{prefix}.{host}")
            };
            if !tokens.contains(&token) {
                tokens.push(token);
            }
        }
    }
    tokens.extend(
        prefixes
            .iter()
            .filter(|prefix| !prefix.is_empty())
            .map(|prefix| (*prefix).to_owned()),
    );
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(text: &str) -> Vec<Entry<()>> {
        Entry::read_all(text, &())
    }

    fn got(text: &str, key: &str, tokens: &[&str], environment: &[(&str, &str)]) -> Option<String> {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let environment = environment.iter().map(owned).collect();
        let tokens: Vec<String> = tokens.iter().map(|token| (*token).to_owned()).collect();
        get(&entries(text), key, &tokens, &environment).map(|found| found.value)
    }

    #[test]
    fn the_lowest_priority_wins_then_the_first_token_then_the_last_entry() {
        let urls = "# comment\nurl u1 ask openai_ask::5\nurl u2 ask::3\n";
        let url = |tokens: &[&str]| got(urls, "url", tokens, &[]);
        assert_eq!(url(&["openai_ask"]).as_deref(), Some("u1"));
        assert_eq!(url(&["ask"]).as_deref(), Some("u2"));
        assert_eq!(url(&["openai_ask", "ask"]).as_deref(), Some("u2"));
        assert_eq!(url(&["other"]), None);
        // No token asked for: by the key alone, the last one.
        assert_eq!(url(&[]).as_deref(), Some("u2"));
        assert_eq!(
            got("k a x\nk b y\n", "k", &["y", "x"], &[]).as_deref(),
            Some("b")
        );
        assert_eq!(
            got("k a y\nk b x\n", "k", &["y", "x"], &[]).as_deref(),
            Some("a")
        );
        assert_eq!(
            got("k a t\nk b task:z\n", "k", &["t", "task:z"], &[]).as_deref(),
            Some("b")
        );
    }

    #[test]
    fn values_may_stand_in_the_environment() {
        let bar = [("BAR", "b")];
        assert_eq!(
            got("z env:FOO,BAR ask", "z", &["ask"], &bar).as_deref(),
            Some("b")
        );
        assert_eq!(got("z env:FOO,BAR ask", "z", &["ask"], &[]), None);
        assert_eq!(got("z nil ask", "z", &["ask"], &[]), None);
        assert_eq!(got("z", "z", &[], &[]), None);
    }

    #[test]
    fn a_host_gives_its_parts_and_runs() {
        let tokens = url_tokens("http://some.random.server.com/api", &[""]);
        let expected = "some random server some.random random.server some.random.server \
                        some.random.server.com";
        assert_eq!(tokens.join(" "), expected);
        assert_eq!(
            url_tokens("http://127.0.0.1:11434", &["ask"]).join(" "),
            "ask.127 ask.0 ask.127.0 ask.0.0 ask.127.0.0 ask.127.0.0.1 ask"
        );
        assert_eq!(
            url_tokens("https://api.acme.com/v1", &["ask"]).join(" "),
            "ask.api ask.acme ask.api.acme ask.api.acme.com ask"
        );
        assert_eq!(url_tokens("", &["ask"]), ["ask"]);
    }

    #[test]
    fn the_key_of_a_server_is_found_by_its_host() {
        let keys = entries("key K1 ask\nkey K2 openai.server\n");
        let tokens = url_tokens("https://some.server.com", &["openai_ask", "ask", "openai"]);
        let found = get(&keys, "key", &tokens, &Environment::default());
        assert_eq!(found.map(|found| found.value).as_deref(), Some("K2"));
    }
}
