//! Store buffers: the stores of one thread that have been executed but have not reached memory. What the machine has
//! (`ordain-vm`'s module of the same name, which is the one to agree with), without what only the machine knows of values.

use crate::sys;

/// How stores reach memory. The numbers are those of plans.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MemoryModel {
    /// At once.
    Sc = 0,
    /// In order.
    Tso = 1,
    /// In order at each place only, but for releases and fences.
    Pso = 2,
}

impl MemoryModel {
    pub fn from_number(number: u32) -> Option<MemoryModel> {
        [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso].get(number as usize).copied()
    }
}

/// What an instruction asks of the buffer. The numbers are those that `ordain-instrument` puts into calls.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    Nothing = 0,
    /// What came before reaches memory before it.
    Release = 1,
    /// It reaches memory at once, and everything before it.
    SeqCst = 2,
}

impl Order {
    pub fn from_number(number: u32) -> Order {
        match number {
            1 => Order::Release,
            2 => Order::SeqCst,
            _ => Order::Nothing,
        }
    }
}

pub const MOST_BYTES: usize = 8;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BufferedStore {
    pub address: usize,
    pub size: usize,
    /// Little-endian; what is above the size is zero.
    pub value: u64,
    /// A release: everything earlier reaches memory before it.
    pub after_all: bool,
    /// How many fences that order stores came before it.
    fences: u32,
    /// What is in memory where the store is shown before it gets there.
    below: u64,
}

impl BufferedStore {
    pub fn new(address: usize, size: usize, value: u64, order: Order) -> BufferedStore {
        BufferedStore { address, size, value, after_all: order == Order::Release, fences: 0, below: 0 }
    }

    pub fn overlaps(&self, address: usize, size: usize) -> bool {
        self.address < address.saturating_add(size) && address < self.address.saturating_add(self.size)
    }
}

const FIRST_CAPACITY: usize = 128;

pub struct StoreBuffer {
    /// Oldest first. Memory of its own, which grows and is never given back: there are few of them.
    stores: *mut BufferedStore,
    len: usize,
    capacity: usize,
    fences: u32,
}

impl StoreBuffer {
    pub const fn new() -> Self {
        StoreBuffer { stores: core::ptr::null_mut(), len: 0, capacity: 0, fences: 0 }
    }

    pub fn stores(&self) -> &[BufferedStore] {
        if self.len == 0 {
            return &[];
        }
        // SAFETY: the first `len` are initialised.
        unsafe { core::slice::from_raw_parts(self.stores, self.len) }
    }

    /// `false` if there is no memory for it.
    pub fn push(&mut self, store: BufferedStore) -> bool {
        if self.len == self.capacity && !self.grow() {
            return false;
        }
        // SAFETY: below the capacity.
        unsafe { self.stores.add(self.len).write(BufferedStore { fences: self.fences, ..store }) };
        self.len += 1;
        true
    }

    fn grow(&mut self) -> bool {
        let _errno = sys::KeepErrno::new();
        let capacity = (2 * self.capacity).max(FIRST_CAPACITY);
        let bytes = capacity * size_of::<BufferedStore>();
        let Some(place) = sys::map_anonymous(bytes, sys::PROT_READ | sys::PROT_WRITE) else { return false };
        let stores = place as *mut BufferedStore;
        // SAFETY: fresh memory with room for more than there are.
        unsafe { stores.copy_from_nonoverlapping(self.stores, self.len) };
        (self.stores, self.capacity) = (stores, capacity);
        true
    }

    /// Shows the stores that `may` be, in memory, to what cannot look into the buffer, as long as nobody else runs.
    ///
    /// # Safety
    /// Those stores can be made.
    pub unsafe fn show(&mut self, may: impl Fn(&BufferedStore) -> bool) {
        for nth in 0..self.len {
            let store = self.stores()[nth];
            if may(&store) {
                // SAFETY: the caller's promise; `nth` is below the length.
                unsafe {
                    (*self.stores.add(nth)).below = read(store.address, store.size);
                    write(store.address, store.size, store.value);
                }
            }
        }
    }

