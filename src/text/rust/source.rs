//! What is done to a template's text before the engine reads it.
//!
//! Line ends become "\n". The tags `generation` and `endgeneration`, by which trainers mark the assistant's turns,
//! become an `if` that is always taken, unless they are to be refused as Jinja2 does. And behind every tag comes one
//! that looks at the clock, because the engine counts steps, but a step may compare texts of many megabytes. What is
//! assigned to an attribute of a namespace is looked at, too: it must not make a value that contains itself, on which
//! the engine would recurse without end. All of that keeps the lines and the tags' whitespace control.

use crate::failure::Failure;

/// A template as the engine reads it, and the name of the function that it calls to look at the clock, and to look at
/// the value that it gives and get it back.
pub struct Source {
    pub text: String,
    pub tick: String,
}

pub fn prepare(template: &str, generation_tags: bool) -> Result<Source, Failure> {
    let text = template.replace("\r\n", "\n").replace('\r', "\n");
    // A name that the template cannot give another meaning.
    let tick = (0..).map(|number| format!("tick_{number}")).find(|name| !text.contains(name.as_str()));
    let tick = tick.unwrap_or_default();
    let mut out = String::with_capacity(text.len() * 2);
    let mut rest = text.as_str();
    while let Some(start) = rest.find('{') {
        let (before, from) = rest.split_at(start);
        out.push_str(before);
        let length = match from.as_bytes().get(1) {
            Some(b'#') => from.find("#}").map(|end| end + 2),
            Some(b'{') => tag_length(from, "}}"),
            Some(b'%') => tag_length(from, "%}"),
            _ => Some(1),
        };
        let Some(length) = length else {
            rest = from; // not closed, which the engine says better
            break;
        };
        let (tag, after) = from.split_at(length);
        rest = after;
        if !tag.starts_with("{%") {
            out.push_str(tag);
        } else if name_of(tag) == "raw" {
            let end = end_of_raw(after);
            out.push_str(tag);
            out.push_str(&after[..end]);
            rest = &after[end..];
        } else {
            if !generation_tags && matches!(inside(tag), "generation" | "endgeneration") {
                let line = 1 + text[..text.len() - rest.len() - tag.len()].matches('\n').count();
                return Err(unknown_tag(line, inside(tag)));
            }
            push_tag(&mut out, tag, &tick);
        }
    }
    out.push_str(rest);
    Ok(Source { text: out, tick })
}

fn unknown_tag(line: usize, name: &str) -> Failure {
    Failure::Template(format!(
        "line {line}: Jinja does not know the tag '{name}', which is for training; generation_tags = 1 reads over it"
    ))
}

/// The length of a tag that the text begins with; its end may not be inside of a string or of braces.
fn tag_length(text: &str, end: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut place, mut depth) = (2, 0_usize);
    while place < bytes.len() {
        if depth == 0 && bytes[place..].starts_with(end.as_bytes()) {
            return Some(place + 2);
        }
        match bytes[place] {
            quote @ (b'"' | b'\'') => {
                place += 1;
                while place < bytes.len() && bytes[place] != quote {
                    place += if bytes[place] == b'\\' { 2 } else { 1 };
                }
            }
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        place += 1;
    }
    None
}

/// What is between a tag's delimiters and their signs.
fn inside(tag: &str) -> &str {
    tag[2..tag.len() - 2].trim_start_matches(['-', '+']).trim_end_matches(['-', '+']).trim()
}

fn name_of(tag: &str) -> &str {
    let inside = inside(tag);
    &inside[..inside.find(|character: char| !character.is_alphanumeric() && character != '_').unwrap_or(inside.len())]
}

/// The place behind the tag that ends a raw text.
fn end_of_raw(text: &str) -> usize {
    let tags = text.match_indices("{%").filter_map(|(start, _)| {
        let end = start + text[start..].find("%}")? + 2;
        (inside(&text[start..end]) == "endraw").then_some(end)
    });
    tags.into_iter().next().unwrap_or(text.len())
}

fn push_tag(out: &mut String, tag: &str, tick: &str) {
    match inside(tag) {
        "generation" => out.push_str(&tag.replace("generation", "if true")),
        "endgeneration" => out.push_str(&tag.replace("endgeneration", "endif")),
        _ if name_of(tag) == "for" => push_loop(out, tag, tick),
        _ if name_of(tag) == "set" => push_assignment(out, tag, tick),
        _ => out.push_str(tag),
    }
    let sign = match tag.as_bytes()[tag.len() - 3] {
        b'-' => "-",
        b'+' => "+",
        _ => "",
    };
    out.push_str(&format!("{{% do {tick}() {sign}%}}"));
}

/// A loop may choose its items by a condition, which is a step for each item.
fn push_loop(out: &mut String, tag: &str, tick: &str) {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let condition = find_outside(tag, |bytes, place| {
        bytes[place..].starts_with(b"if") && !is_word(bytes[place - 1]) && !is_word(bytes[place + 2])
    });
    match condition {
        Some(place) => out.push_str(&format!("{} {tick}() and{}", &tag[..place + 2], &tag[place + 2..])),
        None => out.push_str(tag),
    }
}

fn push_assignment(out: &mut String, tag: &str, tick: &str) {
    let sign = find_outside(tag, |bytes, place| bytes[place] == b'=');
    match sign {
        Some(place) if tag[..place].contains('.') => {
            let end = tag.len() - 2 - usize::from(matches!(tag.as_bytes()[tag.len() - 3], b'-' | b'+'));
            out.push_str(&format!("{} {tick}(({})) {}", &tag[..=place], &tag[place + 1..end], &tag[end..]));
        }
        _ => out.push_str(tag),
    }
}

/// The first place in a tag, outside of strings and brackets, that is what is looked for.
fn find_outside(tag: &str, is_it: impl Fn(&[u8], usize) -> bool) -> Option<usize> {
    let bytes = tag.as_bytes();
    let (mut place, mut depth) = (2, 0_usize);
    while place + 2 < bytes.len() {
        match bytes[place] {
            quote @ (b'"' | b'\'') => {
                place += 1;
                while place < bytes.len() && bytes[place] != quote {
                    place += if bytes[place] == b'\\' { 2 } else { 1 };
                }
            }
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ if depth == 0 && is_it(bytes, place) => return Some(place),
            _ => {}
        }
        place += 1;
    }
    None
}
