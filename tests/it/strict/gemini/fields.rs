//! The fields of `generateContent`.

use serde_json::Value;

use crate::strict::schema;
use crate::strict::shape::Shape::{
    Any, Base64, Bool, By, Filled, Int, List, Map, Number, Object, OneOf, Short, Some as Filling,
    Text, Union,
};
use crate::strict::shape::{At, Faults, Field, Shape, may, must, text};

pub(super) const REQUEST: Shape = Object(&[
    may("model", Filled),
    must("contents", Filling(&CONTENT)),
    may("systemInstruction", SYSTEM),
    may("tools", List(&By(tool))),
    may("toolConfig", Object(&TOOL_CONFIG)),
    may("safetySettings", List(&SAFETY)),
    may("generationConfig", Object(&CONFIG)),
    may("cachedContent", By(cached)),
    may("labels", Map),
    may("serviceTier", Filled),
    may("store", Bool),
    may("continuationToken", Filled),
]);

const CONTENT: Shape = Object(&[
    must("role", OneOf(&["user", "model"])),
    must("parts", Filling(&By(part))),
]);

const SYSTEM: Shape = Object(&[
    may("role", Text),
    must("parts", Filling(&Object(&[must("text", Filled)]))),
]);

fn cached(faults: &mut Faults, at: At<'_>, value: &Value) {
    let fine = text(value).starts_with("cachedContents/");
    faults.unless(fine, at, "must begin with `cachedContents/`");
}

/// The fields of a part that hold what it is; it has exactly one of them.
const CONTENTS: [&str; 9] = [
    "text",
    "inlineData",
    "fileData",
    "functionCall",
    "functionResponse",
    "executableCode",
    "codeExecutionResult",
    "toolCall",
    "toolResponse",
];

const PART: Shape = Object(&[
    may("text", Text),
    may("inlineData", DATA),
    may("fileData", FILE),
    may(
        "functionCall",
        Object(&[
            must("name", By(function_name)),
            may("args", Map),
            may("id", Filled),
        ]),
    ),
    may(
        "functionResponse",
        Object(&[
            must("name", By(function_name)),
            must("response", Map),
            may("id", Filled),
            may(
                "parts",
                List(&Union(&[may("inlineData", DATA), may("fileData", FILE)])),
            ),
            may("scheduling", Filled),
            may("willContinue", Bool),
        ]),
    ),
    may("executableCode", Map),
    may("codeExecutionResult", Map),
    may("toolCall", Map),
    may("toolResponse", Map),
    may("thought", Bool),
    may("thoughtSignature", By(signature)),
    may("videoMetadata", Map),
    may("mediaResolution", Map),
    may("partMetadata", Map),
]);

const DATA: Shape = Object(&[
    must("mimeType", By(mime)),
    must("data", Base64),
    may("displayName", Filled),
]);

const FILE: Shape = Object(&[
    must("fileUri", Filled),
    may("mimeType", By(mime)),
    may("displayName", Filled),
]);

/// Types of what a part may hold; those of GIF are refused by the models.
const MIMES: [&str; 9] = [
    "application/pdf",
    "application/json",
    "image/heic",
    "image/heif",
    "image/jpeg",
    "image/png",
    "image/webp",
    "text/html",
    "text/plain",
];

fn mime(faults: &mut Faults, at: At<'_>, value: &Value) {
    let kind = text(value);
    let fine = MIMES.contains(&kind) || kind.starts_with("audio/") || kind.starts_with("video/");
    faults.unless(fine, at, format_args!("unsupported MIME type {value}"));
}

fn part(faults: &mut Faults, at: At<'_>, part: &Value) {
    PART.check(faults, at, part);
    let held = CONTENTS.iter().filter(|name| part.get(**name).is_some());
    match held.count() {
        1 => {}
        0 => faults.add(at, "a part must hold something"),
        _ => faults.add(at, "a part may hold only one thing"),
    }
    let blank = part["text"].as_str().is_some_and(str::is_empty);
    faults.unless(
        !blank || part["thoughtSignature"].is_string(),
        at,
        "a text must not be empty where it bears no signature",
    );
}

/// A name begins with a letter or `_`; `.`, `:` and `-` may follow.
fn function_name(faults: &mut Faults, at: At<'_>, value: &Value) {
    let name = text(value);
    let begins = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let goes_on = |c: char| c.is_ascii_alphanumeric() || "_.:-".contains(c);
    faults.unless(
        begins && name.len() <= 64 && name.chars().all(goes_on),
        at,
        format_args!("invalid function name {value}"),
    );
}

