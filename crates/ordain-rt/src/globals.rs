//! The program's global variables: where they are, so that running over the end of one is noticed.
//!
//! `ordain-instrument` lays globals apart and emits their table. Everything between two of them is no object.

use crate::failure::Kind;
use crate::lock::Lock;

/// How far behind the last global an access still counts as running over its end.
const TAIL_BYTES: usize = 64;

#[derive(Clone, Copy)]
#[repr(C)]
pub struct Global {
    address: usize,
    size: usize,
}

static GLOBALS: Lock<&'static [Global]> = Lock::new(&[]);

/// Takes over the table, and sorts it: only the linker knows the order.
pub fn start(table: &'static mut [Global]) {
    table.sort_unstable_by_key(|g| g.address);
    *GLOBALS.lock() = table;
}

/// What is wrong with accessing `size` bytes at `address`. Memory far from all globals (argument strings, stacks) is fine.
pub fn verdict(address: usize, size: usize) -> Option<Kind> {
    verdict_in(&GLOBALS.lock(), address, size)
}

fn verdict_in(globals: &[Global], address: usize, size: usize) -> Option<Kind> {
    let above = globals.partition_point(|g| g.address <= address);
    let below = globals.get(above.checked_sub(1)?)?;
    let offset = address - below.address;
    let inside = offset < below.size && size <= below.size - offset;
    let near = above < globals.len() || offset < below.size + TAIL_BYTES;
    (near && !inside).then_some(Kind::Bounds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_lies_between_globals_is_out_of_bounds() {
        let globals = [Global { address: 1000, size: 8 }, Global { address: 1072, size: 4 }];
        let verdict = |address, size| verdict_in(&globals, address, size);
        assert_eq!((verdict(1000, 8), verdict(1004, 4), verdict(1072, 4)), (None, None, None));
        assert_eq!((verdict(1004, 8), verdict(1008, 1)), (Some(Kind::Bounds), Some(Kind::Bounds)));
        assert_eq!((verdict(1076, 1), verdict(5000, 1), verdict(10, 1)), (Some(Kind::Bounds), None, None));
    }
}
