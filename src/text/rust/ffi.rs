//! The functions of text.h.
//!
//! Everything runs on a thread with a large stack, because the engine recurses on values that a template can nest.
//! Whatever goes wrong becomes a status: panics are caught, and running out of memory is made to panic.

use std::alloc::{set_alloc_error_hook, Layout};
use std::any::Any;
use std::panic::{catch_unwind, panic_any, resume_unwind, set_hook, AssertUnwindSafe};
use std::ptr;
use std::slice;
use std::str;
use std::sync::Once;
use std::thread;
use std::time::{Duration, Instant};

use crate::budget::{self, Budget};
use crate::failure::Failure;
use crate::guard::Marker;
use crate::render::{render, Chat, Rendered};
use crate::strftime::Clock;

/// Address space, of which only what is used becomes memory.
const STACK_BYTES: usize = 256 << 20;

/// How long a rendering may take, and the memory that it may take besides what its request accounts for.
const LONGEST_TIME: Duration = Duration::from_millis(500);
const MOST_BYTES: usize = 256 << 20;

const OK: i32 = 0;
const ERROR_REQUEST: i32 = 1;
const ERROR_TEMPLATE: i32 = 2;
const ERROR_LIMIT: i32 = 3;
const ERROR_MEMORY: i32 = 4;
const ERROR_INTERNAL: i32 = 5;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Bytes {
    data: *const u8,
    length: usize,
}

impl Bytes {
    /// The caller's bytes, which stay as they are during the call.
    unsafe fn get<'a>(self) -> &'a [u8] {
        if self.length == 0 {
            &[]
        } else {
            unsafe { slice::from_raw_parts(self.data, self.length) }
        }
    }

    unsafe fn text<'a>(self, what: &str) -> Result<&'a str, Failure> {
        str::from_utf8(unsafe { self.get() })
            .map_err(|error| Failure::Template(format!("{what} is not UTF-8 at byte {}", error.valid_up_to())))
    }
}

#[repr(C)]
pub struct Variable {
    name: Bytes,
    value: Bytes,
}

#[repr(C)]
pub struct ChatInput {
    template_text: Bytes,
    tools_template_text: Bytes,
    request: Bytes,
    special: *const Variable,
    special_count: usize,
    now: i64,
    utc_offset: i32,
    marker: Option<unsafe extern "C" fn(*mut u8, *const u8, usize, *mut u8) -> i32>,
    marker_user: *mut u8,
    generation_tags: i32,
}

#[repr(C)]
pub struct Substitute {
    standing_in: u32,
    original: u32,
}

#[repr(C)]
pub struct Output {
    text: *mut u8,
    length: usize,
    substitutes: *mut Substitute,
    substitute_count: usize,
}

/// What the caller gave, used by one other thread while the caller waits for it.
struct Lent<T>(T);
unsafe impl<T> Send for Lent<T> {}

/// What a failed allocation panics with.
struct OutOfMemory;
struct OutOfBudget;

fn prepare_process() {
    static ONCE: Once = Once::new();
    // Both hooks belong to this copy of Rust's run-time library, which is inside libllm.
    ONCE.call_once(|| {
        set_hook(Box::new(|_| {}));
        set_alloc_error_hook(|_: Layout| {
            if budget::exceeded() {
                panic_any(OutOfBudget)
            }
            panic_any(OutOfMemory)
        });
    });
}

fn chat_of(input: &ChatInput, deadline: Instant) -> Result<Rendered, Failure> {
    let special = if input.special_count == 0 {
        &[]
    } else {
        unsafe { slice::from_raw_parts(input.special, input.special_count) }
    };
    let spelled = |variable: &Variable| unsafe {
        // A spelling that is not UTF-8 cannot be written by a template.
        Some((variable.name.text("a name").ok()?, variable.value.text("a token").ok()?))
    };
    let marker = input.marker.map(|mark| {
        move |text: &str, marks: &mut [u8]| -> Result<(), Failure> {
            let status = unsafe { mark(input.marker_user, text.as_ptr(), text.len(), marks.as_mut_ptr()) };
            if status == 0 {
                Ok(())
            } else {
                Err(Failure::Memory)
            }
        }
    });
    render(&Chat {
        template: unsafe { input.template_text.text("the template")? },
        tools_template: unsafe { input.tools_template_text.text("the template")? },
        request: unsafe { input.request.get() },
        special: special.iter().filter_map(spelled).collect(),
        clock: Clock { now: input.now, utc_offset: input.utc_offset },
        deadline,
        generation_tags: input.generation_tags != 0,
        marker: marker.as_ref().map(|marker| marker as &Marker),
    })
}

