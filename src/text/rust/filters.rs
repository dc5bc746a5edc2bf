//! Filters, tests and functions of Jinja2 and Transformers that the engine has not, or has in another form.

use std::sync::Arc;

use minijinja::value::{from_args, Kwargs, Rest, ValueKind, ValueOrKwargs};
use minijinja::{Environment, Error, ErrorKind, State, Value};
use minijinja_contrib::{filters as more, globals};

use crate::failure::invalid;
use crate::guard::Substitutes;
use crate::json::{self, Style};
use crate::methods;
use crate::python;

pub fn add(environment: &mut Environment, substitutes: &Arc<Substitutes>) {
    let substitutes = Arc::clone(substitutes);
    environment.add_filter("tojson", move |state: &State, value: &Value, args: Rest<ValueOrKwargs>| {
        to_json(state, value, &args.into_values(), &substitutes)
    });
    environment.add_filter("string", |state: &State, value: &Value| charged(state, python::text(value)?));
    environment.add_filter("trim", |value: &Value, characters: Option<&str>| -> Result<String, Error> {
        Ok(methods::strip(&python::text(value)?, characters, true, true).to_string())
    });
    environment.add_filter("wordcount", |value: &str| value.split_whitespace().count());
    environment.add_filter("center", |state: &State, value: &str, width: Option<i64>| {
        methods::padded(state, value, width.unwrap_or(80), " ", methods::Side::Both)
    });
    environment.add_filter("urlencode", |state: &State, value: &Value| charged(state, quoted(&python::text(value)?)));
    environment.add_filter("truncate", truncate);
    environment.add_filter("indent", indent);
    environment.add_filter("default", default_filter);
    environment.add_filter("d", default_filter);
    environment.add_filter("int", to_int);
    environment.add_filter("float", to_float);
    for name in ["e", "escape", "forceescape"] {
        environment.add_filter(name, |state: &State, value: &Value| charged(state, escaped(&python::text(value)?)));
    }
    environment.add_filter("striptags", more::striptags);
    environment.add_filter("filesizeformat", more::filesizeformat);
    environment.add_function("cycler", |items: Rest<Value>| globals::cycler(items.to_vec()));
    environment.add_function("joiner", globals::joiner);
    environment.add_test("sequence", |value: &Value| {
        is_container(value) || (value.kind() == ValueKind::Iterable && value.len().is_some())
    });
    environment.add_test("iterable", |value: &Value| is_container(value) || value.kind() == ValueKind::Iterable);
    environment.add_test("callable", |value: &Value| value.kind() == ValueKind::Plain);
}

fn is_container(value: &Value) -> bool {
    matches!(value.kind(), ValueKind::Seq | ValueKind::Map | ValueKind::String | ValueKind::Undefined)
}

/// The text, paid for as work that is slower than copying.
fn charged(state: &State, text: String) -> Result<String, Error> {
    state.consume_fuel(text.len() as u64 / 4)?;
    Ok(text)
}

/// The filter of Transformers: json.dumps() with its arguments, and without escaping for HTML.
fn to_json(state: &State, value: &Value, args: &[Value], substitutes: &Substitutes) -> Result<Value, Error> {
    type Arguments<'a> = (Option<Value>, Option<Value>, Option<Value>, Option<Value>, Kwargs);
    let (ensure_ascii, indent, separators, sort_keys, named): Arguments = from_args(args)?;
    let ensure_ascii = argument(ensure_ascii, &named, "ensure_ascii")?.is_true();
    let indent = indentation(&argument(indent, &named, "indent")?)?;
    let separators = argument(separators, &named, "separators")?;
    let sort_keys = argument(sort_keys, &named, "sort_keys")?.is_true();
    named.assert_all_used()?;
    let (item_separator, key_separator) = if separators.is_none() || separators.is_undefined() {
        (if indent.is_some() { "," } else { ", " }.to_string(), ": ".to_string())
    } else {
        let pair: Vec<Value> = separators.try_iter()?.collect();
        match &pair[..] {
            [item, key] => (item.to_string(), key.to_string()),
            _ => return Err(invalid("separators of tojson must be two texts")),
        }
    };
    let style = Style { ensure_ascii, sort_keys, indent, item_separator, key_separator };
    charged(state, json::dump(value, &style, substitutes)?).map(Value::from)
}

