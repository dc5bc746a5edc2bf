//! Methods of Python's str, list and dict that templates call. What is not here minijinja-contrib may know.

use minijinja::value::{from_args, Kwargs, Tuple, ValueKind};
use minijinja::{Error, ErrorKind, State, Value};
use minijinja_contrib::pycompat;

use crate::failure::invalid;

pub fn call(state: &mut State, value: &Value, method: &str, args: &[Value]) -> Result<Value, Error> {
    let found = match value.kind() {
        ValueKind::String => {
            let text = value.as_str().unwrap_or_default();
            // The engine charges for what comes out; this is for what is looked through.
            state.consume_fuel(text.len() as u64 / 64)?;
            of_text(state, text, method, args)?
        }
        ValueKind::Seq | ValueKind::Iterable => of_list(state, value, method, args)?,
        ValueKind::Map => of_map(value, method)?,
        _ => None,
    };
    match found {
        Some(result) => Ok(result),
        None => pycompat::unknown_method_callback(state, value, method, args),
    }
}

/// Python's str.isspace() for one character.
pub fn is_space(character: char) -> bool {
    character.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&character)
}

pub fn strip<'a>(text: &'a str, characters: Option<&str>, left: bool, right: bool) -> &'a str {
    let matches = |character: char| match characters {
        Some(characters) => characters.contains(character),
        None => is_space(character),
    };
    let text = if left { text.trim_start_matches(matches) } else { text };
    if right {
        text.trim_end_matches(matches)
    } else {
        text
    }
}

pub enum Side {
    Left,
    Right,
    Both,
}

/// The text with fillers at the given side, so that it has so many characters.
pub fn padded(state: &State, text: &str, width: i64, filler: &str, side: Side) -> Result<String, Error> {
    let missing = usize::try_from(width).unwrap_or(0).saturating_sub(text.chars().count());
    state.consume_fuel((missing / 16) as u64)?;
    let before = match side {
        Side::Left => missing,
        Side::Right => 0,
        // As Python rounds.
        Side::Both => missing / 2 + (missing & width as usize & 1),
    };
    Ok(filler.repeat(before) + text + &filler.repeat(missing - before))
}

fn text_argument(value: Option<Value>) -> Result<Option<String>, Error> {
    match value {
        Some(value) if value.is_none() || value.is_undefined() => Ok(None),
        Some(value) => match value.as_str() {
            Some(text) => Ok(Some(text.to_string())),
            None => Err(invalid(format!("the argument is {}, must be a string", value.kind()))),
        },
        None => Ok(None),
    }
}

/// The arguments of split() and rsplit(), by place or by name.
fn split_arguments(args: &[Value]) -> Result<(Option<String>, i64), Error> {
    let (separator, most, named): (Option<Value>, Option<i64>, Kwargs) = from_args(args)?;
    let separator = match separator {
        Some(separator) => Some(separator),
        None => named.get("sep")?,
    };
    let most = match most {
        Some(most) => Some(most),
        None => named.get("maxsplit")?,
    };
    named.assert_all_used()?;
    let separator = text_argument(separator)?;
    if separator.as_deref() == Some("") {
        return Err(invalid("the separator is empty"));
    }
    Ok((separator, most.unwrap_or(-1)))
}

fn split<'a>(text: &'a str, separator: Option<&str>, most: i64) -> Vec<&'a str> {
    let most = usize::try_from(most).map_or(usize::MAX, |most| most.saturating_add(1));
    if let Some(separator) = separator {
        return text.splitn(most, separator).collect();
    }
    let mut parts = Vec::new();
    let mut rest = text.trim_start_matches(is_space);
    while !rest.is_empty() {
        let end = if parts.len() + 1 == most { None } else { rest.find(is_space) };
        parts.push(&rest[..end.unwrap_or(rest.len())]);
        rest = rest[end.unwrap_or(rest.len())..].trim_start_matches(is_space);
    }
    parts
}

fn rsplit<'a>(text: &'a str, separator: Option<&str>, most: i64) -> Vec<&'a str> {
    let most = usize::try_from(most).map_or(usize::MAX, |most| most.saturating_add(1));
    let mut parts = Vec::new();
    if let Some(separator) = separator {
        parts.extend(text.rsplitn(most, separator));
    } else {
        let mut rest = text.trim_end_matches(is_space);
        while !rest.is_empty() {
            let last = rest.char_indices().rev().find(|(_, character)| is_space(*character));
            let start = match last {
                Some((place, character)) if parts.len() + 1 != most => place + character.len_utf8(),
                _ => 0,
            };
            parts.push(&rest[start..]);
            rest = rest[..start].trim_end_matches(is_space);
        }
    }
    parts.reverse();
    parts
}

