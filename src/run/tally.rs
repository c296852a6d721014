//! Tokens, counted for an inference, a session and a chat, and the mark that holds them.

use crate::backends::Usage;
use crate::chat::{Meta, MetaValue};
use crate::plan::{Said, Saying};

/// The keys of token counts in a meta line, in their order there.
const KEYS: [&str; 6] = ["pt", "ct", "tt", "cct", "cwt", "rt"];

/// The running sums.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Tally {
    /// What this run took; what no provider told stays `None`.
    session: [Option<u64>; 6],
    /// What the chat took, this run included.
    chat: [u64; 6],
}

impl Tally {
    /// Starts with the sums that the chat has so far: those of its newest meta that holds any.
    pub(super) fn of(said: &[Said]) -> Tally {
        let newest = said.iter().rev().find_map(|one| match &one.what {
            Saying::Meta(meta) if meta.entries.iter().any(|(key, _)| is_chat_sum(key)) => {
                Some(meta)
            }
            Saying::Meta(_)
            | Saying::Text { .. }
            | Saying::Media(_)
            | Saying::Call(_)
            | Saying::Output(_)
            | Saying::Reasoning(_) => None,
        });
        let chat = KEYS.map(|key| {
            newest
                .and_then(|meta| meta.count(&format!("{key}_c")))
                .unwrap_or(0)
        });
        Tally {
            session: [None; 6],
            chat,
        }
    }

    /// Adds what an inference took, and writes it and the new sums into its mark.
    ///
    /// An inference whose provider told no counts leaves none: the older sums stay the newest.
    pub(super) fn add(&mut self, usage: &Usage, mark: &mut Meta) {
        let counts = counts(usage);
        if counts.iter().all(Option::is_none) {
            return;
        }
        for (at, count) in counts.iter().enumerate() {
            let Some(count) = *count else { continue };
            self.session[at] = Some(self.session[at].unwrap_or(0).saturating_add(count));
            self.chat[at] = self.chat[at].saturating_add(count);
        }
        for (key, count) in KEYS.iter().zip(counts) {
            push(mark, key, count);
        }
        for (key, count) in KEYS.iter().zip(self.session) {
            push(mark, &format!("{key}_s"), count);
        }
        for (key, count) in KEYS.iter().zip(self.chat) {
            push(
                mark,
                &format!("{key}_c"),
                Some(count).filter(|count| *count > 0),
            );
        }
    }

    /// Gives what this run took.
    pub(super) fn session(&self) -> Usage {
        let [
            prompt,
            completion,
            total,
            cache_read,
            cache_write,
            reasoning,
        ] = self.session;
        Usage {
            prompt,
            completion,
            total,
            cache_read,
            cache_write,
            reasoning,
            ..Usage::default()
        }
    }
}

/// Gives the counts in the order of the keys; a total that is not told is worked out.
fn counts(usage: &Usage) -> [Option<u64>; 6] {
    [
        usage.prompt,
        usage.completion,
        total(usage),
        usage.cache_read,
        usage.cache_write,
        usage.reasoning,
    ]
}

/// Gives the tokens of an inference in all.
pub(super) fn total(usage: &Usage) -> Option<u64> {
    usage
        .total
        .or_else(|| match (usage.prompt, usage.completion) {
            (None, None) => None,
            (prompt, completion) => {
                Some(prompt.unwrap_or(0).saturating_add(completion.unwrap_or(0)))
            }
        })
}

fn is_chat_sum(key: &str) -> bool {
    key.strip_suffix("_c")
        .is_some_and(|key| KEYS.contains(&key))
}

fn push(mark: &mut Meta, key: &str, count: Option<u64>) {
    if let Some(count) = count {
        // A server may claim any number; the format has no larger one than this.
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        mark.push(key, MetaValue::Integer(count));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chat::Origin;

    fn written(meta: &Meta) -> Vec<(String, i64)> {
        meta.entries
            .iter()
            .map(|(key, value)| match value {
                MetaValue::Integer(count) => (key.clone(), *count),
                MetaValue::Number(_) | MetaValue::Text(_) => panic!("{key} is no count"),
            })
            .collect()
    }

    fn pairs(pairs: &[(&str, i64)]) -> Vec<(String, i64)> {
        pairs
            .iter()
            .map(|(key, count)| ((*key).to_owned(), *count))
            .collect()
    }

    #[test]
    fn sums_go_on_from_the_newest_meta_that_holds_any() {
        let mut old = Meta::default();
        push(&mut old, "pt_c", Some(5));
        push(&mut old, "ct_c", Some(1));
        let said = [old, Meta::default()].map(|meta| Said {
            what: Saying::Meta(meta),
            origin: Origin::Run,
        });
        let mut tally = Tally::of(&said);
        let usage = Usage {
            prompt: Some(10),
            completion: Some(2),
            ..Usage::default()
        };
        let mut mark = Meta::default();
        tally.add(&usage, &mut mark);
        assert_eq!(
            written(&mark),
            pairs(&[
                ("pt", 10),
                ("ct", 2),
                ("tt", 12),
                ("pt_s", 10),
                ("ct_s", 2),
                ("tt_s", 12),
                ("pt_c", 15),
                ("ct_c", 3),
                ("tt_c", 12),
            ])
        );
    }

    #[test]
    fn no_counts_leave_no_keys_and_no_count_is_too_large() {
        let mut tally = Tally::default();
        let mut mark = Meta::default();
        tally.add(&Usage::default(), &mut mark);
        assert_eq!(mark, Meta::default());
        let most = Usage {
            reasoning: Some(u64::MAX),
            ..Usage::default()
        };
        tally.add(&most, &mut mark);
        tally.add(&most, &mut Meta::default());
        assert_eq!(tally.session(), most);
        assert_eq!(mark.count("rt"), Some(i64::MAX.cast_unsigned()));
    }
}
