//! Chat templates for libllm: renders a conversation, given as JSON, with a Jinja template the way the Python library
//! Transformers does. `ffi` is what C++ calls; `render` has the order of events; the other modules hold one thing each.

#![feature(alloc_error_hook)]

mod budget;
mod environment;
mod failure;
mod ffi;
mod filters;
mod guard;
mod json;
mod methods;
mod python;
mod render;
mod request;
mod source;
mod strftime;

pub use failure::Failure;
pub use render::{render, Chat, Rendered};
pub use strftime::Clock;
