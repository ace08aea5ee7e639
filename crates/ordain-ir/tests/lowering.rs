//! What small C programs become.

mod common;

use common::{Files, builtins, function, points, program, unknown};
use ordain_ir::program::{Builtin, Callee, Inst, Operand, Ordering, RmwOp};
use ordain_ir::{CompileOptions, load};

#[test]
fn locals_are_registers_and_globals_are_points() {
    let program =
        program("int g; int main(void) { int sum = 0; for (int i = 0; i < 10; i++) sum += i; g = sum; return g; }");
    let main = function(&program, "main");
    assert_eq!(points(main), 2, "one store and one load of g");
    assert!(!main.code.iter().any(|inst| matches!(inst, Inst::Alloca { .. })));
    let g = program.globals.iter().find(|g| g.name == "g").expect("g is there");
    assert_eq!(g.init, [0; 4]);
    assert_eq!(g.address % 16, 0);
    assert!(main.code.iter().any(|inst| matches!(inst, Inst::Store { addr: Operand::Imm(a), .. } if *a == g.address)));
}

#[test]
fn stack_slots_whose_address_stays_home_have_no_points() {
    let program = program(
        "int take(int *p);\n\
         int use(volatile int *p) { return *p; }\n\
         int main(void) { volatile int home = 1; home++; volatile int away = 2; return use(&away) + home; }",
    );
    let main = function(&program, "main");
    let slots: Vec<(bool, &str)> = main
        .code
        .iter()
        .filter_map(|inst| match inst {
            Inst::Alloca { escapes, name: Some(name), .. } => Some((*escapes, program.names[name.index()].as_str())),
            _ => None,
        })
        .collect();
    assert_eq!(slots, [(false, "home"), (true, "away")]);
    assert_eq!(points(main), 1, "only the initialisation of `away` can be seen");
}

#[test]
fn atomics_keep_their_orders() {
    let program = program(
        "#include <stdatomic.h>\n\
         _Atomic int a;\n\
         int main(void) {\n\
           atomic_store_explicit(&a, 1, memory_order_release);\n\
           int e = 1;\n\
           atomic_compare_exchange_strong_explicit(&a, &e, 2, memory_order_acq_rel, memory_order_acquire);\n\
           atomic_fetch_sub_explicit(&a, 3, memory_order_relaxed);\n\
           atomic_thread_fence(memory_order_seq_cst);\n\
           return atomic_load_explicit(&a, memory_order_acquire);\n\
         }",
    );
    let code = &function(&program, "main").code;
    let has = |wanted: fn(&Inst) -> bool| code.iter().filter(|inst| wanted(inst)).count() == 1;
    assert!(has(|i| matches!(i, Inst::Store { order: Some(Ordering::Release), point: true, .. })));
    assert!(has(|i| matches!(i, Inst::Load { order: Some(Ordering::Acquire), point: true, .. })));
    assert!(has(|i| matches!(i, Inst::Rmw { op: RmwOp::Sub, order: Ordering::Relaxed, .. })));
    assert!(has(|i| matches!(i, Inst::Fence { order: Ordering::SeqCst })));
    assert!(has(|i| matches!(i, Inst::CmpXchg { success: Ordering::AcqRel, failure: Ordering::Acquire, size: 4, .. })));
}

#[test]
fn reserved_names_mean_the_builtin_even_where_defined() {
    let program = program(
        "#include <assert.h>\n\
         void reach_error(void) { assert(0); }\n\
         void __VERIFIER_assert(int c) { if (!c) reach_error(); }\n\
         int __VERIFIER_nondet_int(void);\n\
         int main(void) { __VERIFIER_assert(__VERIFIER_nondet_int()); return 0; }",
    );
    assert_eq!(builtins(function(&program, "__VERIFIER_assert")), [Builtin::ReachError]);
    assert_eq!(builtins(function(&program, "main")), [Builtin::InputValue]);
    assert!(program.functions.iter().all(|f| f.name != "reach_error"));
}

#[test]
fn functions_named_atomic_are_wrapped() {
    let program = program(
        "int x; int __VERIFIER_atomic_inc(void) { if (x) return 1; x++; return 0; }\n\
         int main(void) { return __VERIFIER_atomic_inc(); }",
    );
    let atomic = builtins(function(&program, "__VERIFIER_atomic_inc"));
    assert_eq!(atomic.first(), Some(&Builtin::AtomicBegin));
    assert!(atomic[1..].iter().all(|b| *b == Builtin::AtomicEnd) && atomic.len() >= 2);
}

