//! Events as JSON lines, for programs: `ask --json`.

use std::io::Stdout;

use serde_json::{Value, json};

use super::output::Stream;
use crate::backends::{Money, Usage};
use crate::run::{Event, Sink};

/// The sink for programs: one JSON object a line on stdout, each with an `event`.
pub(crate) struct JsonLines {
    out: Stream<Stdout>,
}

impl JsonLines {
    pub(crate) fn new() -> JsonLines {
        JsonLines {
            out: Stream::stdout(),
        }
    }

    /// Writes one line.
    pub(crate) fn write(&mut self, fields: &Value) {
        // JSON escapes control characters itself, so a line stays a line and is harmless anywhere.
        self.out.own(&format!("{fields}\n"));
    }
}

impl Sink for JsonLines {
    fn tell(&mut self, event: Event) {
        self.write(&to_json(event));
    }
}

fn to_json(event: Event) -> Value {
    match event {
        Event::Asking { model, round } => {
            json!({"event": "asking", "model": model, "round": round})
        }
        Event::Text(text) => json!({"event": "text", "text": text}),
        Event::Reasoning(text) => json!({"event": "reasoning", "text": text}),
        Event::Retrying {
            reason,
            wait,
            attempt,
        } => json!({
            "event": "retrying", "reason": reason, "seconds": wait.as_secs_f64(), "attempt": attempt,
        }),
        Event::Calling { call } => json!({
            "event": "calling", "id": call.id.0, "name": call.name.0, "arguments": call.arguments,
        }),
        Event::Returned {
            call,
            elapsed,
            bytes,
            error,
        } => json!({
            "event": "returned", "id": call.id.0, "name": call.name.0,
            "seconds": elapsed.as_secs_f64(), "bytes": bytes, "error": error,
        }),
        Event::Used {
            usage,
            cost,
            elapsed,
        } => {
            let Usage {
                prompt,
                completion,
                total,
                cache_read,
                cache_write,
                reasoning,
                cache_write_1h: _,
                cost: _,
            } = usage;
            let mut told = json!({
                "event": "used", "seconds": elapsed.as_secs_f64(), "pt": prompt, "ct": completion,
                "tt": total, "cct": cache_read, "cwt": cache_write, "rt": reasoning,
                "cost": cost.inference.map(Money::dollars),
                "cost_s": cost.run.whole().map(Money::dollars),
                "cost_c": cost.chat.whole().map(Money::dollars),
            });
            for (key, part) in [
                ("known_cost_s", cost.run.part()),
                ("known_cost_c", cost.chat.part()),
            ] {
                if let Some(part) = part {
                    told[key] = json!(part.dollars());
                }
            }
            told
        }
        Event::Warned(warning) => json!({"event": "warned", "message": warning}),
        Event::Noted(note) => json!({"event": "noted", "message": note}),
        Event::Answered { text } => json!({"event": "answered", "text": text}),
    }
}
