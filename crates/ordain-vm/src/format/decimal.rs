//! Exact decimal digits of binary fractions.
//!
//! Every finite floating-point number is `m * 2^e`, and so it is an integer over a power of ten: `m * 2^e`, or
//! `m * 5^-e / 10^-e`. Its digits are those of that integer; what is asked for is rounded from there, half to even.

/// Numbers of this base are the digits of large integers.
const BASE: u64 = 1_000_000_000;
const BASE_DIGITS: usize = 9;

/// A number that is not negative: `0.d1d2d3… * 10^point`, without zeros at either end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Decimal {
    /// ASCII; empty for zero.
    pub digits: Vec<u8>,
    pub point: i64,
}

impl Decimal {
    /// `significand * 2^exponent`
    pub fn new(significand: u64, exponent: i32) -> Self {
        if significand == 0 {
            return Decimal { digits: Vec::new(), point: 0 };
        }
        // Trailing zero bits only make for larger numbers on the way.
        let zeros = significand.trailing_zeros();
        let (significand, exponent) = (significand >> zeros, exponent + zeros as i32);
        let (factor, count) = if exponent < 0 { (5, exponent.unsigned_abs()) } else { (2, exponent as u32) };
        let mut digits = decimal_digits(times_power(significand, factor, count));
        let point = digits.len() as i64 - if exponent < 0 { count as i64 } else { 0 };
        trim(&mut digits);
        Decimal { digits, point }
    }

    /// Keeps the first `count` digits (none or fewer: rounds to nothing or to one digit before the first).
    pub fn round(&mut self, count: i64) {
        let Ok(count) = usize::try_from(count) else {
            *self = Decimal { digits: Vec::new(), point: 0 };
            return;
        };
        if count >= self.digits.len() {
            return;
        }
        let odd = count > 0 && (self.digits[count - 1] - b'0') % 2 == 1;
        let up = match self.digits[count] {
            b'5' => odd || self.digits.len() > count + 1,
            digit => digit > b'5',
        };
        self.digits.truncate(count);
        if up {
            self.increment();
        }
        trim(&mut self.digits);
    }

    /// Adds one to the last digit.
    fn increment(&mut self) {
        while let Some(last) = self.digits.pop() {
            if last != b'9' {
                self.digits.push(last + 1);
                return;
            }
        }
        self.digits.push(b'1');
        self.point += 1;
    }

    /// The digit with the weight `10^power`.
    pub fn digit(&self, power: i64) -> u8 {
        usize::try_from(self.point - 1 - power).ok().and_then(|at| self.digits.get(at)).copied().unwrap_or(b'0')
    }
}

fn trim(digits: &mut Vec<u8>) {
    while digits.last() == Some(&b'0') {
        digits.pop();
    }
}

/// `start * factor^count`, least significant first.
fn times_power(start: u64, factor: u64, mut count: u32) -> Vec<u64> {
    let mut number = vec![start % BASE, start / BASE % BASE, start / BASE / BASE];
    // As many factors at once as fit.
    let step = if factor == 2 { 29 } else { 12 };
    while count > 0 {
        let now = count.min(step);
        let by = factor.pow(now);
        let mut carry = 0;
        for part in &mut number {
            let product = *part * by + carry;
            (*part, carry) = (product % BASE, product / BASE);
        }
        if carry > 0 {
            number.push(carry);
        }
        count -= now;
    }
    number
}

fn decimal_digits(number: Vec<u64>) -> Vec<u8> {
    let text: String = number.iter().rev().map(|part| format!("{part:0BASE_DIGITS$}")).collect();
    text.trim_start_matches('0').as_bytes().to_vec()
}
