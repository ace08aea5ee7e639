//! What memory can hold: where all that is ever written to a location is a few constants, copied around or computed from each other,
//! a read returns one of them.
//!
//! That follows from the rest of the encoding, but only by going back from read to write to read; of a queue's pointers, all
//! the way to its beginning. Here it is found out once, by going forward until nothing new comes (conditions are not looked at), and said
//! of every read. Bits that all the values have in common are constants in the solver: what is computed from them, such
//! as a remainder by a size that is never changed, or whether a pointer is outside of its object, mostly comes to nothing.
//!
//! A symbol whose reads do not take place may have any value, so nothing is lost by giving it one of these.

use super::Encoding;
use crate::event::EventId;
use crate::faults::{Fault, seeded};
use crate::forest::{Contents, Forest};
use ordain_expr::{Node, SymbolId, Term};
use ordain_solve::order::{Lit, OrderSolver};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::rc::Rc;

/// More values than this are as good as any.
const MOST: usize = 32;
/// Combinations of operands that are tried.
const MOST_COMBINATIONS: usize = 256;
/// Values that reads are told one by one; of more, only what they have in common.
const MOST_LISTED: usize = 12;
/// Addresses are told apart by this many of their lowest bits, at most.
const MOST_LOW_BITS: u32 = 6;

/// The values that something can have; `None`: any.
type Set = Option<Rc<BTreeSet<u64>>>;

/// Locations of an object that nothing tells apart.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
struct Slot {
    object: u64,
    /// Of the addresses, modulo a power of two if that is not all of them.
    residue: u64,
    size: u8,
}

pub(super) struct Values {
    /// Of what events read.
    symbols: FxHashMap<SymbolId, Rc<BTreeSet<u64>>>,
}

struct Analysis<'f> {
    forest: &'f Forest,
    slots: FxHashMap<EventId, Slot>,
    sets: FxHashMap<Slot, Set>,
}

impl Values {
    pub fn of(forest: &Forest) -> Values {
        let mut analysis = Analysis { forest, slots: FxHashMap::default(), sets: FxHashMap::default() };
        analysis.choose_slots();
        while analysis.spread() {}
        let symbols = forest.bound_symbols().filter_map(|s| Some((s, analysis.of_symbol(s)?)));
        Values { symbols: symbols.collect() }
    }
}