/// Lines without their ends, or with them, cut where Python cuts.
pub fn split_lines(text: &str, keep_ends: bool) -> Vec<&str> {
    let is_end = |character: char| {
        matches!(character, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{1c}'..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}')
    };
    let mut lines = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let Some((place, character)) = rest.char_indices().find(|(_, character)| is_end(*character)) else {
            lines.push(rest);
            break;
        };
        let windows = character == '\r' && rest[place + 1..].starts_with('\n');
        let next = place + character.len_utf8() + usize::from(windows);
        lines.push(&rest[..if keep_ends { next } else { place }]);
        rest = &rest[next..];
    }
    lines
}

/// A place that counts from the end when it is negative, within a length.
fn bounded(place: Option<i64>, default: usize, length: usize) -> usize {
    match place {
        None => default,
        Some(place) if place < 0 => length.saturating_sub(place.unsigned_abs() as usize),
        Some(place) => (place as usize).min(length),
    }
}

/// The part of a text between two places, which count characters, and the number of characters before it. None when
/// the start is behind the end.
fn part(text: &str, start: Option<i64>, end: Option<i64>) -> Option<(&str, usize)> {
    if start.is_none() && end.is_none() {
        return Some((text, 0));
    }
    let length = text.chars().count();
    let (first, last) = (bounded(start, 0, length), bounded(end, length, length));
    if first > last || start.is_some_and(|start| start > length as i64) {
        return None;
    }
    let byte = |place: usize| text.char_indices().nth(place).map_or(text.len(), |(byte, _)| byte);
    Some((&text[byte(first)..byte(last)], first))
}

/// The number of characters before the first, or last, occurrence.
fn find(args: &[Value], text: &str, last: bool) -> Result<Option<usize>, Error> {
    let (what, start, end): (&str, Option<i64>, Option<i64>) = from_args(args)?;
    Ok(part(text, start, end).and_then(|(inside, before)| {
        let place = if last { inside.rfind(what) } else { inside.find(what) };
        place.map(|byte| before + inside[..byte].chars().count())
    }))
}

