//! Gemini's `generateContent`.

mod fields;

use serde_json::Value;

use super::shape::{At, Faults, list, text};

/// What a model wants of the signatures of its thoughts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Signatures {
    /// They may be left out.
    Free,
    /// The first call of each step of the turn that goes on must bear one, as since Gemini 3.
    Wanted,
}

/// Gives what is wrong with a request.
pub(crate) fn faults(body: &Value, signatures: Signatures) -> Vec<String> {
    let mut faults = Faults::default();
    fields::REQUEST.check(&mut faults, At::Top, body);
    let contents = list(&body["contents"]);
    order(&mut faults, contents);
    match signatures {
        Signatures::Free => {}
        Signatures::Wanted => signed(&mut faults, contents),
    }
    functions(&mut faults, body);
    format(&mut faults, body);
    faults.0
}

/// Gives what the parts of a content hold in this field.
fn held<'a>(content: &'a Value, field: &'a str) -> Vec<&'a Value> {
    let parts = list(&content["parts"]).iter();
    parts.filter_map(|part| part.get(field)).collect()
}

/// The user begins and ends; calls come after the user or after results, and their results right
/// after them.
fn order(faults: &mut Faults, contents: &[Value]) {
    let top = At::Top.key("contents");
    for (place, content) in contents.iter().enumerate() {
        let at = top.place(place);
        let before = place.checked_sub(1).and_then(|before| contents.get(before));
        let calls = held(content, "functionCall");
        let results = held(content, "functionResponse");
        let user = content["role"] == "user";
        faults.unless(
            !user || calls.is_empty(),
            at,
            "a function call may only be the model's",
        );
        faults.unless(
            user || results.is_empty(),
            at,
            "a function response may only be the user's",
        );
        if place == 0 {
            faults.unless(user, at, "the first content must be the user's");
        }
        if place + 1 == contents.len() {
            faults.unless(user, at, "the last content must be the user's");
        }
        if !calls.is_empty() && place > 0 {
            faults.unless(
                before.is_some_and(|before| before["role"] == "user"),
                at,
                "a function call turn must come right after a user turn or a function response turn",
            );
        }
        let asked = before.map_or(Vec::new(), |before| held(before, "functionCall"));
        answered(faults, at, &asked, &results);
    }
}

fn answered(faults: &mut Faults, at: At<'_>, asked: &[&Value], results: &[&Value]) {
    if asked.is_empty() {
        return faults.unless(
            results.is_empty(),
            at,
            "a function response turn must come right after a function call turn",
        );
    }
    if asked.len() != results.len() {
        return faults.add(
            at,
            format_args!(
                "{} function responses for {} function calls",
                results.len(),
                asked.len()
            ),
        );
    }
    let by_id = asked.iter().all(|call| call["id"].is_string());
    for (call, result) in asked.iter().zip(results) {
        let call = if by_id {
            asked.iter().find(|call| call["id"] == result["id"])
        } else {
            Some(call)
        };
        let fits = call.is_some_and(|call| call["name"] == result["name"]);
        faults.unless(
            fits,
            at,
            format_args!("the response of {} answers no call", result["name"]),
        );
    }
}

/// Each step of the turn that goes on begins with a call that bears its signature.
fn signed(faults: &mut Faults, contents: &[Value]) {
    let is_asked =
        |content: &Value| content["role"] == "user" && held(content, "functionResponse").is_empty();
    let turn = contents.iter().rposition(is_asked).unwrap_or(0);
    let top = At::Top.key("contents");
    for (place, content) in contents.iter().enumerate().skip(turn) {
        let mut parts = list(&content["parts"]).iter();
        let first = parts.find(|part| part.get("functionCall").is_some());
        if let Some(first) = first {
            faults.unless(
                first["thoughtSignature"].is_string(),
                top.place(place),
                format_args!(
                    "the function call {} misses a `thoughtSignature`",
                    first["functionCall"]["name"]
                ),
            );
        }
    }
}

fn functions(faults: &mut Faults, body: &Value) {
    let mut names: Vec<&str> = Vec::new();
    let at = At::Top.key("tools");
    for (place, tool) in list(&body["tools"]).iter().enumerate() {
        for function in list(&tool["functionDeclarations"]) {
            let name = text(&function["name"]);
            faults.unless(
                !names.contains(&name),
                at.place(place),
                format_args!("duplicate function declaration `{name}`"),
            );
            names.push(name);
        }
    }
    let config = &body["toolConfig"]["functionCallingConfig"];
    let at = At::Top.key("toolConfig");
    let allowed = list(&config["allowedFunctionNames"]);
    let forced = config["mode"] == "ANY" || config["mode"] == "VALIDATED";
    faults.unless(
        allowed.is_empty() || forced,
        at,
        "`allowedFunctionNames` may only be set with the mode ANY or VALIDATED",
    );
    for name in allowed {
        faults.unless(
            names.contains(&text(name)),
            at,
            format_args!("the function {name} is not declared"),
        );
    }
    faults.unless(
        config["mode"] != "ANY" || !names.is_empty(),
        at,
        "the mode ANY needs function declarations",
    );
}

fn format(faults: &mut Faults, body: &Value) {
    let config = &body["generationConfig"];
    let at = At::Top.key("generationConfig");
    let (schema, json) = (&config["responseSchema"], &config["responseJsonSchema"]);
    faults.unless(
        schema.is_null() || json.is_null(),
        at,
        "`responseSchema` and `responseJsonSchema` may not both be set",
    );
    let bound = !schema.is_null() || !json.is_null();
    let kind = text(&config["responseMimeType"]);
    faults.unless(
        !bound || ["application/json", "text/x.enum"].contains(&kind),
        at,
        "a schema needs the `responseMimeType` application/json",
    );
}