#[test]
fn library_functions_have_models_unless_the_program_has_its_own() {
    let program = program(
        "#include <string.h>\n\
         size_t strlen(const char *s) { return 42; }\n\
         char buffer[100];\n\
         int main(int argc, char **argv) { strcpy(buffer, argv[0]); return strlen(buffer) + memcmp(buffer, argv, 2); }",
    );
    assert!(function(&program, "strcpy").model);
    assert!(function(&program, "memcmp").model);
    assert!(!function(&program, "strlen").model);
    assert!(program.functions.iter().all(|f| f.name != "strcat"), "what nobody calls is not there");
}

#[test]
fn copies_of_memory_are_split_or_done_by_a_model() {
    let program = program(
        "struct small { long a, b, c; }; struct large { char bytes[1000]; };\n\
         struct small s, t; struct large l, m;\n\
         void small(void) { s = t; }\n\
         void large(void) { l = m; }\n\
         int main(void) { small(); large(); return 0; }",
    );
    assert_eq!(points(function(&program, "small")), 6);
    let large = function(&program, "large");
    assert_eq!(points(large), 0);
    assert!(large.code.iter().any(|inst| matches!(inst, Inst::Call { callee: Callee::Direct(_), .. })));
    assert!(function(&program, "__ordain_memcpy").model);
}

#[test]
fn unaligned_and_odd_accesses_are_split() {
    let program = program(
        "struct __attribute__((packed)) { char c; int i; } p; struct { unsigned a : 20; unsigned b : 30; } q;\n\
         void unaligned(void) { p.i = 7; }\n\
         void fields(void) { q.b = 3; }\n\
         int main(void) { unaligned(); fields(); return 0; }",
    );
    assert_eq!(points(function(&program, "unaligned")), 4);
    for f in ["unaligned", "fields"] {
        for inst in &function(&program, f).code {
            if let Inst::Store { size, .. } | Inst::Load { size, .. } = inst {
                assert!(matches!(size, 1 | 2 | 4 | 8));
            }
        }
    }
}

#[test]
fn structures_are_passed_and_returned_leaf_by_leaf() {
    let program = program(
        "struct pair { long a, b; }; struct large { long v[9]; } g;\n\
         struct pair make(long x) { struct pair p = { x, x + 1 }; return p; }\n\
         long sum(struct large l) { l.v[0] = 0; return l.v[0] + l.v[8]; }\n\
         int main(void) { struct pair p = make(3); return p.a + p.b + sum(g); }",
    );
    assert!(function(&program, "make").code.iter().any(|i| matches!(i, Inst::Ret { values } if values.len() == 2)));
    assert_eq!(function(&program, "sum").params.len(), 1, "by address; the copy is the callee's");
}

