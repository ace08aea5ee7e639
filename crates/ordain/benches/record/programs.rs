//! The programs that are recorded.

use super::Failure;
use super::recipe::{Recipe, recipes};
use Nature::{MayFail, Ordinary};
use std::path::{Path, PathBuf};

pub struct Program {
    pub name: String,
    pub origin: Origin,
    pub nature: Nature,
}

/// What a measurement of a program is worth.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Nature {
    Ordinary,
    /// It is made to fail sometimes, and may fail here as well.
    MayFail,
}

pub enum Origin {
    Source { file: PathBuf, flags: Vec<String> },
    Debian { recipe: Recipe },
}

/// Kernels of the machine's benchmark, in two threads, large enough for clang -O2.
const KERNELS: [(&str, &str); 5] = [
    ("compress", "-DSIZE=6000000"),
    ("digest", "-DROUNDS=4000"),
    ("matmul", "-DN=400"),
    ("sieve", "-DLIMIT=10000000"),
    ("tree", "-DNODES=150000"),
];
/// Programs whose threads go along the same pointers.
const SHARED: [&str; 3] = ["hash", "graph", "skiplist"];
/// The programs of CLAP's table, as large as they have to be to take some time, and without the pauses that make them fail. What
/// cannot be made larger is as it is.
const RECORDED: [(&str, &str, Nature); 11] = [
    ("sim_race", "-DREPAIRED -DWORK=5000000", Ordinary),
    ("pbzip2", "-DREPAIRED -DBLOCKS=4000 -DBLOCK=4000 -DPAUSE=0", Ordinary),
    ("aget", "-DREPAIRED -DBLOCKS=20000 -DBYTES=4096 -DNETWORK=0", Ordinary),
    ("bbuf", "-DREPAIRED -DITEMS=200000 -DWORK=0", Ordinary),
    ("swarm", "-DREPAIRED -DNUMBERS=2000000", Ordinary),
    ("pfscan", "-DREPAIRED -DFILES=10000 -DLENGTH=8000", Ordinary),
    ("apache", "-DREPAIRED -DCONNECTIONS=108000 -DREQUEST=1000", Ordinary),
    ("racey", "-DROUNDS=4000000 -DBITS=32 -DYIELD_EVERY=4096", MayFail),
    ("bakery", "-DREPAIRED -DTHREADS=2 -DROUNDS=100000 -DWORK=200", Ordinary),
    ("dekker", "-DREPAIRED -DROUNDS=100000 -DWORK=200", Ordinary),
    ("peterson", "-DREPAIRED -DROUNDS=100000 -DWORK=200", Ordinary),
];
/// Programs of Debian.
const REAL: [&str; 2] = ["pigz", "zstd"];

pub fn programs(root: &Path) -> Result<Vec<Program>, Failure> {
    let source = |directory: &str, name: &str, flags: &str, nature: Nature| Program {
        name: name.to_owned(),
        origin: Origin::Source {
            file: root.join("bench").join(directory).join(format!("{name}.c")),
            flags: flags.split_whitespace().map(str::to_owned).collect(),
        },
        nature,
    };
    let mut programs: Vec<Program> =
        KERNELS.iter().map(|(name, size)| source("kernels", name, &format!("-DPARTS=2 {size}"), Ordinary)).collect();
    programs.extend(SHARED.iter().map(|name| source("shared", name, "", Ordinary)));
    programs.extend(RECORDED.iter().map(|(name, flags, nature)| source("recorded", name, flags, *nature)));
    for recipe in recipes(root, "programs")?.into_iter().filter(|r| REAL.contains(&r.name.as_str())) {
        programs.push(Program { name: recipe.name.clone(), origin: Origin::Debian { recipe }, nature: Ordinary });
    }
    Ok(programs)
}
