//! Reading takes linear time and little memory, for hostile files too.
//!
//! Reads each kind of chat at 5 and at 10 MB. Fails when twice the size takes more than 2.4 times
//! as long, or when reading takes more than six times the size of the file in memory.

#![expect(
    clippy::disallowed_methods,
    reason = "a benchmark reads files and starts itself again, outside of the program"
)]
#![expect(clippy::print_stdout, reason = "a benchmark prints what it measured")]

mod chats;

use std::cell::Cell;
use std::hint::black_box;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::time::Duration;

use chats::Mode;
use criterion::Criterion;
use rustix::time::{ClockId, clock_gettime};
use scoutai::chat::{decode, parse};

const SMALL: usize = 5_000_000;
const LARGE: usize = 10_000_000;
const MOST_TIME: f64 = 2.4;
const MOST_MEMORY: f64 = 6.0;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [word, path] = arguments.as_slice()
        && word == "--peak"
    {
        read_file(Path::new(path));
        println!("{}", peak_of_this_process());
        return ExitCode::SUCCESS;
    }
    let mut criterion = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(800))
        .without_plots()
        .configure_from_args();
    let mut faults = Vec::new();
    for mode in Mode::ALL {
        let mut small = best_time(&mut criterion, mode, SMALL);
        let mut large = best_time(&mut criterion, mode, LARGE);
        if small == Duration::MAX || large == Duration::MAX {
            // The command line chose other modes.
            continue;
        }
        // A machine that does other work meanwhile is given two more chances.
        for _ in 0..2 {
            if large.as_secs_f64() / small.as_secs_f64() > MOST_TIME {
                small = small.min(best_time(&mut criterion, mode, SMALL));
                large = large.min(best_time(&mut criterion, mode, LARGE));
            }
        }
        let ratio = large.as_secs_f64() / small.as_secs_f64();
        let memory = peak_of_a_reader(mode);
        #[expect(clippy::cast_precision_loss, reason = "ten million is exact")]
        let speed = LARGE as f64 / large.as_secs_f64() / 1e6;
        println!("{mode:?}: ratio {ratio:.2}, {speed:.0} MB/s, memory {memory:.1} x file\n");
        if ratio > MOST_TIME {
            faults.push(format!(
                "{mode:?}: twice the size takes {ratio:.2} times as long"
            ));
        }
        if memory > MOST_MEMORY {
            faults.push(format!(
                "{mode:?}: takes {memory:.1} times the size of the file in memory"
            ));
        }
    }
    for fault in &faults {
        println!("{fault}");
    }
    if faults.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Gives the shortest time of all runs: what else the machine does makes a run longer, never
/// shorter.
fn best_time(criterion: &mut Criterion, mode: Mode, size: usize) -> Duration {
    let text = mode.chat(size);
    let path: Arc<Path> = Arc::from(Path::new("chat.md"));
    let best = Cell::new(Duration::MAX);
    criterion.bench_function(&format!("{mode:?} {} MB", size / 1_000_000), |bencher| {
        bencher.iter_custom(|times| {
            let mut all = Duration::ZERO;
            for _ in 0..times {
                let start = time_of_this_thread();
                black_box(parse(black_box(&text), &path));
                let time = time_of_this_thread().saturating_sub(start);
                best.set(best.get().min(time));
                all += time;
            }
            all
        });
    });
    best.get()
}

/// Gives how long this thread has run so far. Time in which others run does not count: it would
/// be counted to long runs more than to short ones.
fn time_of_this_thread() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap_or_default()
}

/// Gives the greatest memory of a process that reads a large file, as a multiple of its size.
fn peak_of_a_reader(mode: Mode) -> f64 {
    let text = mode.chat(LARGE);
    let folder = tempfile::tempdir().expect("there is room for a file");
    let path = folder.path().join("chat.md");
    std::fs::write(&path, &text).expect("there is room for a file");
    let own = std::env::current_exe().expect("the benchmark is a file");
    let output = Command::new(own)
        .arg("--peak")
        .arg(&path)
        .output()
        .expect("the benchmark can be started again");
    let peak: f64 = String::from_utf8_lossy(&output.stdout)
        .trim()
        .parse()
        .expect("it prints a number");
    #[expect(clippy::cast_precision_loss, reason = "ten million is exact")]
    let size = text.len() as f64;
    peak / size
}

fn read_file(path: &Path) {
    let bytes = std::fs::read(path).expect("the file was just written");
    let path: Arc<Path> = Arc::from(path);
    let text = decode(bytes, &path).expect("it is UTF-8");
    black_box(parse(&text, &path));
}

/// Gives the greatest resident memory of this process so far, in bytes.
fn peak_of_this_process() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let kilobytes = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .and_then(|rest| rest.split_whitespace().next())
        .and_then(|number| number.parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1024
}
