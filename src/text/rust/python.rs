//! Values as Python's str() and repr() show them.

use std::fmt::Write;

use minijinja::value::ValueKind;
use minijinja::{Error, Value};

use crate::failure::{invalid, LIMIT};
use crate::json::DEEPEST;

/// The value if it is a floating-point number.
pub fn as_float(value: &Value) -> Option<f64> {
    if value.kind() == ValueKind::Number && !value.is_integer() {
        f64::try_from(value.clone()).ok()
    } else {
        None
    }
}

/// The shortest digits that give the number again, with an exponent below 1e-4 and from 1e16 on.
pub fn float_text(value: f64) -> String {
    if value.is_nan() {
        return "nan".to_string();
    }
    if value.is_infinite() {
        return if value > 0.0 { "inf" } else { "-inf" }.to_string();
    }
    let scientific = format!("{value:e}");
    let Some((digits, exponent)) = scientific.split_once('e') else {
        return scientific;
    };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if value != 0.0 && !(-4..16).contains(&exponent) {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{digits}e{sign}{:02}", exponent.abs());
    }
    let plain = format!("{value}");
    if plain.contains('.') {
        plain
    } else {
        plain + ".0"
    }
}

/// str(): what `{{ value }}` writes.
pub fn text(value: &Value) -> Result<String, Error> {
    match value.kind() {
        ValueKind::Seq | ValueKind::Iterable | ValueKind::Map | ValueKind::Number => {
            let mut out = String::new();
            append_repr(&mut out, value, 0)?;
            Ok(out)
        }
        _ => Ok(value.to_string()),
    }
}

fn append_repr(out: &mut String, value: &Value, depth: usize) -> Result<(), Error> {
    if depth > DEEPEST {
        return Err(invalid(format!("{LIMIT}a value is nested more than {DEEPEST} deep")));
    }
    match value.kind() {
        ValueKind::Number => match as_float(value) {
            Some(float) => out.push_str(&float_text(float)),
            None => out.push_str(&value.to_string()),
        },
        ValueKind::Seq | ValueKind::Iterable => {
            let tuple = value.is_tuple();
            out.push(if tuple { '(' } else { '[' });
            let mut count = 0;
            for item in value.try_iter()? {
                out.push_str(if count > 0 { ", " } else { "" });
                append_repr(out, &item, depth + 1)?;
                count += 1;
            }
            out.push_str(if tuple && count == 1 {
                ",)"
            } else if tuple {
                ")"
            } else {
                "]"
            });
        }
        ValueKind::Map => {
            out.push('{');
            for (index, key) in value.try_iter()?.enumerate() {
                out.push_str(if index > 0 { ", " } else { "" });
                append_repr(out, &key, depth + 1)?;
                out.push_str(": ");
                append_repr(out, &value.get_item(&key)?, depth + 1)?;
            }
            out.push('}');
        }
        ValueKind::String => append_quoted(out, value.as_str().unwrap_or_default()),
        _ => out.push_str(&format!("{value:?}")),
    }
    Ok(())
}

fn append_quoted(out: &mut String, text: &str) {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    out.push(quote);
    for character in text.chars() {
        match character {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            _ if character == quote => out.extend(['\\', quote]),
            _ if is_printable(character) => out.push(character),
            _ => {
                let code = character as u32;
                let _ = match code {
                    0..=0xff => write!(out, "\\x{code:02x}"),
                    0x100..=0xffff => write!(out, "\\u{code:04x}"),
                    _ => write!(out, "\\U{code:08x}"),
                };
            }
        }
    }
    out.push(quote);
}

/// Whether repr() shows a character as it is: no control, format or space character. What Unicode has not assigned is
/// shown, too, because such characters may stand for others here.
fn is_printable(character: char) -> bool {
    let formats = matches!(character, '\u{ad}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}'
        | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}' | '\u{e0001}'..='\u{e007f}');
    character == ' ' || !(character.is_whitespace() || character.is_control() || formats)
}
