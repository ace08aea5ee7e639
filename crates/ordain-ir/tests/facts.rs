//! Control-flow facts of functions written by hand.

use ordain_ir::facts::FunctionFacts;
use ordain_ir::program::{Block, BlockId, Function, Inst, LocId, Operand, Pc, Reg};

/// A function whose blocks are given as lists of instructions.
fn function(registers: usize, blocks: Vec<Vec<Inst>>) -> Function {
    let mut code = Vec::new();
    let mut ranges = Vec::new();
    for block in blocks {
        let start = Pc(code.len() as u32);
        code.extend(block);
        ranges.push(Block { start, end: Pc(code.len() as u32) });
    }
    Function {
        name: "f".into(),
        address: 0x4000_0000,
        params: vec![Reg(0)],
        registers: vec![32; registers],
        locations: vec![LocId(0); code.len()],
        code,
        blocks: ranges,
        model: false,
        location: LocId(0),
    }
}

fn br(to: u32) -> Inst {
    Inst::Br { to: BlockId(to) }
}

fn cond(r: u32, then: u32, other: u32) -> Inst {
    Inst::CondBr { cond: Operand::Reg(Reg(r)), then: BlockId(then), other: BlockId(other) }
}

fn copy(dst: u32, src: Operand) -> Inst {
    Inst::Copy { dst: Reg(dst), src }
}

fn ret(r: u32) -> Inst {
    Inst::Ret { values: Box::new([Operand::Reg(Reg(r))]) }
}

fn b(n: u32) -> BlockId {
    BlockId(n)
}

#[test]
fn a_diamond_meets_at_its_join() {
    let f = function(
        2,
        vec![
            vec![cond(0, 1, 2)],
            vec![copy(1, Operand::Imm(1)), br(3)],
            vec![copy(1, Operand::Reg(Reg(0))), br(3)],
            vec![ret(1)],
        ],
    );
    let facts = FunctionFacts::new(&f);
    assert_eq!(facts.successors(b(0)), [b(1), b(2)]);
    assert_eq!(facts.predecessors(b(3)), [b(1), b(2)]);
    assert_eq!(facts.immediate_postdominator(b(0)), Some(b(3)));
    assert_eq!(facts.immediate_postdominator(b(1)), Some(b(3)));
    assert_eq!(facts.immediate_postdominator(b(3)), None);
    assert_eq!(facts.immediate_dominator(b(3)), Some(b(0)));
    assert_eq!(facts.immediate_dominator(b(0)), None);
    assert_eq!(facts.live_in(b(0)), [Reg(0)]);
    assert_eq!(facts.live_in(b(1)), []);
    assert_eq!(facts.live_in(b(2)), [Reg(0)]);
    assert_eq!(facts.live_in(b(3)), [Reg(1)]);
    assert!((0..4).all(|n| !facts.is_loop_header(b(n))));
    assert_eq!(facts.block_of(Pc(0)), b(0));
    assert_eq!(facts.block_of(Pc(2)), b(1));
    assert_eq!(facts.block_of(Pc(5)), b(3));
}

#[test]
fn a_loop_has_one_header_and_keeps_its_registers_alive() {
    // 0 -> 1; 1 -> 2 | 3; 2 -> 1; register 1 lives through the loop.
    let f = function(
        3,
        vec![
            vec![copy(1, Operand::Imm(7)), br(1)],
            vec![cond(0, 2, 3)],
            vec![copy(2, Operand::Reg(Reg(1))), br(1)],
            vec![ret(1)],
        ],
    );
    let facts = FunctionFacts::new(&f);
    let headers: Vec<bool> = (0..4).map(|n| facts.is_loop_header(b(n))).collect();
    assert_eq!(headers, [false, true, false, false]);
    assert_eq!(facts.immediate_postdominator(b(1)), Some(b(3)));
    assert_eq!(facts.immediate_postdominator(b(2)), Some(b(1)));
    assert_eq!(facts.immediate_dominator(b(2)), Some(b(1)));
    assert_eq!(facts.live_in(b(1)), [Reg(0), Reg(1)]);
}

#[test]
fn an_endless_loop_is_no_way_to_a_meeting_point() {
    // 0 -> 1 | 2; 1 -> 1 for ever; 2 returns.
    let f = function(1, vec![vec![cond(0, 1, 2)], vec![br(1)], vec![ret(0)]]);
    let facts = FunctionFacts::new(&f);
    assert_eq!(facts.immediate_postdominator(b(0)), None);
    assert_eq!(facts.immediate_postdominator(b(1)), None);
    assert!(facts.is_loop_header(b(1)));
}

#[test]
fn every_cycle_has_a_header_even_with_two_entries() {
    // 0 -> 1 | 2; 1 -> 2; 2 -> 1 | 3.
    let f = function(1, vec![vec![cond(0, 1, 2)], vec![br(2)], vec![cond(0, 1, 3)], vec![ret(0)]]);
    let facts = FunctionFacts::new(&f);
    assert!(facts.is_loop_header(b(1)) || facts.is_loop_header(b(2)));
}

#[test]
fn unreachable_blocks_are_harmless() {
    let f = function(1, vec![vec![ret(0)], vec![br(0)]]);
    let facts = FunctionFacts::new(&f);
    assert_eq!(facts.immediate_dominator(b(1)), None);
    assert_eq!(facts.immediate_postdominator(b(1)), Some(b(0)));
}

#[test]
fn a_switch_names_each_target_once() {
    let switch = Inst::Switch {
        value: Operand::Reg(Reg(0)),
        width: 32,
        cases: Box::new([(1, b(1)), (2, b(1)), (3, b(2))]),
        default: b(2),
    };
    let f = function(1, vec![vec![switch], vec![ret(0)], vec![ret(0)]]);
    let facts = FunctionFacts::new(&f);
    assert_eq!(facts.successors(b(0)), [b(1), b(2)]);
    assert_eq!(facts.predecessors(b(1)), [b(0)]);
    assert_eq!(facts.immediate_postdominator(b(0)), None);
}
