//! From a template and a request to text.

use std::sync::Arc;
use std::time::Instant;

use minijinja::{Environment, Value};

use crate::environment;
use crate::failure::Failure;
use crate::guard::{Guard, Marker, Substitutes, CONTROL, ENDS_GENERATION};
use crate::request::Request;
use crate::source::{self, Source};
use crate::strftime::Clock;

/// The longest template, and the longest request, in bytes.
const LONGEST_TEMPLATE: usize = 1 << 20;
const LONGEST_REQUEST: usize = 64 << 20;

pub struct Chat<'a> {
    pub template: &'a str,
    /// If not empty: takes its place for a request with tools.
    pub tools_template: &'a str,
    pub request: &'a [u8],
    /// Names and spellings of special tokens, such as `bos_token`.
    pub special: Vec<(&'a str, &'a str)>,
    pub clock: Clock,
    /// When rendering has to be over.
    pub deadline: Instant,
    /// Whether the tags by which trainers mark the assistant's turns are read over; else they are refused.
    pub generation_tags: bool,
    /// None: the conversation is not guarded.
    pub marker: Option<&'a Marker<'a>>,
}

#[derive(Default)]
pub struct Rendered {
    pub text: String,
    pub substitutes: Substitutes,
}

pub fn render(chat: &Chat) -> Result<Rendered, Failure> {
    check_length("the request", chat.request.len(), LONGEST_REQUEST)?;
    let request = Request::parse(chat.request)?;
    let with_tools = !chat.tools_template.is_empty() && request.has_tools();
    let template = if with_tools { chat.tools_template } else { chat.template };
    check_length("the template", template.len(), LONGEST_TEMPLATE)?;
    let template = source::prepare(template, chat.generation_tags)?;
    let mut guard = Guard::new(chat.marker);
    if guard.is_on() {
        guard.avoid(&template.text);
        chat.special.iter().for_each(|(_, spelling)| guard.avoid(spelling));
        request.each_text(&mut |text| guard.avoid(text));
    }
    Renderer { chat, template: &template, request: &request }.render(guard)
}

fn check_length(what: &str, length: usize, longest: usize) -> Result<(), Failure> {
    if length > longest {
        return Err(Failure::Limit(format!("{what} has {length} bytes; the limit is {longest}")));
    }
    Ok(())
}

struct Renderer<'a> {
    chat: &'a Chat<'a>,
    template: &'a Source,
    request: &'a Request,
}

impl Renderer<'_> {
    /// The assistant's own words are protected from as many kinds of control tokens as leaves the text as it is:
    /// a template may look for some of them there.
    fn render(&self, mut guard: Guard) -> Result<Rendered, Failure> {
        for said in [CONTROL, ENDS_GENERATION] {
            let context = self.request.context(&mut guard, said)?;
            if !context.assistant_protected {
                return self.once(context.variables, guard.substitutes());
            }
            let protected = self.once(context.variables, guard.substitutes());
            let plain = self.once(self.request.context(&mut guard, 0)?.variables, guard.substitutes());
            match (protected, &plain) {
                (Ok(protected), Ok(plain)) if restored(&protected) == restored(plain) => return Ok(protected),
                (_, Err(_)) => return plain,
                _ => {}
            }
        }
        let context = self.request.context(&mut guard, 0)?;
        self.once(context.variables, guard.substitutes())
    }

    fn once(&self, variables: Vec<(String, Value)>, substitutes: &Substitutes) -> Result<Rendered, Failure> {
        let substitutes = Arc::new(substitutes.clone());
        let mut environment: Environment = environment::new(self.chat.clock, &substitutes);
        environment::add_watch(&mut environment, &self.template.tick, self.chat.deadline);
        environment.set_fuel(Some(environment::fuel(self.chat.request.len())));
        let template = environment.template_from_named_str("chat", &self.template.text)?;
        let special = self.chat.special.iter().map(|(name, spelling)| (Value::from(*name), Value::from(*spelling)));
        let given = variables.into_iter().map(|(name, value)| (Value::from(name), value));
        let text = template.render(Value::from_pairs(special.chain(given)))?;
        Ok(Rendered { text, substitutes: (*substitutes).clone() })
    }
}

fn restored(rendered: &Rendered) -> String {
    rendered.substitutes.restore(&rendered.text)
}
