//! Keeps the text of a conversation from becoming control tokens.
//!
//! The first character of every spelling of a control token in the conversation is replaced by a character that occurs
//! nowhere else, one for one, so that lengths, splitting and trimming are as before. After the rendered text was split
//! at its control tokens, which are then those of the template alone, the characters are put back.

use std::collections::HashSet;

use crate::failure::Failure;

pub const CONTROL: u8 = 1;
pub const ENDS_GENERATION: u8 = 2;

/// Sets CONTROL and ENDS_GENERATION at the bytes of a text where such spellings begin.
pub type Marker<'a> = dyn Fn(&str, &mut [u8]) -> Result<(), Failure> + 'a;

/// Characters and what they stand for.
#[derive(Clone, Default)]
pub struct Substitutes {
    pub pairs: Vec<(char, char)>,
}

impl Substitutes {
    pub fn original(&self, character: char) -> Option<char> {
        self.pairs.iter().find(|(standing_in, _)| *standing_in == character).map(|(_, original)| *original)
    }

    pub fn restore(&self, text: &str) -> String {
        if self.pairs.is_empty() {
            return text.to_string();
        }
        text.chars().map(|character| self.original(character).unwrap_or(character)).collect()
    }
}

/// Characters that no text needs: Unicode's noncharacters, then those for private use of the planes 15 and 16.
fn candidates() -> impl Iterator<Item = char> {
    let ends_of_planes = (0..=16).flat_map(|plane| [plane * 0x10000 + 0xFFFE, plane * 0x10000 + 0xFFFF]);
    (0xFDD0..=0xFDEF)
        .chain(ends_of_planes)
        .chain(0xF0000..=0xFFFFD)
        .chain(0x100000..=0x10FFFD)
        .filter_map(char::from_u32)
}

fn is_candidate(character: char) -> bool {
    let code = character as u32;
    (0xFDD0..=0xFDEF).contains(&code) || code & 0xFFFE == 0xFFFE || code >= 0xF0000
}

pub struct Guard<'a> {
    marker: Option<&'a Marker<'a>>,
    taken: HashSet<char>,
    substitutes: Substitutes,
}

impl<'a> Guard<'a> {
    /// Without a marker texts stay as they are.
    pub fn new(marker: Option<&'a Marker<'a>>) -> Guard<'a> {
        Guard { marker, taken: HashSet::new(), substitutes: Substitutes::default() }
    }

    pub fn is_on(&self) -> bool {
        self.marker.is_some()
    }

    pub fn substitutes(&self) -> &Substitutes {
        &self.substitutes
    }

    /// The characters of this text are not to stand for others. To be called for all texts before the first protect().
    pub fn avoid(&mut self, text: &str) {
        self.taken.extend(text.chars().filter(|character| is_candidate(*character)));
    }

    /// The text with its spellings of the marked kinds broken, and whether there were any.
    pub fn protect(&mut self, text: &str, kinds: u8) -> Result<(String, bool), Failure> {
        let Some(marker) = self.marker.filter(|_| kinds != 0 && !text.is_empty()) else {
            return Ok((text.to_string(), false));
        };
        let mut marks = vec![0; text.len()];
        marker(text, &mut marks)?;
        if !marks.iter().any(|mark| mark & kinds != 0) {
            return Ok((text.to_string(), false));
        }
        let mut out = String::with_capacity(text.len() + 64);
        for (place, character) in text.char_indices() {
            if marks[place] & kinds != 0 {
                out.push(self.substitute(character)?);
            } else {
                out.push(character);
            }
        }
        Ok((out, true))
    }

    fn substitute(&mut self, original: char) -> Result<char, Failure> {
        if let Some((standing_in, _)) = self.substitutes.pairs.iter().find(|pair| pair.1 == original) {
            return Ok(*standing_in);
        }
        let standing_in = candidates()
            .find(|candidate| !self.taken.contains(candidate))
            .ok_or_else(|| Failure::Limit("the conversation uses every private character of Unicode".to_string()))?;
        self.taken.insert(standing_in);
        self.substitutes.pairs.push((standing_in, original));
        Ok(standing_in)
    }
}
