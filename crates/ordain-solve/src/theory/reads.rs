//! Who may read what from whom, and the from-reads that follow.
//!
//! A cell that reads from `w` comes before every write `v` that hits it and comes after `w`. Of these triples of literals
//! there are cubically many, so they are never written down: when one of the three literals becomes true, the triples
//! are looked up whose other two are true, or could be.

use rustc_hash::FxHashMap;

use crate::faults::{Fault, seeded};
use crate::order::{Access, CellId, Lit, Node, WriteId};

/// If all three literals are true, the cell comes before the overwriting write.
#[derive(Clone, Copy, Debug)]
pub(super) struct FromRead {
    pub reads: Lit,
    pub order: Lit,
    pub hit: Lit,
    pub cell: CellId,
    pub overwrite: WriteId,
}

struct Cell {
    access: Access,
    sources: Vec<(WriteId, Lit)>,
    hits: Vec<(WriteId, Lit)>,
}

struct Write {
    access: Access,
    /// Cells that may read from it.
    readers: Vec<(CellId, Lit)>,
}

#[derive(Default)]
pub(super) struct Reads {
    cells: Vec<Cell>,
    writes: Vec<Write>,
    orders: FxHashMap<(WriteId, WriteId), Vec<Lit>>,
    hits: FxHashMap<(WriteId, CellId), Vec<Lit>>,
}

impl Reads {
    pub fn new_write(&mut self, access: Access) -> WriteId {
        self.writes.push(Write { access, readers: Vec::new() });
        WriteId(self.writes.len() as u32 - 1)
    }

    pub fn new_cell(&mut self, access: Access) -> CellId {
        self.cells.push(Cell { access, sources: Vec::new(), hits: Vec::new() });
        CellId(self.cells.len() as u32 - 1)
    }

    pub fn add_order(&mut self, lit: Lit, first: WriteId, second: WriteId) {
        self.orders.entry((first, second)).or_default().push(lit);
    }

    pub fn add_reads_from(&mut self, lit: Lit, write: WriteId, cell: CellId) {
        self.writes[write.0 as usize].readers.push((cell, lit));
        self.cells[cell.0 as usize].sources.push((write, lit));
    }

    pub fn add_hit(&mut self, lit: Lit, write: WriteId, cell: CellId) {
        let lits = self.hits.entry((write, cell)).or_default();
        let forgets = seeded(Fault::OneHitPerPair) && !lits.is_empty();
        if !lits.contains(&lit) && !forgets {
            lits.push(lit);
            self.cells[cell.0 as usize].hits.push((write, lit));
        }
    }

    pub fn write(&self, write: WriteId) -> Access {
        self.writes[write.0 as usize].access
    }

    pub fn cell(&self, cell: CellId) -> Access {
        self.cells[cell.0 as usize].access
    }

    /// The edges of a reads-from: in the coherence order if there is one, and in the global order if the read is
    /// external or there is no other.
    pub fn reads_from_edges(&self, write: WriteId, cell: CellId, external: bool) -> [Option<(Node, Node)>; 2] {
        let (write, cell) = (self.write(write), self.cell(cell));
        let global = (write.global, cell.global);
        match write.coherence.zip(cell.coherence) {
            Some(coherence) => {
                let external = external && !seeded(Fault::ExternalReadNotGlobal) || seeded(Fault::InternalReadGlobal);
                let coherence = Some(coherence).filter(|_| !seeded(Fault::ReadsFromNotCoherent));
                [coherence, external.then_some(global)]
            }
            None => [None, Some(global)],
        }
        .map(|edge| edge.map(|(from, to)| if seeded(Fault::ReadsFromReversed) { (to, from) } else { (from, to) }))
    }

    pub fn order_edges(&self, first: WriteId, second: WriteId) -> [Option<(Node, Node)>; 2] {
        let (first, second) = (self.write(first), self.write(second));
        let coherence = first.coherence.zip(second.coherence).filter(|_| !seeded(Fault::OrderNotCoherent));
        let global = Some((first.global, second.global));
        if seeded(Fault::OrderNoEdge) { [None, None] } else { [global, coherence] }
    }

    /// From the cell to the write that overwrites it.
    pub fn overwrite_edges(&self, cell: CellId, overwrite: WriteId) -> [Option<(Node, Node)>; 2] {
        let (cell, write) = (self.cell(cell), self.write(overwrite));
        let coherence = cell.coherence.zip(write.coherence).filter(|_| !seeded(Fault::FromReadNotCoherent));
        let global = Some((cell.global, write.global)).filter(|_| !seeded(Fault::FromReadNotGlobal));
        [global, coherence]
    }

    /// Every pair of nodes that a from-read may connect.
    pub fn possible_from_reads(&self) -> impl Iterator<Item = (Node, Node)> {
        self.hits.keys().flat_map(|&(write, cell)| self.overwrite_edges(cell, write)).flatten()
    }

    /// All stated hits.
    pub fn hits(&self) -> impl Iterator<Item = (Lit, WriteId, CellId)> {
        let with_lits = self.hits.iter();
        with_lits.flat_map(|(&(write, cell), lits)| lits.iter().map(move |&lit| (lit, write, cell)))
    }

    /// The triples in which a cell reads from a write, given that it does. Like the next two, this leaves out triples
    /// with literals of which `possible` says no.
    pub fn triples_of_read(
        &self,
        (reads, write, cell): (Lit, WriteId, CellId),
        possible: impl Fn(Lit) -> bool,
        found: &mut Vec<FromRead>,
    ) {
        for &(overwrite, hit) in self.cells[cell.0 as usize].hits.iter().filter(|&&(_, hit)| possible(hit)) {
            for &order in self.order_lits(write, overwrite).iter().filter(|&&order| possible(order)) {
                found.push(FromRead { reads, order, hit, cell, overwrite });
            }
        }
    }

    /// The triples of a write order.
    pub fn triples_of_order(
        &self,
        (order, first, overwrite): (Lit, WriteId, WriteId),
        possible: impl Fn(Lit) -> bool,
        found: &mut Vec<FromRead>,
    ) {
        for &(cell, reads) in self.writes[first.0 as usize].readers.iter().filter(|&&(_, reads)| possible(reads)) {
            for &hit in self.hit_lits(overwrite, cell).iter().filter(|&&hit| possible(hit)) {
                found.push(FromRead { reads, order, hit, cell, overwrite });
            }
        }
    }

    /// The triples of a hit.
    pub fn triples_of_hit(
        &self,
        (hit, overwrite, cell): (Lit, WriteId, CellId),
        possible: impl Fn(Lit) -> bool,
        found: &mut Vec<FromRead>,
    ) {
        for &(write, reads) in self.cells[cell.0 as usize].sources.iter().filter(|&&(_, reads)| possible(reads)) {
            for &order in self.order_lits(write, overwrite).iter().filter(|&&order| possible(order)) {
                found.push(FromRead { reads, order, hit, cell, overwrite });
            }
        }
    }

    fn order_lits(&self, first: WriteId, second: WriteId) -> &[Lit] {
        self.orders.get(&(first, second)).map_or(&[], Vec::as_slice)
    }

    fn hit_lits(&self, write: WriteId, cell: CellId) -> &[Lit] {
        self.hits.get(&(write, cell)).map_or(&[], Vec::as_slice)
    }
}
