//! Objects with a memory of their own, for heap and escaping stack variables.
//!
//! Every object has its own pages, with its end as near to their end as its alignment permits and an inaccessible page
//! behind; freed objects become inaccessible and are never used again. Accesses that `ordain-instrument` sees are
//! checked against the table of objects before they happen (`verdict`), byte by byte; those in native libraries hit
//! the inaccessible pages, and `signals` asks the same table what the address means.

use crate::failure::Kind;
use crate::globals;
use crate::lock::Lock;
use crate::point::fail;
use crate::report;
use crate::sys;
use core::ffi::c_void;

const PAGE: usize = 4096;
/// Address space for all objects of a run; only what is touched takes memory.
const ARENA_BYTES: usize = 1 << 36;
const PAGES: usize = ARENA_BYTES / PAGE;
/// An object takes at least two pages.
const MAX_OBJECTS: usize = PAGES / 2;
/// The kernel limits how many pieces an address space may have: beyond so many living objects there are no
/// inaccessible pages between them, and only the checks remain.
const MAX_GUARDED: usize = 10_000;

#[derive(Clone, Copy)]
pub struct Object {
    pub base: usize,
    pub size: usize,
    state: State,
    guarded: bool,
    pub region: Region,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Region {
    Heap,
    /// With the stack object of the same thread that was made before it.
    Stack {
        below: ObjectId,
    },
    /// With the address of the variable's initial value, and the copy that the same thread made before it.
    ThreadLocal {
        template: usize,
        before: ObjectId,
    },
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Alive,
    Freed,
}

/// Index into the table of objects; 0 is none.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
pub struct ObjectId(pub u32);

impl ObjectId {
    pub const NONE: ObjectId = ObjectId(0);
}

pub struct Arena {
    start: usize,
    /// Which object a page belongs to (with the inaccessible page behind it).
    page_object: *mut ObjectId,
    objects: *mut Object,
    next_page: usize,
    next_object: u32,
    guarded: usize,
}

// SAFETY: the tables belong to this value alone, which is only reached through its lock.
unsafe impl Send for Arena {}

pub static ARENA: Lock<Arena> = Lock::new(Arena {
    start: 0,
    page_object: core::ptr::null_mut(),
    objects: core::ptr::null_mut(),
    next_page: 0,
    next_object: 1,
    guarded: 0,
});

/// Reserves the address space.
pub fn start() {
    let table = sys::PROT_READ | sys::PROT_WRITE;
    let (Some(start), Some(pages), Some(objects)) = (
        sys::map_anonymous(ARENA_BYTES, sys::PROT_NONE),
        sys::map_anonymous(PAGES * size_of::<ObjectId>(), table),
        sys::map_anonymous(MAX_OBJECTS * size_of::<Object>(), table),
    ) else {
        report::error("no address space for the program's objects")
    };
    let mut arena = ARENA.lock();
    arena.start = start;
    arena.page_object = pages as *mut ObjectId;
    arena.objects = objects as *mut Object;
}

/// As in the machine: how many accesses a library function makes depends on alignment.
const OBJECT_ALIGNMENT: usize = 16;

impl Arena {
    /// A new object, zeroed.
    pub fn allocate(&mut self, region: Region, size: usize, align: usize) -> (ObjectId, usize) {
        let room = size.checked_next_multiple_of(align.max(OBJECT_ALIGNMENT)).filter(|&room| room < ARENA_BYTES);
        let Some(room) = room else { report::error("an allocation is larger than the runtime's address space") };
        let pages = room.div_ceil(PAGE).max(1);
        // Alignments above a page's are not needed: the front ends know no such types.
        if self.next_page + pages + 1 > PAGES || self.next_object as usize >= MAX_OBJECTS {
            report::error("the runtime's address space for objects is used up");
        }
        let id = ObjectId(self.next_object);
        let first = self.next_page;
        self.next_object += 1;
        self.next_page += pages + 1;
        let guarded = self.guarded < MAX_GUARDED;
        self.guarded += usize::from(guarded);
        let end = self.start + (first + pages) * PAGE;
        let base = end - room;
        let open = pages + usize::from(!guarded);
        protect(self.start + first * PAGE, open * PAGE, sys::PROT_READ | sys::PROT_WRITE);
        // SAFETY: page and object numbers were checked against the sizes of the tables above.
        unsafe {
            for page in first..first + pages + 1 {
                *self.page_object.add(page) = id;
            }
            *self.objects.add(id.0 as usize) = Object { base, size, state: State::Alive, guarded, region };
        }
        (id, base)
    }

