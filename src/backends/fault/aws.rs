//! Errors as AWS names them: `ThrottlingException` and others, in a header, in `__type`, or at the
//! head of an event.

use super::{ErrorKind, Failure};

/// Names of errors with the statuses that they have as answers; those that are told inside a
/// stream come without one.
const STATUSES: [(&str, u16); 18] = [
    ("accessdeniedexception", 403),
    ("expiredtokenexception", 403),
    ("incompletesignatureexception", 403),
    ("internalserverexception", 500),
    ("invalidsignatureexception", 403),
    ("missingauthenticationtokenexception", 403),
    ("modelerrorexception", 424),
    ("modelnotreadyexception", 429),
    ("modelstreamerrorexception", 424),
    ("modeltimeoutexception", 408),
    ("notauthorizedexception", 403),
    ("resourcenotfoundexception", 404),
    ("serviceunavailableexception", 503),
    ("throttlingexception", 429),
    ("toomanyrequestsexception", 429),
    ("unrecognizedclientexception", 403),
    ("validationexception", 400),
    ("signaturedoesnotmatch", 403),
];

/// Takes what stands around a name away: `com.amazon.coral.service#NAME:http://...`.
pub(super) fn bare_name(name: &str) -> String {
    let name = name.rsplit('#').next().unwrap_or(name);
    let name = name.split(':').next().unwrap_or(name);
    name.trim().to_ascii_lowercase()
}

/// Gives the status of an error by its names.
pub(super) fn status_of(names: &[String]) -> Option<u16> {
    names.iter().find_map(|name| {
        STATUSES
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, status)| *status)
    })
}

/// Gives the failure of an error whose meaning only its name or its words tell.
pub(super) fn failure(names: &[String], words: &str, message: &str) -> Option<Failure> {
    let has = |name: &str| names.iter().any(|known| known == name);
    let words = words.to_lowercase();
    let says = |sign: &str| words.contains(sign);
    let new = |kind, hint: &str| Some(Failure::new(kind, message).hint(hint));
    if has("servicequotaexceededexception") {
        return new(
            ErrorKind::RateLimit,
            "look at the quotas of the account in this region",
        );
    }
    if has("accessdeniedexception") && says("access to the model") {
        return new(
            ErrorKind::Authentication,
            "ask for access to the model in the console of Bedrock, in this region",
        );
    }
    if status_of(names) == Some(403) && (says("signature expired") || says("not yet current")) {
        return new(
            ErrorKind::Authentication,
            "look at the clock of this machine: signatures hold for minutes",
        );
    }
    if has("expiredtokenexception") {
        return new(
            ErrorKind::Authentication,
            "get new credentials: these were for a time that is over",
        );
    }
    if !has("validationexception") {
        return None;
    }
    if says("inference profile") {
        return new(
            ErrorKind::Request,
            "name an inference profile instead of the model, such as `us.` or `eu.` and its id",
        );
    }
    if says("model identifier") {
        return new(
            ErrorKind::NotFound,
            "look at the name of the model, and at the region: it is not there",
        );
    }
    None
}
