//! From canonical bitcode to `Program`.
//!
//! One marked LLVM instruction becomes exactly one instruction that `is_point`; what takes several accesses was split
//! before (see `canonical`). What is not understood (integers of more than 128 bits, most assembly…) becomes a
//! call of something unknown, so that only a program that gets there is refused.

mod arithmetic;
mod calls;
mod classes;
mod constants;
mod debug;
mod edges;
mod floats;
mod function;
mod instructions;
mod intrinsics;
mod lanes;
mod origins;
pub(crate) mod start;
mod wide;

use crate::canonical::MODEL;
use crate::error::Refusal;
use crate::llvm::{Context, Layout, Module, Value};
use crate::program::{BuildHash, FuncId, Function, Global, LocId, NameId, Program};
use debug::Locations;
use origins::Origins;
use start::Surroundings;
use std::collections::{HashMap, HashSet};

/// Large enough not to be mistaken for numbers that programs compute with.
const FIRST_GLOBAL: u64 = 0x8_0000_0000;
const LAST_GLOBAL: u64 = 0xf_ffff_ffff;
/// Running over the end of a global must not end up in another.
const GLOBAL_GAP: u64 = 4096;
const FIRST_FUNCTION: u64 = 0x4000_0000;
const FUNCTION_STEP: u64 = 16;

/// What is known while a module is lowered.
struct Lowering {
    context: Context,
    layout: Layout,
    functions: HashMap<Value, FuncId>,
    /// Of globals and functions, also of those that are only declared.
    addresses: HashMap<Value, u64>,
    constants: Origins,
    /// Variables that are declared and nowhere defined.
    missing: HashSet<Value>,
    locations: Locations,
    names: Vec<String>,
    name_ids: HashMap<String, NameId>,
}

pub(crate) fn lower(module: Module, build: BuildHash, surroundings: &Surroundings) -> Result<Program, Refusal> {
    let main = module.function("main").filter(|f| !f.is_declaration()).ok_or(Refusal::NoMain)?;
    let mut lowering = Lowering {
        context: module.context(),
        layout: module.layout(),
        functions: HashMap::new(),
        addresses: HashMap::new(),
        constants: Origins::default(),
        missing: HashSet::new(),
        locations: Locations::new(),
        names: Vec::new(),
        name_ids: HashMap::new(),
    };
    let defined: Vec<Value> = module.functions().into_iter().filter(|f| !f.is_declaration()).collect();
    lowering.place_functions(module, &defined);
    // LLVM's own tables are no memory of the program.
    let globals: Vec<Value> = module.globals().into_iter().filter(|g| !g.name().starts_with("llvm.")).collect();
    let next_address = lowering.place_globals(&globals)?;
    let mut functions = Vec::new();
    for function in &defined {
        functions.push(lowering.function(*function)?);
    }
    let mut program_globals = Vec::new();
    for global in globals {
        program_globals.push(lowering.global(global)?);
    }
    let main = lowering.functions[&main];
    let start = start::function(&functions[main.index()], main, surroundings, next_address, &mut program_globals)?;
    let start_id = FuncId(functions.len() as u32);
    let address = FIRST_FUNCTION + FUNCTION_STEP * functions.len() as u64;
    functions.push(Function { address, ..start });
    let (files, locations) = lowering.locations.finish();
    let beyond = lowering.constants.beyond();
    let (globals, start, names) = (program_globals, start_id, lowering.names);
    Ok(Program { build, functions, globals, beyond, start, files, locations, names })
}

impl Lowering {
    fn place_functions(&mut self, module: Module, defined: &[Value]) {
        for (i, function) in defined.iter().enumerate() {
            self.functions.insert(*function, FuncId(i as u32));
            let address = FIRST_FUNCTION + FUNCTION_STEP * i as u64;
            self.addresses.insert(*function, address);
            self.constants.place(address, 0);
        }
        // One place is left for the start function.
        let mut next = FIRST_FUNCTION + FUNCTION_STEP * (defined.len() as u64 + 1);
        for function in module.functions().into_iter().filter(|f| f.is_declaration()) {
            self.addresses.insert(function, next);
            next += FUNCTION_STEP;
        }
    }

    /// Gives every global its address; returns the first address after them.
    fn place_globals(&mut self, globals: &[Value]) -> Result<u64, Refusal> {
        let mut next = FIRST_GLOBAL;
        for global in globals {
            let ty = global.value_type();
            let size = if ty.is_sized() { self.layout.size(ty) } else { 0 };
            let align = u64::from(global.alignment()).max(16);
            let address = next.next_multiple_of(align);
            next = (address + size).saturating_add(GLOBAL_GAP.max(size));
            if next > LAST_GLOBAL {
                let name = global.name();
                return Err(Refusal::Unsupported(format!("more than 32 GB of global variables (`{name}`)")));
            }
            self.addresses.insert(*global, address);
            self.constants.place(address, size);
            if global.is_declaration() {
                self.missing.insert(*global);
            }
        }
        Ok(next)
    }

    fn global(&mut self, global: Value) -> Result<Global, Refusal> {
        let variable = global.global_variable(self.context);
        let location = variable.as_ref().and_then(|v| v.place.as_ref()).map(|place| self.locations.intern(place));
        let name = variable.map_or_else(|| global.name(), |v| v.name);
        let init = match global.initializer() {
            Some(initializer) => self
                .bytes(initializer)
                .map_err(|what| Refusal::Unsupported(format!("{what} in the initial value of `{name}`")))?,
            None => Vec::new(),
        };
        let constant = global.is_constant_global();
        let address = self.addresses[&global];
        Ok(Global { name, address, init, constant, location: location.unwrap_or(LocId(0)) })
    }

    fn name(&mut self, name: &str) -> NameId {
        if let Some(id) = self.name_ids.get(name) {
            return *id;
        }
        let id = NameId(self.names.len() as u32);
        self.names.push(name.to_owned());
        self.name_ids.insert(name.to_owned(), id);
        id
    }

    fn is_model(function: Value) -> bool {
        function.has_attribute(MODEL)
    }
}
