//! The template engine, set up the way Transformers sets up its own.

use std::sync::Arc;
use std::time::Instant;

use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Rest, ValueKind};
use minijinja::{AutoEscape, Environment, Error, State, Value};

use crate::budget;
use crate::failure::{invalid, LIMIT, RAISED};
use crate::filters;
use crate::guard::Substitutes;
use crate::json;
use crate::methods;
use crate::python;
use crate::strftime::Clock;

/// How deep macros, loops and blocks may nest.
const DEEPEST: usize = 200;

/// How much a template may do: a step of the engine, or 64 bytes that it makes, cost one.
pub fn fuel(request_length: usize) -> u64 {
    8_000_000 + 16 * request_length as u64
}

pub fn new<'a>(clock: Clock, substitutes: &Arc<Substitutes>) -> Environment<'a> {
    let mut environment = Environment::new();
    if let Ok(syntax) = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build() {
        environment.set_syntax(syntax);
    }
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    environment.set_recursion_limit(DEEPEST);
    environment.set_unknown_method_callback(methods::call);
    environment.set_formatter(|out, state, value| {
        let text = python::text(value)?;
        if !matches!(value.kind(), ValueKind::String) {
            state.consume_fuel(text.len() as u64 / 16)?;
        }
        out.write_str(&text).map_err(Error::from)
    });
    environment.add_function("raise_exception", |message: Value| -> Result<Value, Error> {
        Err(invalid(format!("{RAISED}{message}")))
    });
    environment.add_function("strftime_now", move |state: &State, pattern: &str| -> Result<String, Error> {
        state.consume_fuel(pattern.len() as u64)?;
        Ok(clock.format(pattern))
    });
    filters::add(&mut environment, substitutes);
    environment
}

/// Adds the function that a template calls behind each of its tags, which fails once that time is past. It gives back
/// the value that it is given, if that may be an attribute of a namespace.
pub fn add_watch(environment: &mut Environment, name: &str, deadline: Instant) {
    environment.add_function(name.to_string(), move |state: &State, values: Rest<Value>| -> Result<Value, Error> {
        if budget::is_over(deadline) {
            return Err(invalid(format!("{LIMIT}the template takes too long")));
        }
        let Some(value) = values.first() else {
            return Ok(Value::from(true));
        };
        check_attribute(state, value, 0)?;
        Ok(value.clone())
    });
}

/// A namespace in a namespace could be, or get, the same one.
fn check_attribute(state: &State, value: &Value, depth: usize) -> Result<(), Error> {
    let Some(object) = value.as_object() else {
        return Ok(());
    };
    if depth == json::DEEPEST {
        return Err(invalid(format!("{LIMIT}a value is nested more than {} deep", json::DEEPEST)));
    }
    if object.type_name().ends_with("::Namespace") {
        return Err(invalid("a namespace cannot hold a namespace"));
    }
    let is_map = match value.kind() {
        ValueKind::Map => true,
        ValueKind::Seq | ValueKind::Iterable => false,
        _ => return Ok(()),
    };
    let mut count = 0;
    for item in value.try_iter()? {
        let item = if is_map { value.get_item(&item)? } else { item };
        check_attribute(state, &item, depth + 1)?;
        count += 1;
    }
    state.consume_fuel(count / 4)
}