fn failure_of(panic: Box<dyn Any + Send>) -> Failure {
    if panic.is::<OutOfMemory>() {
        return Failure::Memory;
    }
    if panic.is::<OutOfBudget>() {
        return Failure::Limit("the template takes too long, or too much memory".to_string());
    }
    let text = panic.downcast_ref::<&str>().map(|text| text.to_string());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    Failure::Internal(text.unwrap_or_else(|| "an unknown panic".to_string()))
}

/// Runs on a thread of its own, to whose end it waits.
fn with_large_stack(input: Lent<&ChatInput>) -> Result<Rendered, Failure> {
    thread::scope(|scope| {
        let work = move || {
            let input = input;
            let deadline = Instant::now() + LONGEST_TIME;
            budget::begin(Budget { deadline, bytes: MOST_BYTES + 32 * input.0.request.length });
            chat_of(input.0, deadline)
        };
        let handle = thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work);
        handle.map_err(|_| Failure::Memory)?.join().unwrap_or_else(|panic| resume_unwind(panic))
    })
}

/// One line of at most so many bytes.
fn one_line(text: &str) -> String {
    const LONGEST: usize = 800;
    let line: String = text.chars().map(|character| if character.is_control() { ' ' } else { character }).collect();
    match line.char_indices().map(|(place, _)| place).find(|place| *place >= LONGEST) {
        Some(end) => format!("{}...", &line[..end]),
        None => line,
    }
}

fn give<T>(values: Vec<T>) -> (*mut T, usize) {
    let count = values.len();
    (Box::into_raw(values.into_boxed_slice()).cast(), count)
}

unsafe fn take_back<T>(data: *mut T, count: usize) {
    if !data.is_null() {
        drop(unsafe { Box::from_raw(ptr::slice_from_raw_parts_mut(data, count)) });
    }
}

fn write(output: &mut Output, rendered: Rendered) {
    let pairs = rendered.substitutes.pairs.iter();
    let substitutes = pairs
        .map(|(standing_in, original)| Substitute { standing_in: *standing_in as u32, original: *original as u32 });
    (output.substitutes, output.substitute_count) = give(substitutes.collect());
    (output.text, output.length) = give(rendered.text.into_bytes());
}

fn run(output: &mut Output, input: &ChatInput) -> i32 {
    prepare_process();
    let failure = match with_large_stack(Lent(input)) {
        Ok(rendered) => {
            write(output, rendered);
            return OK;
        }
        Err(failure) => failure,
    };
    tell(output, failure)
}

/// The status of a failure, and its text as the output.
fn tell(output: &mut Output, failure: Failure) -> i32 {
    let (status, text) = match failure {
        Failure::Request(text) => (ERROR_REQUEST, text),
        Failure::Template(text) => (ERROR_TEMPLATE, text),
        Failure::Limit(text) => (ERROR_LIMIT, text),
        Failure::Internal(text) => (ERROR_INTERNAL, text),
        Failure::Memory => return ERROR_MEMORY,
    };
    (output.text, output.length) = give(one_line(&text).into_bytes());
    status
}

/// # Safety
/// As text.h says: the pointers are valid during the call.
#[no_mangle]
pub unsafe extern "C" fn llmtext_render(output: *mut Output, input: *const ChatInput) -> i32 {
    let (output, input) = unsafe { (&mut *output, &*input) };
    *output = Output { text: ptr::null_mut(), length: 0, substitutes: ptr::null_mut(), substitute_count: 0 };
    let run_caught = |output: &mut Output| match catch_unwind(AssertUnwindSafe(|| run(output, input))) {
        Ok(status) => Ok(status),
        Err(panic) => Err(failure_of(panic)),
    };
    match run_caught(output) {
        Ok(status) => status,
        Err(failure) => tell(output, failure),
    }
}

/// # Safety
/// Of a result that llmtext_render() wrote, once.
#[no_mangle]
pub unsafe extern "C" fn llmtext_free(output: *mut Output) {
    let output = unsafe { &mut *output };
    unsafe {
        take_back(output.text, output.length);
        take_back(output.substitutes, output.substitute_count);
    }
    *output = Output { text: ptr::null_mut(), length: 0, substitutes: ptr::null_mut(), substitute_count: 0 };
}
