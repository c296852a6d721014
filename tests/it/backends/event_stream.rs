//! Frames of AWS event streams, written and read by hand, so that the program's own reading is
//! checked by something else.

/// One frame: its headers, all of them texts, and its payload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct EventFrame {
    pub(super) headers: Vec<(String, String)>,
    pub(super) payload: Vec<u8>,
}

/// Writes events that stand on a line each: a name and JSON. A name that ends in `Exception` is
/// that of an error, and one that begins with `error ` is an error without a payload:
/// `error CODE words`.
pub(crate) fn frames_of(text: &str) -> Vec<u8> {
    let header = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let frames = text.lines().filter(|line| !line.trim().is_empty());
    frames
        .map(|line| {
            let (name, rest) = line.split_once(' ').expect("a name and JSON");
            match name {
                "error" => {
                    let (code, words) = rest.split_once(' ').expect("a code and words");
                    EventFrame {
                        headers: vec![
                            header(":message-type", "error"),
                            header(":error-code", code),
                            header(":error-message", words),
                        ],
                        payload: Vec::new(),
                    }
                }
                name => {
                    let kind = if name.ends_with("Exception") {
                        "exception"
                    } else {
                        "event"
                    };
                    EventFrame {
                        headers: vec![
                            header(&format!(":{kind}-type"), name),
                            header(":content-type", "application/json"),
                            header(":message-type", kind),
                        ],
                        payload: rest.as_bytes().to_vec(),
                    }
                }
            }
        })
        .flat_map(|frame| frame.bytes())
        .collect()
}

/// Reads the frames of a body that begins as one; an end that is cut is left out.
pub(super) fn read_frames(mut body: &[u8]) -> Option<Vec<EventFrame>> {
    if body.first() != Some(&0) {
        return None;
    }
    let mut frames = Vec::new();
    while let Some((length, head)) = lengths(body)
        && body.len() >= length
    {
        let (frame, rest) = body.split_at(length);
        let mut headers = Vec::new();
        let mut bytes = &frame[12..12 + head];
        while let [length, more @ ..] = bytes {
            let (name, more) = more.split_at(usize::from(*length));
            let [7, high, low, more @ ..] = more else {
                panic!("a header that is no text");
            };
            let (value, more) = more.split_at(usize::from(u16::from_be_bytes([*high, *low])));
            let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
            headers.push((text(name), text(value)));
            bytes = more;
        }
        frames.push(EventFrame {
            headers,
            payload: frame[12 + head..length - 4].to_vec(),
        });
        body = rest;
    }
    Some(frames)
}

fn lengths(body: &[u8]) -> Option<(usize, usize)> {
    let number = |at: usize| {
        let bytes = body.get(at..at + 4)?.try_into().unwrap();
        usize::try_from(u32::from_be_bytes(bytes)).ok()
    };
    Some((number(0)?, number(4)?))
}

impl EventFrame {
    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut headers = Vec::new();
        for (name, value) in &self.headers {
            headers.push(u8::try_from(name.len()).unwrap());
            headers.extend(name.as_bytes());
            headers.push(7);
            headers.extend(u16::try_from(value.len()).unwrap().to_be_bytes());
            headers.extend(value.as_bytes());
        }
        let length = 16 + headers.len() + self.payload.len();
        let mut frame = Vec::new();
        for length in [length, headers.len()] {
            frame.extend(u32::try_from(length).unwrap().to_be_bytes());
        }
        frame.extend(checksum(&frame).to_be_bytes());
        frame.extend(headers);
        frame.extend(&self.payload);
        frame.extend(checksum(&frame).to_be_bytes());
        frame
    }
}

/// CRC-32 as zip files and Ethernet have it.
fn checksum(bytes: &[u8]) -> u32 {
    let crc = bytes.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
            (crc >> 1) ^ (0xEDB8_8320 & (crc & 1).wrapping_neg())
        })
    });
    !crc
}

#[test]
fn frames_are_written_as_servers_write_them() {
    let top = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/wire/bedrock");
    let mut count = 0;
    for path in ["aimock/par_s.body", "ministack/tool_any_s.body"] {
        let body = std::fs::read(top.join(path)).unwrap();
        let frames = read_frames(&body).unwrap();
        let again: Vec<u8> = frames.iter().flat_map(EventFrame::bytes).collect();
        assert!(again == body, "{path}");
        count += frames.len();
    }
    assert!(count > 10, "only {count} frames");
}
