//! The functions of `math.h` on `float` and `double`.
//!
//! They are those of the C library that we are linked with, which is the one that native executables use: two libraries
//! seldom agree on the last bit of a sine. `errno` and the state of the floating-point unit are not modelled.

use super::Format;
use serde::{Deserialize, Serialize};

/// A function and the format of its operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, Serialize, Deserialize)]
pub struct MathCall {
    pub function: MathFn,
    pub format: Format,
}

/// Declares the functions: for each its variant, and its name and type for `double` and for `float`.
macro_rules! functions {
    ($($variant:ident:
        $(#[$link_double:meta])* $double:ident($($x:ident: $xt:ty),*) -> $dr:ty,
        $(#[$link_single:meta])* $single:ident($($y:ident: $yt:ty),*) -> $sr:ty;)*) => {
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum MathFn {
            $($variant),*
        }

        // SAFETY: the declarations are those of the C standard, and none of the functions has a precondition.
        unsafe extern "C" {
            $($(#[$link_double])*
            safe fn $double($($x: $xt),*) -> $dr;
            $(#[$link_single])*
            safe fn $single($($y: $yt),*) -> $sr;)*
        }

        impl MathCall {
            /// The function that C calls so.
            pub fn named(name: &str) -> Option<MathCall> {
                Some(match name {
                    $(stringify!($double) => MathCall { function: MathFn::$variant, format: Format::Double },
                    stringify!($single) => MathCall { function: MathFn::$variant, format: Format::Single },)*
                    _ => return None,
                })
            }

            pub fn arguments(self) -> usize {
                match self.function {
                    $(MathFn::$variant => [$(stringify!($x)),*].len(),)*
                }
            }

            /// The result's bits. `arguments` says how many there must be.
            pub fn evaluate(self, arguments: &[u64]) -> u64 {
                let mut arguments = arguments.iter().copied();
                let mut next = || arguments.next().unwrap_or(0);
                match (self.function, self.format) {
                    $((MathFn::$variant, Format::Double) => $double($(<$xt>::from_word(next())),*).to_word(),
                    (MathFn::$variant, _) => $single($(<$yt>::from_word(next())),*).to_word(),)*
                }
            }
        }
    };
}

functions! {
    Sqrt: sqrt(x: f64) -> f64, sqrtf(x: f32) -> f32;
    // Rust links a function of its own for this name, with other last bits; the C library has it by another name, too.
    Cbrt: #[link_name = "cbrtf64"] cbrt(x: f64) -> f64, #[link_name = "cbrtf32"] cbrtf(x: f32) -> f32;
    Sin: sin(x: f64) -> f64, sinf(x: f32) -> f32;
    Cos: cos(x: f64) -> f64, cosf(x: f32) -> f32;
    Tan: tan(x: f64) -> f64, tanf(x: f32) -> f32;
    Asin: asin(x: f64) -> f64, asinf(x: f32) -> f32;
    Acos: acos(x: f64) -> f64, acosf(x: f32) -> f32;
    Atan: atan(x: f64) -> f64, atanf(x: f32) -> f32;
    Sinh: sinh(x: f64) -> f64, sinhf(x: f32) -> f32;
    Cosh: cosh(x: f64) -> f64, coshf(x: f32) -> f32;
    Tanh: tanh(x: f64) -> f64, tanhf(x: f32) -> f32;
    Asinh: asinh(x: f64) -> f64, asinhf(x: f32) -> f32;
    Acosh: acosh(x: f64) -> f64, acoshf(x: f32) -> f32;
    Atanh: atanh(x: f64) -> f64, atanhf(x: f32) -> f32;
    Exp: exp(x: f64) -> f64, expf(x: f32) -> f32;
    Exp2: exp2(x: f64) -> f64, exp2f(x: f32) -> f32;
    Exp10: exp10(x: f64) -> f64, exp10f(x: f32) -> f32;
    Expm1: expm1(x: f64) -> f64, expm1f(x: f32) -> f32;
    Log: log(x: f64) -> f64, logf(x: f32) -> f32;
    Log2: log2(x: f64) -> f64, log2f(x: f32) -> f32;
    Log10: log10(x: f64) -> f64, log10f(x: f32) -> f32;
    Log1p: log1p(x: f64) -> f64, log1pf(x: f32) -> f32;
    Logb: logb(x: f64) -> f64, logbf(x: f32) -> f32;
    Floor: floor(x: f64) -> f64, floorf(x: f32) -> f32;
    Ceil: ceil(x: f64) -> f64, ceilf(x: f32) -> f32;
    Trunc: trunc(x: f64) -> f64, truncf(x: f32) -> f32;
    Round: round(x: f64) -> f64, roundf(x: f32) -> f32;
    Roundeven: roundeven(x: f64) -> f64, roundevenf(x: f32) -> f32;
    Rint: rint(x: f64) -> f64, rintf(x: f32) -> f32;
    Nearbyint: nearbyint(x: f64) -> f64, nearbyintf(x: f32) -> f32;
    Erf: erf(x: f64) -> f64, erff(x: f32) -> f32;
    Erfc: erfc(x: f64) -> f64, erfcf(x: f32) -> f32;
    Tgamma: tgamma(x: f64) -> f64, tgammaf(x: f32) -> f32;
    Lgamma: lgamma(x: f64) -> f64, lgammaf(x: f32) -> f32;
    Pow: pow(x: f64, y: f64) -> f64, powf(x: f32, y: f32) -> f32;
    Atan2: atan2(x: f64, y: f64) -> f64, atan2f(x: f32, y: f32) -> f32;
    Hypot: hypot(x: f64, y: f64) -> f64, hypotf(x: f32, y: f32) -> f32;
    Fmod: fmod(x: f64, y: f64) -> f64, fmodf(x: f32, y: f32) -> f32;
    Remainder: remainder(x: f64, y: f64) -> f64, remainderf(x: f32, y: f32) -> f32;
    Fdim: fdim(x: f64, y: f64) -> f64, fdimf(x: f32, y: f32) -> f32;
    Nextafter: nextafter(x: f64, y: f64) -> f64, nextafterf(x: f32, y: f32) -> f32;
    Fmin: fmin(x: f64, y: f64) -> f64, fminf(x: f32, y: f32) -> f32;
    Fmax: fmax(x: f64, y: f64) -> f64, fmaxf(x: f32, y: f32) -> f32;
    Fma: fma(x: f64, y: f64, z: f64) -> f64, fmaf(x: f32, y: f32, z: f32) -> f32;
    Ldexp: ldexp(x: f64, n: i32) -> f64, ldexpf(x: f32, n: i32) -> f32;
    Scalbn: scalbn(x: f64, n: i32) -> f64, scalbnf(x: f32, n: i32) -> f32;
    Ilogb: ilogb(x: f64) -> i32, ilogbf(x: f32) -> i32;
    Lrint: lrint(x: f64) -> i64, lrintf(x: f32) -> i64;
    Llrint: llrint(x: f64) -> i64, llrintf(x: f32) -> i64;
    Lround: lround(x: f64) -> i64, lroundf(x: f32) -> i64;
    Llround: llround(x: f64) -> i64, llroundf(x: f32) -> i64;
}

/// Numbers as they are kept in registers.
trait Word {
    fn from_word(word: u64) -> Self;
    fn to_word(self) -> u64;
}

impl Word for f64 {
    fn from_word(word: u64) -> Self {
        f64::from_bits(word)
    }
    fn to_word(self) -> u64 {
        self.to_bits()
    }
}

impl Word for f32 {
    fn from_word(word: u64) -> Self {
        f32::from_bits(word as u32)
    }
    fn to_word(self) -> u64 {
        self.to_bits().into()
    }
}

impl Word for i32 {
    fn from_word(word: u64) -> Self {
        word as i32
    }
    fn to_word(self) -> u64 {
        (self as u32).into()
    }
}

impl Word for i64 {
    fn from_word(word: u64) -> Self {
        word as i64
    }
    fn to_word(self) -> u64 {
        self as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn double(name: &str, arguments: &[f64]) -> f64 {
        let call = MathCall::named(name).expect("a known function");
        assert_eq!(call.arguments(), arguments.len());
        f64::from_bits(call.evaluate(&arguments.iter().map(|x| x.to_bits()).collect::<Vec<_>>()))
    }

    #[test]
    fn functions_are_found_by_name() {
        assert_eq!(double("sqrt", &[9.0]), 3.0);
        assert_eq!(double("pow", &[2.0, 10.0]), 1024.0);
        assert_eq!(double("fma", &[2.0, 3.0, 4.0]), 10.0);
        assert_eq!(MathCall::named("sine"), None);
    }

    #[test]
    fn integers_among_the_arguments_and_results_are_integers() {
        let ldexp = MathCall::named("ldexpf").expect("a known function");
        assert_eq!(f32::from_bits(ldexp.evaluate(&[1f32.to_bits().into(), u64::from(-1_i32 as u32)]) as u32), 0.5);
        let round = MathCall::named("lround").expect("a known function");
        assert_eq!(round.evaluate(&[(-2.5f64).to_bits()]) as i64, -3);
    }
}
