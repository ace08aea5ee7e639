//! From the modules of a program to its canonical bitcode.
//!
//! Canonical bitcode is one module: the program linked with Ordain's models of library functions, local variables in
//! registers where nobody can see the difference, every access of a size that the machine can make in one go, points
//! marked. It is what a build is identified by, and what both the machine and native binaries are made from. Nothing here
//! removes, merges, moves or invents an access to memory that another thread could see; what has to be split is split
//! here and not later, so that both sides count the same points.

mod accesses;
mod assembly;
mod bits;
mod blocks;
mod division;
mod fields;
mod labels;
mod models;
mod names;
mod promote;
mod startup;
mod storage;
mod symbols;
mod thunks;
mod undefined;
mod variadic;

pub(crate) use models::MODEL;
pub use models::modelled_functions;

use crate::error::Refusal;
use crate::llvm::{Context, Module};
use crate::points;

/// One file of the program: what to call it, and its contents (bitcode or textual IR).
pub(crate) struct Input<'a> {
    pub label: &'a str,
    pub bytes: &'a [u8],
}

pub(crate) fn make(inputs: &[Input]) -> Result<Module, Refusal> {
    let module = link(inputs)?;
    // Paths of the user's files must not take part in the hash of the build.
    module.set_source_name("program");
    names::prepare(module);
    assembly::rewrite(module);
    models::link(module)?;
    symbols::resolve_aliases(module);
    symbols::resolve_missing(module);
    labels::rewrite(module);
    variadic::rewrite(module);
    thunks::introduce(module);
    startup::rewrite(module);
    promote::copy_by_value_parameters(module);
    fields::freeze(module);
    promote::promote_locals(module).map_err(Refusal::Internal)?;
    blocks::rewrite(module);
    bits::rewrite(module);
    division::rewrite(module);
    storage::split(module);
    accesses::split(module);
    module.run_passes(c"globaldce").map_err(Refusal::Internal)?;
    points::mark(module);
    module.verify().map_err(Refusal::Internal)?;
    Ok(module)
}

fn link(inputs: &[Input]) -> Result<Module, Refusal> {
    let context = Context::new();
    let mut whole: Option<Module> = None;
    for input in inputs {
        let module = parse(context, input)?;
        verify(module, input.label)?;
        match whole {
            None => whole = Some(module),
            Some(whole) => {
                whole.link(module).map_err(|reason| Refusal::DoesNotLink { file: input.label.into(), reason })?
            }
        }
    }
    whole.ok_or_else(|| Refusal::Internal("no module to read".into()))
}

fn parse(context: Context, input: &Input) -> Result<Module, Refusal> {
    let failed = |reason| Refusal::NotBitcode { file: input.label.into(), reason };
    if input.bytes.is_empty() {
        // To LLVM this is textual IR with nothing in it.
        return Err(failed("the file is empty".into()));
    }
    context.parse(input.label, input.bytes).map_err(failed)
}

fn verify(module: Module, label: &str) -> Result<(), Refusal> {
    module.verify().map_err(|reason| Refusal::NotBitcode { file: label.into(), reason })
}
