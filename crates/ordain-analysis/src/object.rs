//! Memory, as far as it is told apart.

use ordain_ir::program::{FuncId, Pc, Program};
use rustc_hash::{FxHashMap, FxHashSet};

/// All memory that comes from one place: a variable, or whatever one instruction allocates.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub(crate) struct ObjectId(pub u32);

/// Everything that is beyond the program: what functions without a model have, and can get at.
pub(crate) const OUTSIDE: ObjectId = ObjectId(0);

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Kind {
    Outside,
    /// By its address.
    Global(u64),
    Function(FuncId),
    /// The copies of a thread-local variable, by the address of its initial value.
    ThreadLocal(u64),
    /// What the instruction allocates, on the heap or on the stack.
    Allocated(FuncId, Pc),
}

/// Where in an object: at so many bytes, or anywhere. Far from the beginning is anywhere.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub(crate) struct Offset(u32);

impl Offset {
    pub const ANY: Offset = Offset(u32::MAX);
    const MOST: i64 = 8192;

    pub fn at(bytes: i64) -> Offset {
        if (0..Offset::MOST).contains(&bytes) { Offset(bytes as u32) } else { Offset::ANY }
    }

    pub fn plus(self, bytes: i64) -> Offset {
        if self == Offset::ANY { self } else { Offset::at(i64::from(self.0) + bytes) }
    }

    /// How many bytes, if that is known.
    pub fn bytes(self) -> Option<u32> {
        (self != Offset::ANY).then_some(self.0)
    }
}

/// What a pointer may point to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub(crate) struct Target {
    pub object: ObjectId,
    pub offset: Offset,
}

/// The objects of a program, and what numbers mean as addresses.
pub(crate) struct Objects {
    kinds: Vec<Kind>,
    ids: FxHashMap<Kind, ObjectId>,
    /// Addresses and sizes of globals, in their order.
    extents: Vec<(u64, u64)>,
    functions: FxHashMap<u64, FuncId>,
    beyond: FxHashMap<u64, Vec<u64>>,
}

impl Objects {
    pub fn new(program: &Program) -> Objects {
        let mut extents: Vec<(u64, u64)> = program.globals.iter().map(|g| (g.address, g.init.len() as u64)).collect();
        extents.sort_unstable();
        let functions = (0..).map(FuncId).zip(&program.functions).map(|(id, f)| (f.address, id)).collect();
        let mut beyond: FxHashMap<u64, Vec<u64>> = FxHashMap::default();
        for &(value, from) in &program.beyond {
            beyond.entry(value).or_default().push(from);
        }
        let mut objects = Objects { kinds: Vec::new(), ids: FxHashMap::default(), extents, functions, beyond };
        objects.id(Kind::Outside);
        objects
    }

    pub fn id(&mut self, kind: Kind) -> ObjectId {
        if let Some(&id) = self.ids.get(&kind) {
            return id;
        }
        let id = ObjectId(self.kinds.len() as u32);
        self.kinds.push(kind);
        self.ids.insert(kind, id);
        id
    }

    pub fn kind(&self, id: ObjectId) -> Kind {
        self.kinds[id.0 as usize]
    }

    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    /// What a constant may point to. The end of a variable belongs to it.
    pub fn targets(&mut self, value: u64) -> Vec<Target> {
        let mut found = Vec::new();
        let after = self.extents.partition_point(|(address, _)| *address <= value);
        if let Some(&(address, size)) = after.checked_sub(1).and_then(|nth| self.extents.get(nth))
            && value - address <= size
        {
            let object = self.id(Kind::Global(address));
            found.push(Target { object, offset: Offset::at((value - address) as i64) });
        }
        if let Some(&function) = self.functions.get(&value) {
            found.push(Target { object: self.id(Kind::Function(function)), offset: Offset::at(0) });
        }
        for from in self.beyond.get(&value).cloned().unwrap_or_default() {
            let kind = self.functions.get(&from).map_or(Kind::Global(from), |&f| Kind::Function(f));
            found.push(Target { object: self.id(kind), offset: Offset::ANY });
        }
        found
    }

    /// Numbers of four bytes that mean an address.
    pub fn short(&self) -> FxHashSet<u64> {
        self.beyond.keys().copied().filter(|&value| value <= u64::from(u32::MAX)).collect()
    }
}