/// Bytes are read in either alphabet of base64, with and without its end; so are the words that
/// stand for a signature that is not there.
fn signature(faults: &mut Faults, at: At<'_>, value: &Value) {
    let bytes = text(value).trim_end_matches('=');
    let fine = |c: char| c.is_ascii_alphanumeric() || "+/-_".contains(c);
    faults.unless(
        !bytes.is_empty() && bytes.chars().all(fine) && bytes.len() % 4 != 1,
        at,
        format_args!("must be base64, not {value}"),
    );
}

/// Tools that run at the provider.
const SERVER_TOOLS: [Field; 8] = [
    may("googleSearch", Map),
    may("googleSearchRetrieval", Map),
    may("googleMaps", Map),
    may("codeExecution", Map),
    may("urlContext", Map),
    may("fileSearch", Map),
    may("computerUse", Map),
    may("mcpServers", List(&Map)),
];

fn tool(faults: &mut Faults, at: At<'_>, tool: &Value) {
    if tool.get("functionDeclarations").is_some() {
        FUNCTIONS.check(faults, at, tool);
    } else {
        Union(&SERVER_TOOLS).check(faults, at, tool);
    }
}

const FUNCTIONS: Shape = Object(&[must("functionDeclarations", Filling(&By(declaration)))]);

const DECLARATION: Shape = Object(&[
    must("name", By(function_name)),
    must("description", Text),
    may("parameters", By(schema::gemini)),
    may("parametersJsonSchema", By(schema::of_input)),
    may("response", By(schema::gemini)),
    may("responseJsonSchema", Map),
    may(
        "behavior",
        OneOf(&["UNSPECIFIED", "BLOCKING", "NON_BLOCKING"]),
    ),
]);

fn declaration(faults: &mut Faults, at: At<'_>, function: &Value) {
    DECLARATION.check(faults, at, function);
    let both =
        function.get("parameters").is_some() && function.get("parametersJsonSchema").is_some();
    faults.unless(
        !both,
        at,
        "`parameters` and `parametersJsonSchema` may not both be set",
    );
}

const TOOL_CONFIG: [Field; 3] = [
    may(
        "functionCallingConfig",
        Object(&[
            may("mode", OneOf(&["AUTO", "ANY", "NONE", "VALIDATED"])),
            may("allowedFunctionNames", List(&Filled)),
        ]),
    ),
    may("retrievalConfig", Map),
    may("includeServerSideToolInvocations", Bool),
];

const SAFETY: Shape = Object(&[must("category", Filled), must("threshold", Filled)]);

const CONFIG: [Field; 25] = [
    may("candidateCount", Int(1, 8)),
    may("enableEnhancedCivicAnswers", Bool),
    may("frequencyPenalty", Number(-2.0, 2.0)),
    may("imageConfig", Map),
    may("logprobs", Int(0, 20)),
    may("maxOutputTokens", Int(1, i64::MAX)),
    may("mediaResolution", Filled),
    may("presencePenalty", Number(-2.0, 2.0)),
    may("responseFormat", Any),
    may("responseJsonSchema", Map),
    may("responseLogprobs", Bool),
    may(
        "responseMimeType",
        OneOf(&["text/plain", "application/json", "text/x.enum"]),
    ),
    may("responseModalities", List(&Filled)),
    may("responseSchema", By(schema::gemini)),
    may("seed", Int(i32::MIN as i64, i32::MAX as i64)),
    may("speechConfig", Map),
    may("stopSequences", By(stops)),
    may("temperature", Number(0.0, 2.0)),
    may("thinkingConfig", By(thinking)),
    may("topK", Number(1.0, 1000.0)),
    may("topP", Number(0.0, 1.0)),
    may("translationConfig", Map),
    may("audioTranscriptionConfig", Map),
    may("audioTimestamp", Bool),
    may("enableAffectiveDialog", Bool),
];

fn stops(faults: &mut Faults, at: At<'_>, value: &Value) {
    List(&Short(1000)).check(faults, at, value);
    let many = value.as_array().is_some_and(|all| all.len() > 5);
    faults.unless(!many, at, "at most 5 may be set");
}

const THINKING: Shape = Object(&[
    may("includeThoughts", Bool),
    may("thinkingBudget", Int(-1, i32::MAX as i64)),
    may(
        "thinkingLevel",
        OneOf(&["MINIMAL", "LOW", "MEDIUM", "HIGH", "XHIGH"]),
    ),
]);

fn thinking(faults: &mut Faults, at: At<'_>, value: &Value) {
    THINKING.check(faults, at, value);
    faults.unless(
        value["thinkingBudget"].is_null() || value["thinkingLevel"].is_null(),
        at,
        "only one of `thinkingBudget` and `thinkingLevel` may be set",
    );
}
