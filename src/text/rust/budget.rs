//! The allocator of this copy of Rust's run-time library: that of the system, with a limit on memory and time.
//!
//! The engine has limits on what a template does, but none on what it takes to read one, and its steps differ in what
//! they cost. Nearly all of them allocate, so this is where a rendering that takes too much can be stopped: an
//! allocation fails, which unwinds (see ffi.rs).

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
#[cfg(target_os = "linux")]
use std::ffi::{c_int, c_long};
use std::time::{Duration, Instant};

#[derive(Clone, Copy)]
pub struct Budget {
    pub deadline: Instant,
    pub bytes: usize,
}

struct Account {
    budget: Cell<Option<Budget>>,
    bytes: Cell<usize>,
    calls: Cell<u32>,
    exceeded: Cell<bool>,
}

thread_local! {
    // Without a destructor, so that it may be used at any time of a thread's life.
    static ACCOUNT: Account = const {
        Account { budget: Cell::new(None), bytes: Cell::new(0), calls: Cell::new(0), exceeded: Cell::new(false) }
    };
}

/// Limits what the current thread may take from now on.
pub fn begin(budget: Budget) {
    ACCOUNT.with(|account| account.budget.set(Some(budget)));
}

/// Whether the current thread wanted more than it may take. It is not limited any more, so that it can clean up.
pub fn exceeded() -> bool {
    ACCOUNT.with(|account| account.exceeded.get())
}

/// A thread that has had less time of a processor than this was not slow, but kept waiting.
const SHORTEST_WORK: Duration = Duration::from_millis(100);

pub fn is_over(deadline: Instant) -> bool {
    Instant::now() >= deadline && processor_time() >= SHORTEST_WORK
}

/// That the current thread has had, which is a young one.
#[cfg(target_os = "linux")]
fn processor_time() -> Duration {
    #[repr(C)]
    struct Time {
        seconds: c_long,
        nanoseconds: c_long,
    }
    extern "C" {
        fn clock_gettime(clock: c_int, time: *mut Time) -> c_int;
    }
    const OF_THREAD: c_int = 3;
    let mut time = Time { seconds: 0, nanoseconds: 0 };
    if unsafe { clock_gettime(OF_THREAD, &mut time) } != 0 {
        return SHORTEST_WORK;
    }
    Duration::new(time.seconds as u64, time.nanoseconds as u32)
}

#[cfg(not(target_os = "linux"))]
fn processor_time() -> Duration {
    SHORTEST_WORK
}

const LOOK_AT_CLOCK_EVERY: u32 = 64;
const LARGE: usize = 1 << 16;

fn allows(size: usize) -> bool {
    ACCOUNT.with(|account| {
        let Some(budget) = account.budget.get() else {
            return true;
        };
        account.bytes.set(account.bytes.get().saturating_add(size));
        account.calls.set(account.calls.get().wrapping_add(1));
        let looks = size >= LARGE || account.calls.get() % LOOK_AT_CLOCK_EVERY == 0;
        if account.bytes.get() <= budget.bytes && !(looks && is_over(budget.deadline)) {
            return true;
        }
        account.budget.set(None);
        account.exceeded.set(true);
        false
    })
}

fn give_back(size: usize) {
    ACCOUNT.with(|account| account.bytes.set(account.bytes.get().saturating_sub(size)));
}

struct Limited;

#[global_allocator]
static ALLOCATOR: Limited = Limited;

unsafe impl GlobalAlloc for Limited {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if allows(layout.size()) {
            unsafe { System.alloc(layout) }
        } else {
            std::ptr::null_mut()
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if allows(layout.size()) {
            unsafe { System.alloc_zeroed(layout) }
        } else {
            std::ptr::null_mut()
        }
    }

    unsafe fn realloc(&self, data: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if !allows(size) {
            return std::ptr::null_mut();
        }
        give_back(layout.size());
        unsafe { System.realloc(data, layout, size) }
    }

    unsafe fn dealloc(&self, data: *mut u8, layout: Layout) {
        give_back(layout.size());
        unsafe { System.dealloc(data, layout) }
    }
}
