//! Canonical bitcode inside an executable.
//!
//! The section holds a magic number, the format's version, the SHA-256 of the bitcode (which is also the build's hash),
//! its length, and the bitcode. Whoever reads it checks all of them: a damaged executable is refused, never
//! half-understood. Reading never runs the executable.

use object::{Object, ObjectSection};
use sha2::{Digest, Sha256};

pub const SECTION: &str = ".ordain.bitcode";
const MAGIC: &[u8; 8] = b"ORDAINBC";
const VERSION: u32 = 1;
const HEADER_BYTES: usize = 8 + 4 + 32 + 8;

/// The contents of the section for some bitcode.
pub fn wrap(bitcode: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HEADER_BYTES + bitcode.len());
    bytes.extend(MAGIC);
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend(Sha256::digest(bitcode));
    bytes.extend((bitcode.len() as u64).to_le_bytes());
    bytes.extend(bitcode);
    bytes
}

/// The bitcode in the contents of the section, or why there is none.
pub fn unwrap(section: &[u8]) -> Result<Vec<u8>, String> {
    let header = section.get(..HEADER_BYTES).ok_or("its bitcode section is cut short")?;
    if &header[..8] != MAGIC {
        return Err("its bitcode section does not start as it should".into());
    }
    let version = u32::from_le_bytes(header[8..12].try_into().expect("four bytes"));
    if version != VERSION {
        return Err(format!("its bitcode section has format {version}, this is made for {VERSION}: build it again"));
    }
    let length = u64::from_le_bytes(header[44..52].try_into().expect("eight bytes"));
    let bitcode = usize::try_from(length)
        .ok()
        .and_then(|length| section[HEADER_BYTES..].get(..length))
        .ok_or("its bitcode section is cut short")?;
    if Sha256::digest(bitcode)[..] != header[12..44] {
        return Err("its bitcode section is damaged (the checksum does not match)".into());
    }
    Ok(bitcode.to_vec())
}

/// The bitcode that an executable carries, or why there is none.
pub fn extract(executable: &[u8]) -> Result<Vec<u8>, String> {
    let file = object::File::parse(executable).map_err(|e| format!("not a complete ELF file: {e}"))?;
    let section =
        file.section_by_name(SECTION).ok_or("it carries no bitcode: only executables made by `ordain cc` do")?;
    unwrap(section.data().map_err(|e| format!("its bitcode section cannot be read: {e}"))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrapped_comes_back() {
        assert_eq!(unwrap(&wrap(b"some bitcode")), Ok(b"some bitcode".to_vec()));
        assert_eq!(unwrap(&wrap(b"")), Ok(Vec::new()));
    }

    #[test]
    fn any_changed_bit_and_any_missing_byte_is_noticed() {
        let whole = wrap(b"some bitcode");
        for i in 0..whole.len() {
            assert!(unwrap(&whole[..i]).is_err());
            for bit in 0..8 {
                let mut damaged = whole.clone();
                damaged[i] ^= 1 << bit;
                assert!(unwrap(&damaged).is_err(), "byte {i}, bit {bit}");
            }
        }
    }
}
