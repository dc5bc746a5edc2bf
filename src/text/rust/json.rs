//! Values as JSON text, in the form that Python's json.dumps() gives it.

use std::fmt::Write;

use minijinja::value::ValueKind;
use minijinja::{Error, Value};

use crate::failure::{invalid, LIMIT};
use crate::guard::Substitutes;
use crate::python;

/// The deepest nesting that is written.
pub const DEEPEST: usize = 256;

pub struct Style {
    pub ensure_ascii: bool,
    pub sort_keys: bool,
    /// What a level is indented by; None: everything in one line.
    pub indent: Option<String>,
    pub item_separator: String,
    pub key_separator: String,
}

pub fn dump(value: &Value, style: &Style, substitutes: &Substitutes) -> Result<String, Error> {
    let mut writer = Writer { out: String::new(), style, substitutes, depth: 0 };
    writer.value(value)?;
    Ok(writer.out)
}

struct Writer<'a> {
    out: String,
    style: &'a Style,
    substitutes: &'a Substitutes,
    depth: usize,
}

impl Writer<'_> {
    fn value(&mut self, value: &Value) -> Result<(), Error> {
        match value.kind() {
            ValueKind::None => self.out.push_str("null"),
            ValueKind::Bool => self.out.push_str(if value.is_true() { "true" } else { "false" }),
            ValueKind::Number => self.out.push_str(&number(value)),
            ValueKind::String => self.string(value.as_str().unwrap_or_default()),
            ValueKind::Seq | ValueKind::Iterable => self.list(value)?,
            ValueKind::Map => self.map(value)?,
            kind => return Err(invalid(format!("a value that is {kind} cannot be written as JSON"))),
        }
        Ok(())
    }

    fn open(&mut self, bracket: char) -> Result<(), Error> {
        if self.depth == DEEPEST {
            return Err(invalid(format!("{LIMIT}a value is nested more than {DEEPEST} deep")));
        }
        self.depth += 1;
        self.out.push(bracket);
        Ok(())
    }

    fn item(&mut self, first: bool) {
        if !first {
            self.out.push_str(&self.style.item_separator);
        }
        self.new_line();
    }

    fn new_line(&mut self) {
        if let Some(indent) = &self.style.indent {
            self.out.push('\n');
            for _ in 0..self.depth {
                self.out.push_str(indent);
            }
        }
    }

    fn close(&mut self, bracket: char, empty: bool) {
        self.depth -= 1;
        if !empty {
            self.new_line();
        }
        self.out.push(bracket);
    }

    fn list(&mut self, value: &Value) -> Result<(), Error> {
        self.open('[')?;
        let mut empty = true;
        for item in value.try_iter()? {
            self.item(empty);
            empty = false;
            self.value(&item)?;
        }
        self.close(']', empty);
        Ok(())
    }

    fn map(&mut self, value: &Value) -> Result<(), Error> {
        self.open('{')?;
        let mut keys: Vec<Value> = value.try_iter()?.collect();
        if self.style.sort_keys {
            keys.sort();
        }
        for (index, key) in keys.iter().enumerate() {
            self.item(index == 0);
            match key.kind() {
                ValueKind::String => self.string(key.as_str().unwrap_or_default()),
                ValueKind::None => self.out.push_str("\"null\""),
                ValueKind::Bool => self.out.push_str(if key.is_true() { "\"true\"" } else { "\"false\"" }),
                ValueKind::Number => {
                    let _ = write!(self.out, "\"{}\"", number(key));
                }
                kind => return Err(invalid(format!("a key that is {kind} cannot be written as JSON"))),
            }
            self.out.push_str(&self.style.key_separator);
            self.value(&value.get_item(key)?)?;
        }
        self.close('}', keys.is_empty());
        Ok(())
    }

    fn string(&mut self, text: &str) {
        self.out.push('"');
        for character in text.chars() {
            match self.substitutes.original(character) {
                Some(original) => self.substituted(character, original),
                None => self.character(character),
            }
        }
        self.out.push('"');
    }

    fn character(&mut self, character: char) {
        match character {
            '"' => self.out.push_str("\\\""),
            '\\' => self.out.push_str("\\\\"),
            '\n' => self.out.push_str("\\n"),
            '\r' => self.out.push_str("\\r"),
            '\t' => self.out.push_str("\\t"),
            '\u{8}' => self.out.push_str("\\b"),
            '\u{c}' => self.out.push_str("\\f"),
            '\0'..='\u{1f}' => self.escape(character),
            _ if self.style.ensure_ascii && !character.is_ascii() => self.escape(character),
            _ => self.out.push(character),
        }
    }

    /// As the original would be written, with the substitute wherever that character itself would be.
    fn substituted(&mut self, substitute: char, original: char) {
        let start = self.out.len();
        self.character(original);
        if self.out[start..].ends_with(original) {
            self.out.pop();
            self.out.push(substitute);
        }
    }

    fn escape(&mut self, character: char) {
        for unit in character.encode_utf16(&mut [0; 2]) {
            let _ = write!(self.out, "\\u{unit:04x}");
        }
    }
}

fn number(value: &Value) -> String {
    match python::as_float(value) {
        Some(float) if float.is_nan() => "NaN".to_string(),
        Some(float) if float.is_infinite() => if float > 0.0 { "Infinity" } else { "-Infinity" }.to_string(),
        Some(float) => python::float_text(float),
        None => value.to_string(),
    }
}
