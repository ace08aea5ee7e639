//! The order engine beside Z3, on the same problems in the same run: processor seconds, and how many times longer Z3
//! takes, in geometric mean over what it finishes. Then how the engine alone goes on to 20,000 events.
//!
//! `ORDAIN_BENCH_SECONDS` says how long Z3 may take for each (default 20).

mod families;
mod z3;

use families::{Family, Shape, state};
use ordain_solve::engine::Engine;
use ordain_solve::oracle::Z3Oracle;
use ordain_solve::order::{Answer, OrderSolver};
use z3::Variant;

const SIZES: [usize; 6] = [100, 200, 500, 1_000, 2_000, 5_000];
const LARGER: [usize; 2] = [10_000, 20_000];

fn main() {
    let seconds = std::env::var("ORDAIN_BENCH_SECONDS").ok().and_then(|s| s.parse().ok()).unwrap_or(20);
    let names: Vec<String> = Variant::ALL.iter().map(|v| format!("{:>16}", format!("{v:?}"))).collect();
    println!("{:<11} {:>6} {:>9} {}", "family", "events", "engine", names.join(" "));
    let mut ratios: Vec<Vec<f64>> = vec![Vec::new(); Variant::ALL.len()];
    let mut to_best = Vec::new();
    for family in Family::ALL {
        for events in SIZES {
            let row = compare(Shape { family, events }, seconds);
            for (of_variant, ratio) in ratios.iter_mut().zip(&row) {
                of_variant.extend(*ratio);
            }
            to_best.extend(row.into_iter().flatten().reduce(f64::min));
        }
    }
    for (variant, ratios) in Variant::ALL.iter().zip(&ratios) {
        println!("{variant:?}: {:.1} times the engine's time, over {} problems", mean(ratios), ratios.len());
    }
    println!("the best of them for each problem: {:.1} times, over {} problems", mean(&to_best), to_best.len());
    println!("\n{:<11} {:>6} {:>9} {:>9}", "family", "events", "engine", "memory");
    for family in Family::ALL {
        for events in SIZES.into_iter().skip(3).chain(LARGER) {
            let (time, _) = engine(Shape { family, events });
            println!("{:<11} {events:>6} {time:>7.2} s {:>6} MB", format!("{family:?}"), resident());
        }
    }
}

/// How many times longer than the engine each variant takes; `None` if it does not finish.
fn compare(shape: Shape, seconds: u32) -> Vec<Option<f64>> {
    let (time, answer) = engine(shape);
    assert_eq!(answer, shape.family.answer(), "{shape:?}");
    print!("{:<11} {:>6} {time:>7.3} s", format!("{:?}", shape.family), shape.events);
    let mut oracle = Z3Oracle::new().expect("z3 starts (scripts/setup installs it)");
    let assumptions = state(&mut oracle, shape);
    let problem = oracle.problem().clone();
    drop(oracle);
    let mut ratios = Vec::new();
    for variant in Variant::ALL {
        let text = z3::text(&problem, &assumptions, variant);
        let before = processor_seconds(libc::RUSAGE_CHILDREN);
        let answer = z3::solve(&text, seconds);
        let taken = processor_seconds(libc::RUSAGE_CHILDREN) - before;
        match answer {
            Answer::Unknown => {
                print!(" {:>16}", format!("> {seconds} s"));
                ratios.push(None);
            }
            answer => {
                assert_eq!(answer, shape.family.answer(), "z3, {variant:?}, {shape:?}");
                print!(" {:>16}", format!("{taken:.2} s ({:.0}x)", taken / time));
                ratios.push(Some(taken / time));
            }
        }
    }
    println!();
    ratios
}

/// Stating the problem included, as it is for Z3.
fn engine(shape: Shape) -> (f64, Answer) {
    let before = processor_seconds(libc::RUSAGE_SELF);
    let mut engine = Engine::new();
    let assumptions = state(&mut engine, shape);
    let answer = engine.solve(&assumptions);
    ((processor_seconds(libc::RUSAGE_SELF) - before).max(1e-4), answer)
}

fn mean(ratios: &[f64]) -> f64 {
    (ratios.iter().map(|r| r.ln()).sum::<f64>() / ratios.len().max(1) as f64).exp()
}

fn processor_seconds(whose: libc::c_int) -> f64 {
    // SAFETY: getrusage fills in what it is given, and all-zero bytes are a valid `rusage`.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(whose, &mut usage);
        usage
    };
    let seconds = |t: libc::timeval| t.tv_sec as f64 + t.tv_usec as f64 / 1e6;
    seconds(usage.ru_utime) + seconds(usage.ru_stime)
}

/// Megabytes in memory now.
fn resident() -> u64 {
    let pages = std::fs::read_to_string("/proc/self/statm").ok();
    let pages = pages.and_then(|text| text.split(' ').nth(1)?.parse::<u64>().ok());
    pages.unwrap_or(0) * 4096 / (1 << 20)
}
