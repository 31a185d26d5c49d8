//! A quick hasher for tables whose keys are our own: numbers we gave out, names we registered.
//! A peer can look things up in them but never put anything in, so it needs no protection.

use std::hash::Hasher;

#[derive(Default)]
pub(crate) struct Spread(u64);

impl Spread {
    #[inline]
    fn mix(&mut self, number: u64) {
        self.0 = (self.0.rotate_left(26) ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

impl Hasher for Spread {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        let mut words = bytes.chunks_exact(8);
        for word in &mut words {
            self.mix(word.iter().fold(0, |n, &byte| n << 8 | u64::from(byte)));
        }
        self.mix(
            words
                .remainder()
                .iter()
                .fold(0, |n, &byte| n << 8 | u64::from(byte)),
        );
    }

    fn write_u8(&mut self, number: u8) {
        self.mix(number.into());
    }

    fn write_u32(&mut self, number: u32) {
        self.mix(number.into());
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
