//! A request: the JSON text that holds the conversation, as the variables of a template.

use minijinja::Value;
use serde_json::{Map, Value as Json};

use crate::failure::Failure;
use crate::guard::{Guard, CONTROL};

/// Keys of a request that are not variables of their own.
const MESSAGES: &str = "messages";
const VARIABLES: &str = "variables";

pub struct Request {
    fields: Map<String, Json>,
}

/// The variables, and whether something in what the assistant said was protected.
pub struct Context {
    pub variables: Vec<(String, Value)>,
    pub assistant_protected: bool,
}

impl Request {
    pub fn parse(text: &[u8]) -> Result<Request, Failure> {
        let json: Json = serde_json::from_slice(text).map_err(|error| Failure::Request(error.to_string()))?;
        let Json::Object(fields) = json else {
            return Err(Failure::Request("it is not a JSON object".to_string()));
        };
        match fields.get(MESSAGES) {
            Some(Json::Array(messages)) => {
                if let Some(index) = messages.iter().position(|message| !message.is_object()) {
                    return Err(Failure::Request(format!("messages[{index}] is not an object")));
                }
            }
            Some(_) => return Err(Failure::Request("'messages' is not an array".to_string())),
            None => return Err(Failure::Request("it has no 'messages'".to_string())),
        }
        if fields.get(VARIABLES).is_some_and(|variables| !variables.is_object()) {
            return Err(Failure::Request("'variables' is not an object".to_string()));
        }
        Ok(Request { fields })
    }

    pub fn has_tools(&self) -> bool {
        self.fields.get("tools").is_some_and(|tools| !tools.is_null())
    }

    /// Calls back with every text of the request.
    pub fn each_text(&self, call: &mut dyn FnMut(&str)) {
        for (key, value) in &self.fields {
            call(key);
            each_text(value, call);
        }
    }

    /// `said`: the kinds of control tokens that the assistant's own words are protected from.
    pub fn context(&self, guard: &mut Guard, said: u8) -> Result<Context, Failure> {
        let mut builder = Builder { guard, said, assistant_protected: false };
        let mut variables = vec![
            ("tools".to_string(), Value::from(())),
            ("documents".to_string(), Value::from(())),
            ("add_generation_prompt".to_string(), Value::from(true)),
        ];
        for (key, value) in &self.fields {
            match (key.as_str(), value) {
                (MESSAGES, Json::Array(messages)) => {
                    let messages = messages.iter().map(|message| builder.message(message));
                    variables.push((key.clone(), messages.collect::<Result<Vec<Value>, Failure>>()?.into()));
                }
                (VARIABLES, Json::Object(fields)) => {
                    for (key, value) in fields {
                        variables.push((key.clone(), builder.variable(key, value)?));
                    }
                }
                _ => variables.push((key.clone(), builder.variable(key, value)?)),
            }
        }
        Ok(Context { variables, assistant_protected: builder.assistant_protected })
    }
}

fn each_text(value: &Json, call: &mut dyn FnMut(&str)) {
    match value {
        Json::String(text) => call(text),
        Json::Array(items) => items.iter().for_each(|item| each_text(item, call)),
        Json::Object(fields) => fields.iter().for_each(|(key, item)| {
            call(key);
            each_text(item, call);
        }),
        _ => {}
    }
}

struct Builder<'a, 'b> {
    guard: &'a mut Guard<'b>,
    said: u8,
    assistant_protected: bool,
}

impl Builder<'_, '_> {
    /// A message's role is the program's word: templates make control tokens of it. What the assistant said may hold
    /// tokens that a template looks for, such as the end of its thinking.
    fn message(&mut self, message: &Json) -> Result<Value, Failure> {
        let Json::Object(fields) = message else {
            return self.value(message, CONTROL);
        };
        let role = fields.get("role").and_then(Json::as_str);
        let from_assistant = matches!(role, Some("assistant" | "model"));
        let mut out = Vec::with_capacity(fields.len());
        for (key, value) in fields {
            let value = match key.as_str() {
                "role" => self.value(value, 0)?,
                "content" if from_assistant => self.value(value, self.said)?,
                _ => self.value(value, CONTROL)?,
            };
            out.push((Value::from(key.as_str()), value));
        }
        Ok(Value::from_pairs(out))
    }

    /// A variable such as `bos_token` is there to be a control token.
    fn variable(&mut self, key: &str, value: &Json) -> Result<Value, Failure> {
        self.value(value, if key.ends_with("_token") { 0 } else { CONTROL })
    }

    fn value(&mut self, value: &Json, kinds: u8) -> Result<Value, Failure> {
        Ok(match value {
            Json::Null => Value::from(()),
            Json::Bool(value) => Value::from(*value),
            Json::Number(number) => parse_number(number.as_str()),
            Json::String(text) => Value::from(self.text(text, kinds)?),
            Json::Array(items) => {
                items.iter().map(|item| self.value(item, kinds)).collect::<Result<Vec<Value>, Failure>>()?.into()
            }
            Json::Object(fields) => {
                let mut out = Vec::with_capacity(fields.len());
                for (key, value) in fields {
                    // Templates know keys by name.
                    let is_name = key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
                    let key = if is_name { key.clone() } else { self.text(key, kinds)? };
                    out.push((Value::from(key), self.value(value, kinds)?));
                }
                Value::from_pairs(out)
            }
        })
    }

    fn text(&mut self, text: &str, kinds: u8) -> Result<String, Failure> {
        let (text, changed) = self.guard.protect(text, kinds)?;
        self.assistant_protected |= changed && kinds == self.said && kinds != 0;
        Ok(text)
    }
}

fn parse_number(text: &str) -> Value {
    if let Ok(number) = text.parse::<i64>() {
        return Value::from(number);
    }
    if let Ok(number) = text.parse::<i128>() {
        return Value::from(number);
    }
    Value::from(text.parse::<f64>().unwrap_or(f64::NAN))
}
