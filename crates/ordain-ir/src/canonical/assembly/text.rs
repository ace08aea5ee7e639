//! The text of inline assembly: instructions in AT&T notation, and the constraints of their operands.

/// An operand as it is written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Written {
    /// `$0`, `${0:w}`: the nth operand of the statement.
    Operand(usize),
    Number(i64),
    /// Anything else: registers by name, addresses.
    Text(String),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Instruction {
    pub locked: bool,
    pub name: String,
    pub operands: Vec<Written>,
}

/// The instructions of a statement.
pub(super) fn instructions(template: &str) -> Vec<Instruction> {
    let text = att_variant(template).to_lowercase();
    let mut found = Vec::new();
    let mut locked = false;
    for line in text.split([';', '\n']) {
        let line = line.split('#').next().unwrap_or_default().trim();
        let (prefix, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let line = match prefix {
            "lock" | "rep" => {
                // `rep; nop` is how pause is spelt for old assemblers.
                locked = prefix == "lock";
                rest.trim()
            }
            _ => line,
        };
        if line.is_empty() {
            continue;
        }
        let (name, operands) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let operands = split_operands(operands);
        found.push(Instruction { locked: std::mem::take(&mut locked), name: name.to_owned(), operands });
    }
    found
}

/// Clang keeps text for both dialects, `$(AT&T$|Intel$)`.
fn att_variant(template: &str) -> String {
    let mut text = String::new();
    let mut rest = template;
    while let Some((before, inside)) = rest.split_once("$(") {
        text.push_str(before);
        let (both, after) = inside.split_once("$)").unwrap_or((inside, ""));
        text.push_str(both.split("$|").next().unwrap_or_default());
        rest = after;
    }
    text.push_str(rest);
    text
}

/// Commas inside of parentheses belong to an address.
fn split_operands(text: &str) -> Vec<Written> {
    let mut parts = vec![String::new()];
    let mut depth = 0;
    for c in text.trim().chars() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(part) = parts.last_mut() {
            part.push(c);
        }
    }
    parts.iter().map(|part| part.trim()).filter(|part| !part.is_empty()).map(written).collect()
}

fn written(text: &str) -> Written {
    if let Some(number) = text.strip_prefix("$$").and_then(number) {
        return Written::Number(number);
    }
    let nth = text.strip_prefix('$').map(|n| n.trim_start_matches('{').split([':', '}']).next().unwrap_or_default());
    match nth.and_then(|n| n.parse().ok()) {
        Some(nth) => Written::Operand(nth),
        None => Written::Text(text.to_owned()),
    }
}

fn number(text: &str) -> Option<i64> {
    match text.strip_prefix("0x") {
        Some(digits) => i64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

/// Where the operand of a statement is.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Constraint {
    pub output: bool,
    /// In memory, at an address that the call is given.
    pub indirect: bool,
    /// An input that starts in the same place as an output.
    pub tied: Option<usize>,
    /// One particular register, or (with `@`) a flag.
    pub register: Option<String>,
}

/// The constraints of outputs and inputs, in their order; what is clobbered is left out.
pub(super) fn constraints(text: &str) -> Vec<Constraint> {
    text.split(',').filter(|c| !c.is_empty() && !c.starts_with('~')).map(constraint).collect()
}

fn constraint(text: &str) -> Constraint {
    let output = text.starts_with('=');
    let text = text.trim_start_matches(['=', '&', '+', '%']);
    let indirect = text.starts_with('*');
    let text = text.trim_start_matches(['*', '&']);
    let register = text.strip_prefix('{').and_then(|r| r.strip_suffix('}')).map(str::to_owned);
    Constraint { output, indirect, tied: text.parse().ok(), register }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(name: &str, locked: bool, operands: &[Written]) -> Instruction {
        Instruction { locked, name: name.to_owned(), operands: operands.to_vec() }
    }

    #[test]
    fn instructions_are_told_apart_in_all_spellings() {
        use Written::{Number, Operand, Text};
        let xadd = [one("xaddl", true, &[Operand(0), Operand(1)])];
        assert_eq!(instructions("lock; xaddl $0, $1"), xadd);
        assert_eq!(instructions("lock xaddl $0,${1:k}\n"), xadd);
        assert_eq!(instructions("LOCK\n\txaddl $0, $1 # comment"), xadd);
        assert_eq!(instructions("rep; nop"), [one("nop", false, &[])]);
        assert_eq!(instructions(" # nothing\n"), []);
        let fence = one("addl", true, &[Number(0), Text("0(%rsp)".into())]);
        assert_eq!(instructions("lock; addl $$0,0(%rsp)"), [fence]);
        let swap = one("xchgq", false, &[Text("%rbx".into()), Operand(1)]);
        assert_eq!(instructions("  xchg$(q$|$)  $(%$|$)rbx,${1:q}"), [swap]);
    }

    #[test]
    fn constraints_say_where_operands_are() {
        let found = constraints("={ax},=*m,=&r,r,0,*m,={@ccz},~{memory},~{flags}");
        let kinds: Vec<_> = found.iter().map(|c| (c.output, c.indirect, c.tied, c.register.as_deref())).collect();
        assert_eq!(
            kinds,
            [
                (true, false, None, Some("ax")),
                (true, true, None, None),
                (true, false, None, None),
                (false, false, None, None),
                (false, false, Some(0), None),
                (false, true, None, None),
                (true, false, None, Some("@ccz")),
            ]
        );
    }
}