#[test]
fn initial_values_are_exact_with_addresses_resolved() {
    let program = program(
        "int f(void) { return 1; } int a[4] = { 1, -2 };\n\
         struct { char c; int *p; int (*f)(void); short s[2]; } v = { 'x', &a[2], f, { 3, 4 } };\n\
         int main(void) { return v.f(); }",
    );
    let a = program.globals.iter().find(|g| g.name == "a").expect("a");
    let v = program.globals.iter().find(|g| g.name == "v").expect("v");
    assert_eq!(a.init, [1, 0, 0, 0, 0xfe, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(v.init[0], b'x');
    assert_eq!(v.init[8..16], (a.address + 8).to_le_bytes());
    assert_eq!(v.init[16..24], function(&program, "f").address.to_le_bytes());
    assert_eq!(v.init[24..28], [3, 0, 4, 0]);
    let main = function(&program, "main");
    assert!(main.code.iter().any(|i| matches!(i, Inst::Call { callee: Callee::Indirect(_), .. })));
}

#[test]
fn a_swap_in_a_loop_is_copied_in_parallel() {
    let program = program(
        "int main(int argc, char **argv) { int a = 1, b = 2; while (argc--) { int t = a; a = b; b = t; } return a; }",
    );
    let main = function(&program, "main");
    // Sequential copies a = b; b = a would lose a: some copy must go through a third register.
    let copies: Vec<_> = main
        .code
        .iter()
        .filter_map(|inst| match inst {
            Inst::Copy { dst, src: Operand::Reg(src) } => Some((*dst, *src)),
            _ => None,
        })
        .collect();
    for window in copies.windows(2) {
        assert!(window[0].0 != window[1].1, "reads a register that was just overwritten: {copies:?}");
    }
}

#[test]
fn what_is_not_understood_is_only_an_error_when_reached() {
    let program = program(
        "int undefined_function(void); int half(__float128 *x) { return *x / 2 > 1; }\n\
         int main(void) { return undefined_function() ? 1 : half(0); }\n",
    );
    assert_eq!(unknown(&program, function(&program, "half"))[0], "an access to memory of type fp128");
    assert!(unknown(&program, function(&program, "main")).contains(&"undefined_function".to_owned()));
}

#[test]
fn uninitialised_locals_are_undefined() {
    let program = program("int main(int argc, char **argv) { int x; if (argc > 1) x = 1; return x; }");
    let main = function(&program, "main");
    assert!(main.code.iter().any(|inst| matches!(inst, Inst::Copy { src: Operand::Undefined, .. })));
}

#[test]
fn the_start_function_gives_arguments_and_exits() {
    let files = Files::new(&[("a.c", "int main(int argc, char **argv) { return argv[1][0]; }")]);
    let with = |args: &[&str]| {
        let args = args.iter().map(|a| a.to_string()).collect();
        load(&[files.path("a.c")], &CompileOptions { args, ..Default::default() }).expect("loads")
    };
    let (none, two) = (with(&[]), with(&["x", "yz"]));
    assert_eq!(none.program.build, two.program.build, "the build does not depend on arguments");
    let start = two.program.function(two.program.start);
    assert!(matches!(&start.code[0], Inst::Call { args, .. } if args[0] == Operand::Imm(3)));
    assert_eq!(builtins(start), [Builtin::Exit]);
    let texts: Vec<_> =
        two.program.globals.iter().filter(|g| g.name.starts_with("argv[")).map(|g| &g.init[..]).collect();
    assert_eq!(texts, [&b"program\0"[..], b"x\0", b"yz\0"]);
}

#[test]
fn several_files_are_one_program_however_their_paths_are_written() {
    let files = Files::new(&[
        (
            "a.c",
            "#include \"ordain.h\"\nint f(int); int main(void) { int x; ordain_input(&x, sizeof x, \"x\"); return f(x); }",
        ),
        ("b.c", "static int twice(int x) { return 2 * x; } int f(int x) { return twice(x); }"),
    ]);
    let first = files.load(&["a.c", "b.c"]).expect("loads");
    let again = files.load(&["./a.c", ".//./b.c"]).expect("loads");
    assert_eq!(first.program.build, again.program.build);
    assert_eq!(first.bitcode, again.bitcode);
    let main = function(&first.program, "main");
    assert_eq!(builtins(main), [Builtin::InputBytes]);
    let location = first.program.locations[main.locations[0].index()];
    assert_eq!(first.program.files[location.file as usize], files.path("a.c").display().to_string());
    assert_eq!(location.line, 2);
}

#[test]
fn bitcode_files_load_like_their_sources() {
    let files = Files::new(&[("a.c", "int g; int main(void) { g++; return g; }")]);
    for (flag, name) in [("-c", "a.bc"), ("-S", "a.ll")] {
        let status = std::process::Command::new(ordain_ir::CLANG)
            .args(["-g", "-emit-llvm", flag, "-o"])
            .arg(files.path(name))
            .arg(files.path("a.c"))
            .status();
        assert!(status.expect("clang runs").success());
        let loaded = files.load(&[name]).expect("loads");
        assert_eq!(points(function(&loaded.program, "main")), 3);
    }
}

#[test]
fn a_pointer_to_a_library_function_goes_to_a_function_with_that_point() {
    let program = program(
        "#include <stdlib.h>\nvoid (*release)(void *) = free; int main(void) { release(malloc(3)); free(0); return 0; }",
    );
    let thunk = function(&program, "ordain.thunk.free");
    assert!(thunk.model);
    assert_eq!(builtins(thunk), [Builtin::Free]);
    let release = program.globals.iter().find(|g| g.name == "release").expect("release");
    assert_eq!(release.init, thunk.address.to_le_bytes());
    assert_eq!(builtins(function(&program, "main")), [Builtin::Malloc, Builtin::Free]);
}

#[test]
fn a_choice_between_a_local_and_a_global_is_one_load() {
    // Passes could load both and choose afterwards, which would be an access that the program does not make.
    let program =
        program("int g; int main(int argc, char **argv) { int x = 1; int *p = argc > 1 ? &x : &g; return *p; }");
    let loads = function(&program, "main").code.iter().filter(|inst| matches!(inst, Inst::Load { .. })).count();
    assert_eq!(loads, 1);
}
