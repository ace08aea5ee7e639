//! Addresses and values as a reader of the source would name them.

use ordain_ir::program::{Inst, Program};
use ordain_model::memory::{AddressBook, AllocationKind, AllocationName, ObjectInfo, ObjectOrigin};

#[derive(Clone, Copy)]
pub struct Namer<'a> {
    pub program: &'a Program,
    pub book: &'a AddressBook,
}

impl Namer<'_> {
    /// The variable or heap object at `address`, with the offset in bytes if it is not its start.
    pub fn place(&self, address: u64) -> String {
        match self.book.find(address) {
            Some(object) => match address - object.base {
                0 => self.object(&object),
                offset => format!("{}+{offset}", self.object(&object)),
            },
            None => format!("{address:#x}"),
        }
    }

    /// A value of `size` bytes: a pointer by what it points to, everything else as a number.
    pub fn value(&self, value: u64, size: u8) -> String {
        if size == 8 {
            if let Some(function) = self.program.function_at(value) {
                return format!("&{}", self.program.function(function).name);
            }
            if self.book.find(value).is_some() {
                return format!("&{}", self.place(value));
            }
        }
        signed(value, size).to_string()
    }

    fn object(&self, object: &ObjectInfo) -> String {
        match &object.origin {
            ObjectOrigin::Global(id) => self.program.globals[id.index()].name.clone(),
            ObjectOrigin::Allocation(name) => self.allocation(name),
        }
    }

    fn allocation(&self, name: &AllocationName) -> String {
        let function = self.program.function(name.function);
        let line = self.program.location(name.function, name.pc).line;
        match (&function.code[name.pc.index()], name.kind) {
            (Inst::Alloca { name: Some(variable), .. }, _) => self.program.names[variable.index()].clone(),
            (_, AllocationKind::ThreadLocal(id)) => self.program.globals[id.index()].name.clone(),
            (_, AllocationKind::Stack) => format!("local of {}", function.name),
            // A model of a library function has no line that the reader knows.
            (_, AllocationKind::Heap) if function.model || line == 0 => format!("heap[{}]", name.nth),
            (_, AllocationKind::Heap) if name.nth == 0 => format!("heap@{line}"),
            (_, AllocationKind::Heap) => format!("heap@{line}[{}]", name.nth),
        }
    }
}

/// The low `size` bytes of `value` as a signed number.
fn signed(value: u64, size: u8) -> i64 {
    let unused_bits = 64 - 8 * u32::from(size.clamp(1, 8));
    ((value << unused_bits) as i64) >> unused_bits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_shown_with_the_sign_of_their_size() {
        assert_eq!(signed(0xff, 1), -1);
        assert_eq!(signed(0xff, 2), 255);
        assert_eq!(signed(u64::MAX, 8), -1);
    }
}
