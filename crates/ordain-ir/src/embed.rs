//! Whole-program bitcode behind an executable.
//!
//! What `ordain cc` links is an ordinary executable with a tail: the bitcode, its length, the format's version, a SHA-256
//! of the entire file before it, and a magic number at the very end. The system's loader does not look there. The
//! checksum covers the machine code as well, although only the bitcode is read: an executable that was damaged or changed
//! anywhere is refused, never half-trusted. Reading never runs the executable.

use sha2::{Digest, Sha256};
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

const MAGIC: &[u8; 8] = b"ORDAINBC";
const VERSION: u32 = 2;
/// Length and version, which the checksum covers.
const SIZES_BYTES: usize = 8 + 4;
const HASH_BYTES: usize = 32;
const TAIL_BYTES: usize = SIZES_BYTES + HASH_BYTES + MAGIC.len();

/// Appends bitcode to an executable.
pub fn append(executable: &Path, bitcode: &[u8]) -> io::Result<()> {
    let tail = tail(&fs::read(executable)?, bitcode);
    OpenOptions::new().append(true).open(executable)?.write_all(&tail)
}

fn tail(executable: &[u8], bitcode: &[u8]) -> Vec<u8> {
    let mut tail = bitcode.to_vec();
    tail.extend((bitcode.len() as u64).to_le_bytes());
    tail.extend(VERSION.to_le_bytes());
    let hash = Sha256::new().chain_update(executable).chain_update(&tail).finalize();
    tail.extend(hash);
    tail.extend(MAGIC);
    tail
}

/// The bitcode that an executable carries, or why there is none.
pub fn extract(executable: &[u8]) -> Result<&[u8], String> {
    let whole = executable.strip_suffix(MAGIC).filter(|_| executable.len() >= TAIL_BYTES).ok_or(
        "it carries no bitcode: only complete executables do that `ordain cc` linked (and nobody stripped) from what it compiled",
    )?;
    let (covered, hash) = whole.split_at(whole.len() - HASH_BYTES);
    if Sha256::digest(covered)[..] != *hash {
        return Err("it is not as `ordain cc` left it (the checksum does not match): link it again".into());
    }
    let (rest, sizes) = covered.split_at(covered.len() - SIZES_BYTES);
    let (length, version) = sizes.split_at(8);
    let version = u32::from_le_bytes(version.try_into().map_err(|_| "its end is cut short")?);
    if version != VERSION {
        return Err(format!("its bitcode has format {version}, this is made for {VERSION}: build it again"));
    }
    let length = u64::from_le_bytes(length.try_into().map_err(|_| "its end is cut short")?);
    let start = usize::try_from(length).ok().and_then(|length| rest.len().checked_sub(length));
    Ok(&rest[start.ok_or("its bitcode is cut short")?..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(bitcode: &[u8]) -> Vec<u8> {
        [b"\x7fELF and so on".to_vec(), tail(b"\x7fELF and so on", bitcode)].concat()
    }

    #[test]
    fn what_is_appended_comes_back() {
        assert_eq!(extract(&whole(b"some bitcode")), Ok(&b"some bitcode"[..]));
        assert_eq!(extract(&whole(b"")), Ok(&b""[..]));
    }

    #[test]
    fn any_changed_bit_and_any_missing_byte_is_noticed() {
        let whole = whole(b"some bitcode");
        for i in 0..whole.len() {
            assert!(extract(&whole[..i]).is_err());
            for bit in 0..8 {
                let mut damaged = whole.clone();
                damaged[i] ^= 1 << bit;
                assert!(extract(&damaged).is_err(), "byte {i}, bit {bit}");
            }
        }
    }
}