impl Analysis<'_> {
    /// Gives every access a slot, as far as no two slots overlap. What has none may be anything.
    fn choose_slots(&mut self) {
        let mut accesses: FxHashMap<u64, Vec<(EventId, Term, u8)>> = FxHashMap::default();
        for e in self.forest.event_ids() {
            if let Some((address, size)) = self.forest.event(e).kind.access() {
                accesses.entry(address.object).or_default().push((e, address.term, size));
            }
        }
        for (object, accesses) in accesses {
            let known = accesses.iter().map(|&(_, address, _)| self.low_bits(address));
            let bits = known.min().unwrap_or(u64::BITS);
            let modulus = 1u64.checked_shl(bits);
            let slot_of = |address: Term, size: u8| {
                let (_, ones) = self.forest.terms.known_bits(address);
                Slot { object, residue: modulus.map_or(ones, |m| ones & (m - 1)), size }
            };
            let mut slots: Vec<Slot> = accesses.iter().map(|&(_, address, size)| slot_of(address, size)).collect();
            slots.sort();
            slots.dedup();
            let is_alone = |slot: &Slot| {
                let end = slot.residue + u64::from(slot.size);
                let overlaps = |other: &Slot| {
                    other != slot && other.residue < end && slot.residue < other.residue + u64::from(other.size)
                };
                seeded(Fault::OverlapNotSeen) || !slots.iter().any(overlaps)
            };
            let wraps = |slot: &Slot| modulus.is_some_and(|m| slot.residue + u64::from(slot.size) > m);
            if slots.iter().any(wraps) {
                // What goes beyond the modulus overlaps with what comes after.
                continue;
            }
            for slot in slots.iter().filter(|slot| is_alone(slot)) {
                self.sets.insert(*slot, self.initially(*slot, modulus));
            }
            for &(e, address, size) in &accesses {
                let slot = slot_of(address, size);
                if self.sets.contains_key(&slot) {
                    self.slots.insert(e, slot);
                }
            }
        }
    }

    /// How many of the lowest bits of an address are known: all of a constant's.
    fn low_bits(&self, address: Term) -> u32 {
        if self.forest.terms.as_const(address).is_some() {
            return u64::BITS;
        }
        let (zeros, ones) = self.forest.terms.known_bits(address);
        (zeros | ones).trailing_ones().min(MOST_LOW_BITS)
    }

    fn initially(&self, slot: Slot, modulus: Option<u64>) -> Set {
        let object = &self.forest.objects[&slot.object];
        if object.contents == Contents::Zero {
            return set([0]);
        }
        let last = slot.object + (object.size).checked_sub(u64::from(slot.size))?;
        let (first, step) = match modulus {
            None => (slot.residue, u64::MAX),
            Some(m) => (slot.object + (slot.residue.wrapping_sub(slot.object) & (m - 1)), m),
        };
        let addresses = std::iter::successors(Some(first), |a| a.checked_add(step)).take_while(|&a| a <= last);
        let mut values = BTreeSet::new();
        for address in addresses {
            let from = (address - slot.object) as usize;
            values.insert(object.contents.number(from, slot.size)?);
            if values.len() > MOST {
                return None;
            }
        }
        // Nothing fits there: nothing is read there either.
        (!values.is_empty()).then(|| Rc::new(values))
    }

    /// Adds what is written, as far as is known by now; says whether that is anything new.
    fn spread(&mut self) -> bool {
        let mut terms: FxHashMap<Term, Set> = FxHashMap::default();
        let mut changed = false;
        for e in self.forest.event_ids() {
            let Some(written) = self.forest.event(e).kind.written() else { continue };
            let Some(&slot) = self.slots.get(&e) else { continue };
            let Some(Some(before)) = self.sets.get(&slot).cloned() else { continue };
            let now = match self.of_term(&mut terms, written) {
                Some(new) if new.is_subset(&before) => continue,
                Some(_) if seeded(Fault::ValueNotCounted) && before.len() > 1 => continue,
                Some(new) => limited(new.union(&before).copied()),
                None => None,
            };
            self.sets.insert(slot, now);
            changed = true;
        }
        changed
    }

    /// A symbol has what any of its reads can return, or what it stands for.
    fn of_symbol(&self, s: SymbolId) -> Set {
        let mut all = BTreeSet::new();
        for s in self.forest.origins(s) {
            for e in self.forest.bound_by.get(&s)? {
                let set = self.sets.get(self.slots.get(e)?)?.as_ref()?;
                all.extend(set.iter().copied());
            }
        }
        limited(all.into_iter())
    }

    fn of_term(&self, known: &mut FxHashMap<Term, Set>, t: Term) -> Set {
        for part in self.forest.terms.cone_until(&[t], |t| known.contains_key(&t)) {
            let set = match self.forest.terms.node(part) {
                Node::Const(value) => set([value]),
                Node::Symbol(s) => self.of_symbol(s),
                Node::Ite { then, otherwise, .. } => match (&known[&then], &known[&otherwise]) {
                    (Some(a), Some(b)) => limited(a.union(b).copied()),
                    _ => None,
                },
                node => {
                    let operands: Vec<Term> = node.operands().collect();
                    self.of_operation(known, part, &operands)
                }
            };
            // A truth value is one of two.
            let set = if self.forest.terms.width(part) == 1 { set.or_else(|| self::set([0, 1])) } else { set };
            known.insert(part, set);
        }
        known[&t].clone()
    }

    fn of_operation(&self, known: &FxHashMap<Term, Set>, t: Term, operands: &[Term]) -> Set {
        let (&first, second) = (operands.first()?, operands.get(1).copied().unwrap_or(operands[0]));
        let (a, b) = (known[&first].as_ref()?, known[&second].as_ref()?);
        if a.len() * b.len() > MOST_COMBINATIONS {
            return None;
        }
        let mut results = BTreeSet::new();
        for &x in a.iter() {
            for &y in b.iter() {
                // Of one and the same operand, there is only one value.
                if first != second || x == y {
                    results.insert(self.forest.terms.apply(t, |o| if o == first { x } else { y }));
                }
            }
        }
        limited(results.into_iter())
    }
}

fn set(values: impl IntoIterator<Item = u64>) -> Set {
    limited(values.into_iter())
}

fn limited(values: impl Iterator<Item = u64>) -> Set {
    let values: BTreeSet<u64> = values.take(MOST + 1).collect();
    (values.len() <= MOST).then(|| Rc::new(values))
}

impl<S: OrderSolver> Encoding<S> {
    /// Bits that all values of a symbol have in common.
    pub(super) fn fix_bits(&mut self, forest: &Forest, values: &Values) {
        for (&s, set) in &values.symbols {
            let zeros = set.iter().fold(u64::MAX, |zeros, value| zeros & !value);
            let ones = set.iter().fold(u64::MAX, |ones, value| ones & value);
            self.blaster.fix(forest.terms.symbol_term(s), zeros, ones);
        }
    }

    /// Says of every read what it can return.
    pub(super) fn list_values(&mut self, forest: &mut Forest, values: &Values) {
        for e in forest.event_ids() {
            let Some(value) = forest.event(e).kind.seen() else { continue };
            let listed = forest.terms.symbol_id(value).and_then(|s| values.symbols.get(&s));
            let Some(listed) = listed.filter(|set| (2..=MOST_LISTED).contains(&set.len())) else { continue };
            let width = forest.terms.width(value);
            let mut one_of = Vec::new();
            for &v in listed.iter() {
                let constant = forest.terms.constant(width, v);
                one_of.push(self.equal(forest, value, constant));
            }
            let active: Lit = self.active(e);
            self.imply_any(&[active], &one_of);
        }
    }
}
