//! Builds small programs by hand: functions from lists of instructions, one source line per instruction.

use ordain_ir::facts::Facts;
use ordain_ir::program::*;

pub struct Builder {
    program: Program,
}

/// Where the first global lies; the others follow, 64 bytes apart.
pub const GLOBALS: u64 = 0x1_0000;
const FUNCTIONS: u64 = 0x8000;

/// The address of the `n`th global.
pub fn global(n: u64) -> Operand {
    Operand::Imm(GLOBALS + 64 * n)
}

pub fn reg(n: u32) -> Operand {
    Operand::Reg(Reg(n))
}

pub fn imm(value: u64) -> Operand {
    Operand::Imm(value)
}

pub fn load(dst: u32, addr: Operand) -> Inst {
    Inst::Load { dst: Reg(dst), addr, size: 4, order: None, point: true }
}

pub fn store(value: Operand, addr: Operand) -> Inst {
    Inst::Store { value, addr, size: 4, order: None, point: true }
}

pub fn store_atomic(value: Operand, addr: Operand, order: Ordering) -> Inst {
    Inst::Store { value, addr, size: 4, order: Some(order), point: true }
}

pub fn load_atomic(dst: u32, addr: Operand, order: Ordering) -> Inst {
    Inst::Load { dst: Reg(dst), addr, size: 4, order: Some(order), point: true }
}

pub fn call(builtin: Builtin, args: &[Operand], dsts: &[u32]) -> Inst {
    let dsts = dsts.iter().map(|d| Reg(*d)).collect();
    Inst::Call { callee: Callee::Builtin(builtin), args: args.into(), dsts }
}

pub fn ret() -> Inst {
    Inst::Ret { values: Box::new([]) }
}

impl Builder {
    /// `globals` zeroed globals of 8 bytes, named g0, g1, ….
    pub fn new(globals: u64) -> Self {
        let global = |n| Global {
            name: format!("g{n}"),
            address: GLOBALS + 64 * n,
            init: vec![0; 8],
            constant: false,
            location: LocId(0),
        };
        Builder {
            program: Program {
                build: BuildHash([0; 32]),
                functions: Vec::new(),
                globals: (0..globals).map(global).collect(),
                beyond: Vec::new(),
                start: FuncId(0),
                files: vec![String::new(), "test.c".to_owned()],
                locations: vec![Location { file: 0, line: 0, column: 0 }],
                names: Vec::new(),
            },
        }
    }

    /// The address of the function that is the `n`th to be added.
    pub fn function_address(n: u64) -> Operand {
        Operand::Imm(FUNCTIONS + 16 * n)
    }

    /// Adds a function with `registers` registers of 64 bits. Each slice is a block. Lines are `line`, `line` + 1, ….
    pub fn function(&mut self, line: u32, registers: usize, blocks: &[Vec<Inst>]) -> FuncId {
        let id = FuncId(self.program.functions.len() as u32);
        let (mut code, mut ranges) = (Vec::new(), Vec::new());
        for block in blocks {
            let start = Pc(code.len() as u32);
            code.extend(block.iter().cloned());
            ranges.push(Block { start, end: Pc(code.len() as u32) });
        }
        let first = self.program.locations.len() as u32;
        let lines = (0..code.len() as u32).map(|i| Location { file: 1, line: line + i, column: 1 });
        self.program.locations.extend(lines);
        self.program.functions.push(Function {
            name: format!("f{}", id.0),
            address: FUNCTIONS + 16 * id.0 as u64,
            params: if registers > 0 { vec![Reg(0)] } else { Vec::new() },
            registers: vec![64; registers],
            locations: (0..code.len() as u32).map(|i| LocId(first + i)).collect(),
            code,
            blocks: ranges,
            model: false,
            location: LocId(0),
        });
        id
    }

    pub fn start(mut self, main: FuncId) -> (Program, Facts) {
        self.program.start = main;
        let facts = Facts::new(&self.program);
        (self.program, facts)
    }
}

/// Creates the threads with these function numbers (their ids go to globals 8, 9, …), joins them, runs `after`, exits.
pub fn main_with(threads: &[u64], after: Vec<Inst>) -> Vec<Inst> {
    let mut code = Vec::new();
    for (n, function) in threads.iter().enumerate() {
        let args = [global(8 + n as u64), imm(0), Builder::function_address(*function), imm(0)];
        code.push(call(Builtin::ThreadCreate, &args, &[]));
    }
    for n in 0..threads.len() {
        let id = global(8 + n as u64);
        code.push(Inst::Load { dst: Reg(0), addr: id, size: 8, order: None, point: true });
        code.push(call(Builtin::ThreadJoin, &[reg(0), imm(0)], &[]));
    }
    code.extend(after);
    code.push(call(Builtin::Exit, &[imm(0)], &[]));
    code.push(Inst::Unreachable);
    code
}