fn indentation(indent: &Value) -> Result<Option<String>, Error> {
    const WIDEST: i64 = 64;
    match indent.kind() {
        ValueKind::None | ValueKind::Undefined => Ok(None),
        ValueKind::String => Ok(Some(indent.to_string())),
        ValueKind::Bool => Ok(Some(" ".repeat(usize::from(indent.is_true())))),
        _ => match indent.as_i64() {
            Some(width) if width <= WIDEST => Ok(Some(" ".repeat(width.max(0) as usize))),
            _ => Err(invalid(format!("the indentation is {indent}; the limit is {WIDEST}"))),
        },
    }
}

/// A named argument, or the one at its place.
fn argument(positional: Option<Value>, named: &Kwargs, name: &str) -> Result<Value, Error> {
    let by_name: Option<Value> = named.get(name)?;
    Ok(positional.or(by_name).unwrap_or_default())
}

fn default_filter(value: &Value, other: Option<Value>, falsy: Option<Value>, named: Kwargs) -> Result<Value, Error> {
    let other = argument(other, &named, "default_value")?;
    let falsy = argument(falsy, &named, "boolean")?.is_true();
    named.assert_all_used()?;
    let replaced = value.is_undefined() || (falsy && !value.is_true());
    Ok(if !replaced {
        value.clone()
    } else if other.is_undefined() {
        Value::from("")
    } else {
        other
    })
}

/// A number, or the default where Python would raise.
fn to_int(
    state: &State,
    value: &Value,
    default: Option<Value>,
    base: Option<u32>,
    named: Kwargs,
) -> Result<Value, Error> {
    let default = argument(default, &named, "default")?;
    let default = if default.is_undefined() { Value::from(0) } else { default };
    match minijinja::filters::int(state, value, Some(default.clone()), base, named) {
        Err(error) if error.kind() == ErrorKind::InvalidOperation => Ok(default),
        result => result,
    }
}

fn to_float(value: &Value, default: Option<Value>, named: Kwargs) -> Result<Value, Error> {
    let default = argument(default, &named, "default")?;
    named.assert_all_used()?;
    let number = match value.as_str() {
        Some(text) => text.trim().replace('_', "").parse::<f64>().ok(),
        None => f64::try_from(value.clone()).ok().or(value.as_i64().map(|number| number as f64)),
    };
    Ok(match number {
        Some(number) => Value::from(number),
        None if default.is_undefined() => Value::from(0.0),
        None => default,
    })
}

/// Bytes that may not stand in the path of a URL as %XX.
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"_.-~/".contains(&byte) {
            out.push(byte as char);
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&#34;").replace('\'', "&#39;")
}

fn indent(state: &State, value: &Value, args: Rest<ValueOrKwargs>) -> Result<String, Error> {
    type Arguments = (Option<Value>, Option<Value>, Option<Value>, Kwargs);
    let args = args.into_values();
    let (width, first, blank, named): Arguments = from_args(&args)?;
    let width = argument(width, &named, "width")?;
    let first = argument(first, &named, "first")?.is_true();
    let blank = argument(blank, &named, "blank")?.is_true();
    named.assert_all_used()?;
    let indentation = indentation(&width)?.unwrap_or_else(|| "    ".to_string());
    let text = python::text(value)?;
    let mut out = if first { indentation.clone() } else { String::new() };
    // A line end at the end of the text begins one more line.
    let whole = text + "\n";
    for (index, line) in methods::split_lines(&whole, false).into_iter().enumerate() {
        if index > 0 {
            state.consume_fuel(indentation.len() as u64 / 64 + 1)?;
            out.push('\n');
            if blank || !line.is_empty() {
                out.push_str(&indentation);
            }
        }
        out.push_str(line);
    }
    charged(state, out)
}

fn truncate(value: &str, args: Rest<ValueOrKwargs>) -> Result<String, Error> {
    type Arguments = (Option<Value>, Option<Value>, Option<Value>, Option<Value>, Kwargs);
    let args = args.into_values();
    let (length, kill_words, end, leeway, named): Arguments = from_args(&args)?;
    let number = |value: Value, default: usize| value.as_usize().unwrap_or(default);
    let length = number(argument(length, &named, "length")?, 255);
    let kill_words = argument(kill_words, &named, "killwords")?.is_true();
    let end = argument(end, &named, "end")?;
    let end = if end.is_undefined() { "...".to_string() } else { end.to_string() };
    let leeway = number(argument(leeway, &named, "leeway")?, 5);
    named.assert_all_used()?;
    if value.chars().count() <= length.saturating_add(leeway) {
        return Ok(value.to_string());
    }
    let kept: String = value.chars().take(length.saturating_sub(end.chars().count())).collect();
    let words = if kill_words { &kept } else { kept.rsplit_once(' ').map_or(kept.as_str(), |(words, _)| words) };
    Ok(words.to_string() + &end)
}
