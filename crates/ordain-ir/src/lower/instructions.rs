//! The instructions that are not calls.

use super::constants::Step;
use super::function::{Body, NotUnderstood};
use crate::llvm::{AtomicOrdering, Opcode, Value};
use crate::points;
use crate::program::{Inst, Operand, Ordering};
use crate::shape;
use ordain_expr::op::{BinOp, CastOp, Width};

impl Body<'_> {
    pub(super) fn lower_instruction(&mut self, i: Value) -> Result<(), NotUnderstood> {
        match i.opcode() {
            // Defined before all else; filled on the edges.
            Opcode::LLVMPHI => Ok(()),
            Opcode::LLVMGetElementPtr => self.element_pointer(i),
            Opcode::LLVMExtractValue => self.extract(i),
            Opcode::LLVMInsertValue => self.insert(i),
            Opcode::LLVMAlloca => self.alloca(i),
            Opcode::LLVMLoad => self.load(i),
            Opcode::LLVMStore => self.store(i),
            Opcode::LLVMAtomicRMW => self.read_modify_write(i),
            Opcode::LLVMAtomicCmpXchg => self.compare_exchange(i),
            Opcode::LLVMFence => {
                let order = atomic_order(i.ordering()).unwrap_or(Ordering::SeqCst);
                self.emit(Inst::Fence { order });
                Ok(())
            }
            Opcode::LLVMCall | Opcode::LLVMInvoke => self.call(i),
            Opcode::LLVMBr => self.branch(i),
            Opcode::LLVMSwitch => self.switch(i),
            Opcode::LLVMRet => self.ret(i),
            Opcode::LLVMUnreachable => {
                self.emit(Inst::Unreachable);
                Ok(())
            }
            Opcode::LLVMExtractElement => self.extract_element(i),
            Opcode::LLVMInsertElement => self.insert_element(i),
            Opcode::LLVMShuffleVector => self.shuffle(i),
            opcode => match self.arithmetic(i, opcode) {
                Some(result) => result,
                None => Err(describe(opcode)),
            },
        }
    }

    /// One address, or (from vectors of pointers or indices) several.
    fn element_pointer(&mut self, i: Value) -> Result<(), NotUnderstood> {
        let mut offset = 0u64;
        let mut operands = vec![i.operand(0)];
        let mut scales = Vec::new();
        for step in self.lowering.gep_steps(i) {
            match step {
                Step::Bytes(bytes) => offset = offset.wrapping_add(bytes),
                Step::Scaled { index, scale } => {
                    let width = shape::scalar_width(shape::lanes(index.ty()).0).ok_or("a wide index")?;
                    operands.push(index);
                    scales.push((width, scale));
                }
            }
        }
        self.each_lane(i, &operands, |body, row| {
            let (mut address, indices) = (row[0][0], &row[1..]);
            for (index, &(width, scale)) in indices.iter().zip(&scales) {
                let scaled = body.scaled_index(index[0], width, scale);
                address = body.add_address(address, scaled);
            }
            if offset != 0 {
                address = body.add_address(address, Operand::Imm(offset));
            }
            Ok(vec![address])
        })
    }

    fn scaled_index(&mut self, index: Operand, width: Width, scale: u64) -> Operand {
        let mut index = index;
        if width < 64 {
            let a = index;
            index = self.compute(64, |dst| Inst::Cast { op: CastOp::SExt, from: width, to: 64, dst, a });
        }
        if scale == 1 {
            return index;
        }
        let (a, b) = (index, Operand::Imm(scale));
        self.compute(64, |dst| Inst::Bin { op: BinOp::Mul, width: 64, dst, a, b })
    }

    fn add_address(&mut self, a: Operand, b: Operand) -> Operand {
        if let (Operand::Imm(a), Operand::Imm(b)) = (a, b) {
            return Operand::Imm(self.lowering.constants.offset(a, b));
        }
        self.compute(64, |dst| Inst::Bin { op: BinOp::Add, width: 64, dst, a, b })
    }

    fn extract(&mut self, i: Value) -> Result<(), NotUnderstood> {
        let operands = self.operands(i.operand(0))?;
        let (first, count) = self.leaf_range(i.operand(0), &i.indices())?;
        self.set(i, operands[first..first + count].to_vec());
        Ok(())
    }

    fn insert(&mut self, i: Value) -> Result<(), NotUnderstood> {
        let mut operands = self.operands(i.operand(0))?;
        let (first, count) = self.leaf_range(i.operand(0), &i.indices())?;
        let part = self.operands(i.operand(1))?;
        operands.splice(first..first + count, part);
        self.set(i, operands);
        Ok(())
    }

    /// Which leaves of an aggregate the element at `indices` has.
    fn leaf_range(&self, aggregate: Value, indices: &[u32]) -> Result<(usize, usize), NotUnderstood> {
        let layout = self.lowering.layout;
        let count = |ty| shape::leaves(layout, ty).map(|leaves| leaves.len()).ok_or("a wide aggregate");
        let mut ty = aggregate.ty();
        let mut first = 0;
        for &index in indices {
            if ty.kind() == crate::llvm::TypeKind::LLVMStructTypeKind {
                let fields = ty.fields();
                for field in &fields[..index as usize] {
                    first += count(*field)?;
                }
                ty = fields[index as usize];
            } else {
                ty = ty.element();
                first += index as usize * count(ty)?;
            }
        }
        Ok((first, count(ty)?))
    }

    fn alloca(&mut self, i: Value) -> Result<(), NotUnderstood> {
        let element = self.lowering.layout.size(i.allocated_type());
        let count = self.operand(i.operand(0))?;
        let width = self.width(i.operand(0))?;
        let size = match count {
            Operand::Imm(count) => Operand::Imm(count.saturating_mul(element)),
            count => {
                let a = match width {
                    64 => count,
                    from => self.compute(64, |dst| Inst::Cast { op: CastOp::ZExt, from, to: 64, dst, a: count }),
                };
                let b = Operand::Imm(element);
                self.compute(64, |dst| Inst::Bin { op: BinOp::Mul, width: 64, dst, a, b })
            }
        };
        let name = self.slot_names.get(&i).copied();
        let dst = self.define_scalar(i)?;
        self.emit(Inst::Alloca { dst, size, align: i.alignment().max(1), name, escapes: points::escapes(i) });
        Ok(())
    }

    fn access_size(&self, value: Value) -> Result<u8, NotUnderstood> {
        shape::access_size(self.lowering.layout, value.ty())
            .ok_or_else(|| format!("an access to memory of type {}", value.ty()))
    }

    fn load(&mut self, i: Value) -> Result<(), NotUnderstood> {
        let size = self.access_size(i)?;
        let addr = self.operand(i.operand(0))?;
        let point = points::is_marked(self.lowering.context, i);
        let dst = self.define_scalar(i)?;
        self.emit(Inst::Load { dst, addr, size, order: atomic_order(i.ordering()), point });
        Ok(())
    }

    fn store(&mut self, i: Value) -> Result<(), NotUnderstood> {
        let size = self.access_size(i.operand(0))?;
        let (value, addr) = (self.operand(i.operand(0))?, self.operand(i.operand(1))?);
        let point = points::is_marked(self.lowering.context, i);
        self.emit(Inst::Store { value, addr, size, order: atomic_order(i.ordering()), point });
        Ok(())
    }

    fn read_modify_write(&mut self, i: Value) -> Result<(), NotUnderstood> {
        let op = points::rmw_operation(i.rmw_operation()).ok_or("an atomic operation on floating-point numbers")?;
        let size = self.access_size(i)?;
        let (addr, value) = (self.operand(i.operand(0))?, self.operand(i.operand(1))?);
        let order = atomic_order(i.ordering()).unwrap_or(Ordering::SeqCst);
        let dst = self.define_scalar(i)?;
        self.emit(Inst::Rmw { op, dst, addr, value, size, order });
        Ok(())
    }

    fn compare_exchange(&mut self, i: Value) -> Result<(), NotUnderstood> {
        let size = self.access_size(i.operand(1))?;
        let addr = self.operand(i.operand(0))?;
        let (expected, new) = (self.operand(i.operand(1))?, self.operand(i.operand(2))?);
        let success = atomic_order(i.success_ordering()).unwrap_or(Ordering::SeqCst);
        let failure = atomic_order(i.failure_ordering()).unwrap_or(Ordering::SeqCst);
        let [dst, ok] = self.define(i)[..] else { return Err("a compare-and-swap of an unknown shape".into()) };
        self.emit(Inst::CmpXchg { dst, ok, addr, expected, new, size, success, failure, weak: i.is_weak_exchange() });
        Ok(())
    }

    fn branch(&mut self, i: Value) -> Result<(), NotUnderstood> {
        let from = i.parent();
        let successors = i.successors();
        if !i.is_conditional() {
            self.jump(from, successors[0]);
            return Ok(());
        }
        let cond = self.operand(i.condition())?;
        let then = self.target(from, successors[0]);
        let other = self.target(from, successors[1]);
        self.emit(Inst::CondBr { cond, then, other });
        Ok(())
    }

    fn switch(&mut self, i: Value) -> Result<(), NotUnderstood> {
        let from = i.parent();
        let successors = i.successors();
        let width = self.width(i.operand(0))?;
        let value = self.operand(i.operand(0))?;
        let mut cases = Vec::new();
        for (nth, to) in successors.iter().enumerate().skip(1) {
            let case = i.case_value(nth as u32).as_int().ok_or("a switch on wide integers")?;
            cases.push((case, self.target(from, *to)));
        }
        let default = self.target(from, successors[0]);
        self.emit(Inst::Switch { value, width, cases: cases.into(), default });
        Ok(())
    }

    fn ret(&mut self, i: Value) -> Result<(), NotUnderstood> {
        let values = match i.operands().first() {
            Some(value) => self.operands(*value)?,
            None => Vec::new(),
        };
        self.emit(Inst::Ret { values: values.into() });
        Ok(())
    }
}

fn atomic_order(order: AtomicOrdering) -> Option<Ordering> {
    match order {
        AtomicOrdering::LLVMAtomicOrderingNotAtomic => None,
        AtomicOrdering::LLVMAtomicOrderingUnordered | AtomicOrdering::LLVMAtomicOrderingMonotonic => {
            Some(Ordering::Relaxed)
        }
        AtomicOrdering::LLVMAtomicOrderingAcquire => Some(Ordering::Acquire),
        AtomicOrdering::LLVMAtomicOrderingRelease => Some(Ordering::Release),
        AtomicOrdering::LLVMAtomicOrderingAcquireRelease => Some(Ordering::AcqRel),
        AtomicOrdering::LLVMAtomicOrderingSequentiallyConsistent => Some(Ordering::SeqCst),
    }
}

/// An instruction that is not understood, for people.
fn describe(opcode: Opcode) -> NotUnderstood {
    match opcode {
        Opcode::LLVMVAArg => "a variadic argument".into(),
        Opcode::LLVMIndirectBr => "a computed goto".into(),
        Opcode::LLVMLandingPad | Opcode::LLVMResume => "an exception".into(),
        other => format!("the LLVM instruction {}", format!("{other:?}").trim_start_matches("LLVM")),
    }
}
