//! Numbers of path classes: they are products over threads, and soon larger than any machine word.

use std::fmt;
use std::ops::{AddAssign, MulAssign};

/// One of these per digit.
const BASE: u64 = 1_000_000_000;
const DIGITS: usize = 9;

/// A natural number of any size.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Count {
    /// Nine decimal digits each, the lowest first; the last one is not zero.
    digits: Vec<u32>,
}

impl From<u64> for Count {
    fn from(mut number: u64) -> Self {
        let mut digits = Vec::new();
        while number > 0 {
            digits.push((number % BASE) as u32);
            number /= BASE;
        }
        Count { digits }
    }
}

impl AddAssign<&Count> for Count {
    fn add_assign(&mut self, other: &Count) {
        let mut carry = 0;
        for i in 0.. {
            if i >= other.digits.len() && carry == 0 {
                break;
            }
            if i == self.digits.len() {
                self.digits.push(0);
            }
            let sum = u64::from(self.digits[i]) + u64::from(other.digits.get(i).copied().unwrap_or(0)) + carry;
            self.digits[i] = (sum % BASE) as u32;
            carry = sum / BASE;
        }
    }
}

impl MulAssign<u32> for Count {
    fn mul_assign(&mut self, factor: u32) {
        let mut carry = 0;
        for digit in &mut self.digits {
            let product = u64::from(*digit) * u64::from(factor) + carry;
            *digit = (product % BASE) as u32;
            carry = product / BASE;
        }
        self.digits.extend(Count::from(carry).digits);
        while self.digits.last() == Some(&0) {
            self.digits.pop();
        }
    }
}

impl Count {
    /// As a machine's number, if it is small enough for one.
    pub fn as_u64(&self) -> Option<u64> {
        let append = |number: u64, &digit: &u32| number.checked_mul(BASE)?.checked_add(u64::from(digit));
        self.digits.iter().rev().try_fold(0, append)
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some((highest, rest)) = self.digits.split_last() else { return f.write_str("0") };
        write!(f, "{highest}")?;
        rest.iter().rev().try_for_each(|digit| write!(f, "{digit:0DIGITS$}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn power_of_two(exponent: u32) -> Count {
        let mut count = Count::from(1);
        (0..exponent).for_each(|_| count *= 2);
        count
    }

    #[test]
    fn large_numbers_are_exact() {
        for exponent in 0..128 {
            assert_eq!(power_of_two(exponent).to_string(), (1_u128 << exponent).to_string());
            assert_eq!(power_of_two(exponent).as_u64(), 1_u64.checked_shl(exponent));
        }
        assert_eq!(power_of_two(200).to_string(), "1606938044258990275541962092341162602522202993782792835301376");
    }

    #[test]
    fn sums_carry_as_far_as_they_have_to() {
        let mut sum = Count::from(999_999_999_999_999_999);
        sum += &Count::from(1);
        assert_eq!(
            (sum.to_string(), sum.as_u64()),
            ("1000000000000000000".to_owned(), Some(1_000_000_000_000_000_000))
        );
        sum += &power_of_two(127);
        assert_eq!(sum.to_string(), (1_000_000_000_000_000_000 + (1_u128 << 127)).to_string());
        sum *= 0;
        assert_eq!((sum.clone(), sum.to_string()), (Count::from(0), "0".to_owned()));
    }
}
