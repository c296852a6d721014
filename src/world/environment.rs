//! The environment, read once.

use std::collections::BTreeMap;

/// The variables of the process as they were at its start. Values that are not UTF-8 are left out.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Environment {
    variables: BTreeMap<String, String>,
}

/// What every program that is started may see: enough to find programs and to speak the user's
/// language, and no key. Other variables have to be declared.
pub const PASSED_ON: [&str; 15] = [
    "HOME",
    "PATH",
    "USER",
    "LOGNAME",
    "SHELL",
    "TERM",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "LC_MESSAGES",
    "TZ",
    "TMPDIR",
    "XDG_RUNTIME_DIR",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
];

impl Environment {
    /// Reads the environment of the process.
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the one place that reads it"
    )]
    pub fn of_process() -> Environment {
        std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect()
    }

    /// Gives a variable; one that is set to nothing but blanks counts as not set.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.variables
            .get(name)
            .map(String::as_str)
            .filter(|value| !value.trim().is_empty())
    }

    /// Gives what a program that is started sees: the safe names and the declared ones.
    pub fn for_child<'a>(
        &'a self,
        declared: &'a [String],
    ) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.variables
            .iter()
            .filter(|(name, _)| {
                PASSED_ON.contains(&name.as_str()) || declared.iter().any(|one| one == *name)
            })
            .map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

/// Shows the names alone: among the values are keys.
impl std::fmt::Debug for Environment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.variables.keys()).finish()
    }
}

impl FromIterator<(String, String)> for Environment {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(variables: I) -> Environment {
        Environment {
            variables: variables.into_iter().collect(),
        }
    }
}