    /// Takes back what `show` did, but for bytes that have changed since.
    ///
    /// # Safety
    /// As for `show`, with the same stores.
    pub unsafe fn hide(&mut self, may: impl Fn(&BufferedStore) -> bool) {
        for store in self.stores().iter().rev().filter(|store| may(store)) {
            let (shown, below) = (store.value.to_le_bytes(), store.below.to_le_bytes());
            for at in 0..store.size {
                // SAFETY: the caller's promise.
                unsafe {
                    if read(store.address + at, 1) == shown[at].into() {
                        write(store.address + at, 1, below[at].into());
                    }
                }
            }
        }
    }

    /// Orders the stores so far before all later ones.
    pub fn fence(&mut self) {
        if self.len > 0 {
            self.fences += 1;
        }
    }

    /// Takes out the `nth` store, which must exist.
    pub fn take(&mut self, nth: usize) -> BufferedStore {
        let store = self.stores()[nth];
        // SAFETY: `nth` is below the length, or the line above would have failed.
        unsafe { self.stores.add(nth).copy_from(self.stores.add(nth + 1), self.len - nth - 1) };
        self.len -= 1;
        if self.len == 0 {
            self.fences = 0;
        }
        store
    }

    /// Whether the `nth` store may reach memory now.
    pub fn may_commit(&self, memory: MemoryModel, nth: usize) -> bool {
        let Some(store) = self.stores().get(nth) else { return false };
        match memory {
            MemoryModel::Sc | MemoryModel::Tso => nth == 0,
            MemoryModel::Pso => self.stores()[..nth].iter().all(|earlier| {
                !store.after_all && earlier.fences == store.fences && !earlier.overlaps(store.address, store.size)
            }),
        }
    }

    /// What the own thread sees at `address`, where memory has `value`: the newest store to each byte.
    pub fn forward(&self, address: usize, size: usize, value: u64) -> u64 {
        let mut bytes = value.to_le_bytes();
        for store in self.stores().iter().filter(|s| s.overlaps(address, size)) {
            let stored = store.value.to_le_bytes();
            for (i, byte) in bytes.iter_mut().enumerate().take(size) {
                let at = (address + i).wrapping_sub(store.address);
                if at < store.size {
                    *byte = stored[at];
                }
            }
        }
        u64::from_le_bytes(bytes)
    }
}

/// What memory has at `address`.
///
/// # Safety
/// At most eight bytes that can be read, or a fault that somebody deals with.
pub unsafe fn read(address: usize, size: usize) -> u64 {
    // SAFETY: the caller's promise. In one go: others may read and write there.
    unsafe {
        match size {
            1 => (address as *const u8).read_volatile().into(),
            2 if address.is_multiple_of(2) => (address as *const u16).read_volatile().into(),
            4 if address.is_multiple_of(4) => (address as *const u32).read_volatile().into(),
            8 if address.is_multiple_of(8) => (address as *const u64).read_volatile(),
            _ => {
                let mut bytes = [0; MOST_BYTES];
                for (i, byte) in bytes.iter_mut().enumerate().take(size) {
                    *byte = (address as *const u8).add(i).read_volatile();
                }
                u64::from_le_bytes(bytes)
            }
        }
    }
}

