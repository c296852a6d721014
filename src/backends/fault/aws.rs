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

#[cfg(test)]
mod tests {
    use super::super::Told;
    use crate::backends::{Again, ErrorKind};

    /// Reads an answer; gives its kind, whether it may pass, and the beginning of its hint.
    fn read(status: u16, name: &str, message: &str) -> (ErrorKind, bool, String) {
        let body = serde_json::json!({ "message": message }).to_string();
        let told = Told::of_text(&body).named(Some(name));
        let failure = told.failure(status, message.to_owned());
        let hint = failure.error.hint.unwrap_or_default();
        let hint: Vec<&str> = hint.split(' ').take(5).collect();
        (
            failure.error.kind,
            failure.again != Again::Never,
            hint.join(" "),
        )
    }

    #[test]
    fn each_refusal_says_what_to_do() {
        use ErrorKind::{Authentication, NotFound, RateLimit, Request, Server, TooLong};
        let profile = "Invocation of model ID x with on-demand throughput isn't supported. Retry \
                       your request with the ID or ARN of an inference profile that contains it.";
        let expired = "Signature expired: 20261130T1 is now earlier than 20261130T2";
        for (status, name, message, kind, again, hint) in [
            (
                429,
                "ThrottlingException:http://internal/",
                "slow",
                RateLimit,
                true,
                "wait a little, then ask",
            ),
            (
                400,
                "ServiceQuotaExceededException",
                "much",
                RateLimit,
                false,
                "look at the quotas of",
            ),
            (
                403,
                "AccessDeniedException",
                "You don't have access to the model with the specified model ID.",
                Authentication,
                false,
                "ask for access to the",
            ),
            (
                403,
                "UnrecognizedClientException",
                "bad token",
                Authentication,
                false,
                "",
            ),
            (
                403,
                "InvalidSignatureException",
                expired,
                Authentication,
                false,
                "look at the clock of",
            ),
            (
                403,
                "ExpiredTokenException",
                "expired",
                Authentication,
                false,
                "get new credentials: these were",
            ),
            (
                400,
                "ValidationException",
                profile,
                Request,
                false,
                "name an inference profile instead",
            ),
            (
                400,
                "ValidationException",
                "The provided model identifier is invalid.",
                NotFound,
                false,
                "look at the name of",
            ),
            (
                400,
                "ValidationException",
                "Input is too long for requested model.",
                TooLong,
                false,
                "leave out what is not",
            ),
            (
                400,
                "ValidationException",
                "messages: odd",
                Request,
                false,
                "look at the options of",
            ),
            (
                424,
                "ModelErrorException",
                "broke",
                Server,
                true,
                "ask again",
            ),
            (
                408,
                "ModelTimeoutException",
                "late",
                Server,
                true,
                "ask again",
            ),
            (
                503,
                "ServiceUnavailableException",
                "down",
                Server,
                true,
                "wait a little, then ask",
            ),
        ] {
            assert_eq!(
                read(status, name, message),
                (kind, again, hint.to_owned()),
                "{name}: {message}"
            );
        }
    }
}
