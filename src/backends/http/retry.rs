//! How long to wait before a request is sent again.

use std::time::Duration;

use backon::{BackoffBuilder, ExponentialBuilder};
use jiff::Timestamp;
use jiff::fmt::rfc2822;
use reqwest::header::HeaderMap;

use super::HttpLimits;

/// What a server says about trying again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Advice {
    None,
    Never,
    After(Duration),
}

/// Gives the waits between tries: growing, with jitter, one fewer than the tries.
pub(super) fn waits(limits: &HttpLimits) -> impl Iterator<Item = Duration> + use<> {
    ExponentialBuilder::new()
        .with_min_delay(limits.first_wait)
        .with_max_delay(limits.first_wait * 16)
        .with_max_times(limits.tries.saturating_sub(1) as usize)
        .with_jitter()
        .build()
}

/// Reads the headers that say whether and when to try again.
pub(super) fn advice(headers: &HeaderMap, now: Timestamp) -> Advice {
    let text = |name| headers.get(name)?.to_str().ok().map(str::trim);
    if text("x-should-retry").is_some_and(|word| word.eq_ignore_ascii_case("false")) {
        return Advice::Never;
    }
    let milliseconds = text("retry-after-ms").and_then(|text| seconds(text, 1000.0));
    milliseconds
        .or_else(|| {
            let text = text("retry-after")?;
            seconds(text, 1.0).or_else(|| until(text, now))
        })
        .map_or(Advice::None, Advice::After)
}

fn seconds(text: &str, per_second: f64) -> Option<Duration> {
    let count: f64 = text.parse().ok()?;
    Duration::try_from_secs_f64(count / per_second).ok()
}

/// Gives the time until an HTTP date; one in the past means now.
fn until(text: &str, now: Timestamp) -> Option<Duration> {
    let date = rfc2822::DateTimeParser::new().parse_timestamp(text).ok()?;
    Some(Duration::try_from(date.duration_since(now)).unwrap_or(Duration::ZERO))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use jiff::Timestamp;
    use reqwest::header::HeaderMap;

    use super::super::HttpLimits;
    use super::{Advice, advice, waits};

    fn advised(headers: &[(&'static str, &str)]) -> Advice {
        let headers: HeaderMap = headers
            .iter()
            .map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()))
            .collect();
        let now: Timestamp = "2026-11-30T12:00:00Z".parse().unwrap();
        advice(&headers, now)
    }

    #[test]
    fn headers_say_when_to_try_again() {
        let after = |millis| Advice::After(Duration::from_millis(millis));
        assert_eq!(
            [
                advised(&[]),
                advised(&[("retry-after", "2")]),
                advised(&[("retry-after", "0.25")]),
                advised(&[("retry-after", "9"), ("retry-after-ms", "1500")]),
                advised(&[("retry-after", "Mon, 30 Nov 2026 12:00:07 GMT")]),
                advised(&[("retry-after", "Mon, 30 Nov 2026 11:00:00 GMT")]),
                advised(&[("retry-after", "soon")]),
                advised(&[("retry-after", "-3")]),
                advised(&[("retry-after", "NaN")]),
                advised(&[("x-should-retry", "false"), ("retry-after", "1")]),
            ],
            [
                Advice::None,
                after(2000),
                after(250),
                after(1500),
                after(7000),
                after(0),
                Advice::None,
                Advice::None,
                Advice::None,
                Advice::Never,
            ]
        );
    }

    #[test]
    fn waits_grow_and_end() {
        let limits = HttpLimits {
            first_wait: Duration::from_millis(100),
            ..HttpLimits::default()
        };
        let waits: Vec<u128> = waits(&limits).map(|wait| wait.as_millis()).collect();
        assert_eq!(waits.len(), 3);
        for (wait, least) in waits.iter().zip([100, 200, 400]) {
            assert!((least..=2 * least).contains(wait), "{waits:?}");
        }
    }
}
