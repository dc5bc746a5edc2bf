//! What can go wrong, and how a template engine's error is told.

use minijinja::{Error, ErrorKind};

#[derive(Debug, PartialEq, Eq)]
pub enum Failure {
    Request(String),
    Template(String),
    Limit(String),
    Memory,
    Internal(String),
}

/// Begins the detail of an error that `raise_exception` made; the rest is the template's own text.
pub const RAISED: &str = "\u{1}raised:";

/// Begins the detail of an error that is about a limit of ours.
pub const LIMIT: &str = "\u{1}limit:";

/// An operation that a template must not do, in the engine's error type.
pub fn invalid(text: impl Into<String>) -> Error {
    Error::new(ErrorKind::InvalidOperation, text.into())
}

fn innermost(error: &Error) -> &Error {
    let mut found = error;
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        if let Some(cause) = cause.downcast_ref::<Error>() {
            found = cause;
        }
        source = cause.source();
    }
    found
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        let cause = innermost(&error);
        let line = error.line().or(cause.line()).unwrap_or(1);
        let detail = cause.detail().unwrap_or("");
        if let Some(text) = detail.strip_prefix(RAISED) {
            return Failure::Template(format!("line {line}: the template refuses this conversation: {text}"));
        }
        if let Some(text) = detail.strip_prefix(LIMIT) {
            return Failure::Limit(format!("line {line}: {text}"));
        }
        if cause.kind() == ErrorKind::OutOfFuel {
            return Failure::Limit(format!("line {line}: the template takes too many steps or makes too much text"));
        }
        if detail.contains("recursion limit") {
            return Failure::Limit(format!("line {line}: the template nests, or calls itself, too deeply"));
        }
        let separator = if detail.is_empty() { "" } else { ": " };
        Failure::Template(format!("line {line}: {}{separator}{detail}", cause.kind()))
    }
}