/// Writes the lowest bytes of a value.
///
/// # Safety
/// At most eight bytes that can be written, or a fault that somebody deals with.
pub unsafe fn write(address: usize, size: usize, value: u64) {
    // SAFETY: the caller's promise; as in `read`.
    unsafe {
        match size {
            1 => (address as *mut u8).write_volatile(value as u8),
            2 if address.is_multiple_of(2) => (address as *mut u16).write_volatile(value as u16),
            4 if address.is_multiple_of(4) => (address as *mut u32).write_volatile(value as u32),
            8 if address.is_multiple_of(8) => (address as *mut u64).write_volatile(value),
            _ => {
                for (i, byte) in value.to_le_bytes().into_iter().enumerate().take(size) {
                    (address as *mut u8).add(i).write_volatile(byte);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn buffer(stores: &[(usize, usize, u64, Order)]) -> StoreBuffer {
        let mut buffer = StoreBuffer::new();
        for &(address, size, value, order) in stores {
            assert!(buffer.push(BufferedStore::new(address, size, value, order)));
        }
        buffer
    }

    fn committable(buffer: &StoreBuffer, memory: MemoryModel) -> Vec<usize> {
        (0..buffer.stores().len()).filter(|&n| buffer.may_commit(memory, n)).collect()
    }

    #[test]
    fn tso_is_first_in_first_out() {
        let buffer = buffer(&[(0x10, 4, 1, Order::Nothing), (0x20, 4, 2, Order::Nothing)]);
        assert_eq!(committable(&buffer, MemoryModel::Tso), [0]);
        assert_eq!(committable(&buffer, MemoryModel::Pso), [0, 1]);
    }

    #[test]
    fn pso_keeps_overlapping_stores_releases_and_fences_in_order() {
        let mut buffer = buffer(&[
            (0x10, 4, 1, Order::Nothing),
            (0x12, 1, 2, Order::Nothing),
            (0x20, 4, 3, Order::Release),
            (0x30, 4, 4, Order::Nothing),
        ]);
        buffer.fence();
        buffer.push(BufferedStore::new(0x40, 4, 5, Order::Nothing));
        assert_eq!(committable(&buffer, MemoryModel::Pso), [0, 3]);
    }

    #[test]
    fn forwarding_takes_the_newest_store_of_each_byte() {
        let buffer = buffer(&[(0x10, 4, 0x1111_1111, Order::Nothing), (0x11, 1, 0x22, Order::Nothing)]);
        assert_eq!(buffer.forward(0x10, 4, 0), 0x1111_2211);
        assert_eq!(buffer.forward(0x0e, 4, 0xabcd), 0x2211_abcd);
    }

    #[test]
    fn grows_and_is_taken_from_anywhere() {
        let mut buffer = StoreBuffer::new();
        for i in 0..1000 {
            assert!(buffer.push(BufferedStore::new(0x10 * i, 8, i as u64, Order::Nothing)));
        }
        assert_eq!(buffer.take(500).value, 500);
        assert_eq!((buffer.take(500).value, buffer.take(0).value, buffer.stores().len()), (501, 0, 997));
    }

    #[test]
    fn stores_are_shown_and_hidden_but_not_what_was_written_between() {
        let mut bytes = *b"abcdef";
        let at = bytes.as_mut_ptr() as usize;
        let (first, second) = (u64::from(u16::from_le_bytes(*b"12")), u64::from(u16::from_le_bytes(*b"34")));
        let mut buffer = buffer(&[(at, 2, first, Order::Nothing), (at + 1, 2, second, Order::Nothing)]);
        let seen = || [0, 1, 2, 3].map(|i| u8::try_from(unsafe { read(at + i, 1) }).unwrap());
        // SAFETY: within the array.
        unsafe {
            buffer.show(|_| true);
            assert_eq!(&seen(), b"134d");
            write(at + 2, 1, b'X'.into());
            buffer.hide(|_| true);
            assert_eq!(&seen(), b"abXd");
        }
    }

    #[test]
    fn memory_is_read_and_written_at_any_address() {
        let mut bytes = [0u8; 16];
        let at = bytes.as_mut_ptr() as usize;
        for (offset, size) in [(0, 8), (1, 8), (3, 4), (5, 2), (7, 1), (2, 6)] {
            // SAFETY: within the array.
            unsafe {
                write(at + offset, size, 0x0807_0605_0403_0201);
                assert_eq!(read(at + offset, size), 0x0807_0605_0403_0201 & (u64::MAX >> (64 - 8 * size)));
            }
        }
    }
}
