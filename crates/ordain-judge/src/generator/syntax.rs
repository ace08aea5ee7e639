//! Generated programs as a tree that can be printed as C, and shrunk.
//!
//! Statements are text: what matters is that any of them can be deleted and the rest still compiles. So declarations
//! stand apart and are printed only if something that is left mentions them, and statements that need each other (a
//! thread's create and join) belong to one `Group`, which goes as a whole. Every statement has a source line of its own,
//! because failures are compared by line.

use std::fmt::Write;

/// Statements that can only be deleted together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Group(pub u32);

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stmt {
    Line {
        text: String,
        group: Option<Group>,
    },
    /// `head { body } else { other }`, without the `else` if `other` is empty.
    Block {
        head: String,
        body: Vec<Stmt>,
        other: Vec<Stmt>,
    },
}

impl Stmt {
    pub fn line(text: impl Into<String>) -> Self {
        Stmt::Line { text: text.into(), group: None }
    }

    pub fn grouped(text: impl Into<String>, group: Group) -> Self {
        Stmt::Line { text: text.into(), group: Some(group) }
    }

    pub fn block(head: impl Into<String>, body: Vec<Stmt>) -> Self {
        Stmt::Block { head: head.into(), body, other: Vec::new() }
    }
}

/// A global, a local or a helper function: printed only if `name` is mentioned.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Declaration {
    pub name: String,
    /// One or more lines.
    pub text: String,
}

impl Declaration {
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Declaration { name: name.into(), text: text.into() }
    }
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Body {
    pub locals: Vec<Declaration>,
    pub stmts: Vec<Stmt>,
    /// The last line, which returns.
    pub result: String,
}

impl Body {
    pub fn mentions(&self, name: &str) -> bool {
        let mut text = self.result.clone();
        print_statements(&mut text, &self.stmts, 0);
        mentions(&text, name)
    }
}

/// The entry function of a thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Worker {
    pub name: String,
    pub body: Body,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Source {
    /// The first line, as a comment.
    pub title: String,
    /// A declaration mentions only those before it.
    pub declarations: Vec<Declaration>,
    pub workers: Vec<Worker>,
    pub main: Body,
}

const PRELUDE: &str = "\
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
void ordain_input(void *place, unsigned long size, const char *name);
void reach_error(void);
void __VERIFIER_assume(int condition);
";

impl Source {
    /// The program as C.
    pub fn to_c(&self) -> String {
        let mut functions = String::new();
        let mut main = String::new();
        print_function(&mut main, "int main(void)", &self.main);
        for worker in self.workers.iter().filter(|w| mentions(&main, &w.name)) {
            print_function(&mut functions, &format!("static void *{}(void *arg)", worker.name), &worker.body);
        }
        functions.push_str(&main);
        let used = used_declarations(&self.declarations, &functions);
        format!("// {}\n{PRELUDE}{used}{functions}", self.title)
    }
}

/// The text of those declarations that `text`, or a later declaration among them, mentions.
fn used_declarations(declarations: &[Declaration], text: &str) -> String {
    let mut used: Vec<&str> = Vec::new();
    for declaration in declarations.iter().rev() {
        if mentions(text, &declaration.name) || used.iter().any(|later| mentions(later, &declaration.name)) {
            used.push(&declaration.text);
        }
    }
    used.iter().rev().map(|text| format!("{text}\n")).collect()
}

/// Whether `text` contains `name` as a whole word.
fn mentions(text: &str, name: &str) -> bool {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|word| word == name)
}

/// A function as C.
pub(super) fn function_text(head: &str, body: &Body) -> String {
    let mut text = String::new();
    print_function(&mut text, head, body);
    text
}

fn print_function(out: &mut String, head: &str, body: &Body) {
    let mut stmts = String::new();
    print_statements(&mut stmts, &body.stmts, 1);
    stmts.push_str(&format!("    {}\n", body.result));
    let locals = used_declarations(&body.locals, &stmts);
    out.push_str(head);
    out.push_str(" {\n");
    for line in locals.lines() {
        writeln!(out, "    {line}").expect("writing to a string does not fail");
    }
    out.push_str(&stmts);
    out.push_str("}\n");
}

fn print_statements(out: &mut String, stmts: &[Stmt], depth: usize) {
    let indent = "    ".repeat(depth);
    for stmt in stmts {
        match stmt {
            Stmt::Line { text, .. } => out.push_str(&format!("{indent}{text}\n")),
            Stmt::Block { head, body, other } => {
                out.push_str(&format!("{indent}{head} {{\n"));
                print_statements(out, body, depth + 1);
                if !other.is_empty() {
                    out.push_str(&format!("{indent}}} else {{\n"));
                    print_statements(out, other, depth + 1);
                }
                out.push_str(&format!("{indent}}}\n"));
            }
        }
    }
}
