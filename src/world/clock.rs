//! The time.

use std::time::{Duration, Instant, SystemTime};

/// Gives the time of day in UTC, RFC 3339 with milliseconds, as records hold it.
pub fn timestamp() -> String {
    format!("{:.3}", jiff::Timestamp::now())
}

/// Gives the nanoseconds since 1970, as files are stamped with them.
pub fn nanoseconds() -> i128 {
    jiff::Timestamp::now().as_nanosecond()
}

/// Gives the time of day for those that want it in the form of the standard library.
pub fn system_time() -> SystemTime {
    jiff::Timestamp::now().into()
}

/// Waits without doing anything, for the moments in which someone else has to finish first.
pub fn pause(time: Duration) {
    std::thread::sleep(time);
}

/// Starts a stopwatch.
pub fn stopwatch() -> Stopwatch {
    Stopwatch(Instant::now())
}

/// Measures how long something takes.
#[derive(Debug, Clone, Copy)]
pub struct Stopwatch(Instant);

impl Stopwatch {
    pub fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}

/// Makes a duration of a number of seconds above 0; a number that is none gives nothing.
pub fn seconds(number: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(number)
        .ok()
        .filter(|duration| !duration.is_zero())
}