    /// Marks the object as freed, and makes its pages inaccessible.
    pub fn free(&mut self, id: ObjectId) {
        // SAFETY: object ids come from `allocate` only.
        let object = unsafe { &mut *self.objects.add(id.0 as usize) };
        object.state = State::Freed;
        if object.guarded {
            self.guarded -= 1;
            let first = object.base.saturating_sub(usize::from(object.size == 0)) & !(PAGE - 1);
            let end = (object.base + object.size).next_multiple_of(PAGE);
            protect(first, end - first, sys::PROT_NONE);
            // SAFETY: the pages are this object's, and nobody can read them any more.
            unsafe { sys::madvise(first as *mut c_void, end - first, sys::MADV_DONTNEED) };
        }
    }

    pub fn object(&self, id: ObjectId) -> Object {
        // SAFETY: object ids come from `allocate` only.
        unsafe { *self.objects.add(id.0 as usize) }
    }

    /// The object whose pages `address` lies in.
    fn near(&self, address: usize) -> Option<ObjectId> {
        let page = address.checked_sub(self.start)? / PAGE;
        if page >= PAGES {
            return None;
        }
        // SAFETY: the page number is below the size of the table.
        Some(unsafe { *self.page_object.add(page) })
    }

    /// The object that starts at `address`: what `free` may be given. Else what is wrong with it.
    pub fn to_free(&self, address: usize) -> Result<ObjectId, Kind> {
        match self.near(address) {
            Some(ObjectId::NONE) | None => Err(Kind::Bounds),
            Some(id) if self.object(id).base != address || self.object(id).region != Region::Heap => Err(Kind::Bounds),
            Some(id) if self.object(id).state == State::Freed => Err(Kind::DoubleFree),
            Some(id) => Ok(id),
        }
    }

    fn verdict(&self, address: usize, size: usize) -> Option<Kind> {
        let object = match self.near(address) {
            None => return globals::verdict(address, size),
            Some(ObjectId::NONE) => return Some(Kind::Bounds),
            Some(id) => self.object(id),
        };
        let contains = |bytes| address >= object.base && object.base + object.size >= address + bytes;
        match object.state {
            State::Alive if contains(size) => None,
            // A pointer one past the end still belongs to the object.
            State::Freed if contains(0) => Some(Kind::UseAfterFree),
            _ => Some(Kind::Bounds),
        }
    }
}

fn protect(at: usize, len: usize, prot: i32) {
    // SAFETY: only ever called for pages inside of the arena.
    if unsafe { sys::mprotect(at as *mut c_void, len, prot) } != 0 {
        report::error("the system has no memory for the program's objects");
    }
}

/// What is wrong with accessing `size` bytes at `address`, as far as the tables know.
pub fn verdict(address: usize, size: usize) -> Option<Kind> {
    match size {
        0 => None,
        _ if address < PAGE => Some(Kind::Null),
        _ => ARENA.lock().verdict(address, size),
    }
}

/// What a fault at `address` means.
pub fn fault_kind(address: usize) -> Kind {
    verdict(address, 1).unwrap_or(Kind::Bounds)
}

/// Thread `me`, at its point, is about to access `size` bytes at `address`: a failure if it must not.
pub fn check(me: usize, address: usize, size: usize) {
    if let Some(kind) = verdict(address, size) {
        fail(me, kind);
    }
}

/// Puts `value` where it stays for ever.
pub fn leak<T>(value: T) -> *mut T {
    let Some(at) = sys::map_anonymous(size_of::<T>(), sys::PROT_READ | sys::PROT_WRITE) else {
        report::error("no memory for a thread")
    };
    let at = at as *mut T;
    // SAFETY: fresh memory of at least that size, aligned to a page.
    unsafe { at.write(value) };
    at
}