/// startswith() and endswith(), of one text or one of several.
fn has_end(args: &[Value], text: &str, at_start: bool) -> Result<bool, Error> {
    let (what, start, end): (&Value, Option<i64>, Option<i64>) = from_args(args)?;
    let Some((inside, _)) = part(text, start, end) else {
        return Ok(false);
    };
    let has = |what: &Value| match what.as_str() {
        Some(what) if at_start => Ok(inside.starts_with(what)),
        Some(what) => Ok(inside.ends_with(what)),
        None => Err(invalid(format!("the argument is {}, must be a string or a tuple of strings", what.kind()))),
    };
    if what.kind() != ValueKind::Seq {
        return has(what);
    }
    for what in what.try_iter()? {
        if has(&what)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn partition(text: &str, separator: &str, last: bool) -> Result<Value, Error> {
    if separator.is_empty() {
        return Err(invalid("the separator is empty"));
    }
    let found = if last { text.rsplit_once(separator) } else { text.split_once(separator) };
    let parts = match found {
        Some((before, after)) => [before, separator, after],
        None if last => ["", "", text],
        None => [text, "", ""],
    };
    Ok(Value::from(Tuple::from(parts.map(Value::from).to_vec())))
}

fn list_of(parts: Vec<&str>) -> Value {
    parts.into_iter().map(Value::from).collect::<Vec<Value>>().into()
}

fn of_text(state: &State, text: &str, method: &str, args: &[Value]) -> Result<Option<Value>, Error> {
    let result = match method {
        "strip" | "lstrip" | "rstrip" => {
            let (characters,): (Option<Value>,) = from_args(args)?;
            let characters = text_argument(characters)?;
            Value::from(strip(text, characters.as_deref(), method != "rstrip", method != "lstrip"))
        }
        "split" => split_arguments(args).map(|(separator, most)| list_of(split(text, separator.as_deref(), most)))?,
        "rsplit" => split_arguments(args).map(|(separator, most)| list_of(rsplit(text, separator.as_deref(), most)))?,
        "splitlines" => {
            let (keep_ends, named): (Option<bool>, Kwargs) = from_args(args)?;
            list_of(split_lines(text, keep_ends.or(named.get("keepends")?).unwrap_or(false)))
        }
        "partition" | "rpartition" => {
            let (separator,): (&str,) = from_args(args)?;
            partition(text, separator, method == "rpartition")?
        }
        "startswith" | "endswith" => Value::from(has_end(args, text, method == "startswith")?),
        "find" | "rfind" => Value::from(find(args, text, method == "rfind")?.map_or(-1, |place| place as i64)),
        "index" | "rindex" => match find(args, text, method == "rindex")? {
            Some(place) => Value::from(place),
            None => return Err(invalid("substring not found")),
        },
        "count" => {
            let (what, start, end): (&str, Option<i64>, Option<i64>) = from_args(args)?;
            Value::from(part(text, start, end).map_or(0, |(inside, _)| inside.matches(what).count()))
        }
        "removeprefix" => {
            let (prefix,): (&str,) = from_args(args)?;
            Value::from(text.strip_prefix(prefix).unwrap_or(text))
        }
        "removesuffix" => {
            let (suffix,): (&str,) = from_args(args)?;
            Value::from(text.strip_suffix(suffix).unwrap_or(text))
        }
        "ljust" | "rjust" | "center" => {
            let (width, filler): (i64, Option<&str>) = from_args(args)?;
            let side = match method {
                "ljust" => Side::Right,
                "rjust" => Side::Left,
                _ => Side::Both,
            };
            Value::from(padded(state, text, width, filler.unwrap_or(" "), side)?)
        }
        "zfill" => {
            let (width,): (i64,) = from_args(args)?;
            let digits = text.trim_start_matches(['+', '-']);
            let sign = if text.len() - digits.len() == 1 { &text[..1] } else { "" };
            let width = width.saturating_sub(sign.len() as i64);
            Value::from(sign.to_string() + &padded(state, &text[sign.len()..], width, "0", Side::Left)?)
        }
        "join" => {
            let (values,): (&Value,) = from_args(args)?;
            joined(state, text, values)?.into()
        }
        "title" => Value::from(title(text)),
        "casefold" => Value::from(text.to_lowercase().replace('ß', "ss")),
        "swapcase" => text.chars().map(swapped_case).collect::<String>().into(),
        "isspace" => Value::from(!text.is_empty() && text.chars().all(is_space)),
        "isdecimal" => Value::from(!text.is_empty() && text.chars().all(|character| character.is_ascii_digit())),
        _ => return Ok(None),
    };
    Ok(Some(result))
}

fn joined(state: &State, separator: &str, values: &Value) -> Result<String, Error> {
    let mut out = String::new();
    for (index, value) in values.try_iter()?.enumerate() {
        let Some(text) = value.as_str() else {
            return Err(invalid(format!("item {index} to join is {}, must be a string", value.kind())));
        };
        if index > 0 {
            state.consume_fuel(separator.len() as u64 / 64 + 1)?;
            out.push_str(separator);
        }
        out.push_str(text);
    }
    Ok(out)
}

/// Every letter behind something else in upper case, all others in lower case.
fn title(text: &str) -> String {
    let mut inside = false;
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        if inside {
            out.extend(character.to_lowercase());
        } else {
            out.extend(character.to_uppercase());
        }
        inside = character.is_alphabetic();
    }
    out
}

fn swapped_case(character: char) -> String {
    if character.is_uppercase() {
        character.to_lowercase().collect()
    } else {
        character.to_uppercase().collect()
    }
}

fn of_list(state: &State, value: &Value, method: &str, args: &[Value]) -> Result<Option<Value>, Error> {
    match method {
        "index" => {
            let (what,): (&Value,) = from_args(args)?;
            for (place, item) in value.try_iter()?.enumerate() {
                state.consume_fuel(1)?;
                if item == *what {
                    return Ok(Some(Value::from(place)));
                }
            }
            Err(invalid(format!("{what:?} is not in the list")))
        }
        "copy" => Ok(Some(value.clone())),
        "append" | "clear" | "extend" | "insert" | "pop" | "remove" | "reverse" | "sort" => Err(unsafe_call(method)),
        _ => Ok(None),
    }
}

fn of_map(value: &Value, method: &str) -> Result<Option<Value>, Error> {
    match method {
        "copy" => Ok(Some(value.clone())),
        "clear" | "pop" | "popitem" | "setdefault" | "update" => Err(unsafe_call(method)),
        _ => Ok(None),
    }
}

/// Transformers lets a template change nothing in place.
fn unsafe_call(method: &str) -> Error {
    Error::new(ErrorKind::InvalidOperation, format!("{method}() would change a value in place, which is not allowed"))
}
