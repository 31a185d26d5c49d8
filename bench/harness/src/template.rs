//! Requests that differ in their id alone.

/// A request with a place for the id.
#[derive(Clone)]
pub struct Template {
    pub(crate) bytes: Vec<u8>,
    pub(crate) id_at: usize,
    pub(crate) binary_id: bool,
}

/// Eight digits in decimal; five bytes (tag and u32) in msgpack.
pub const FIRST_ID: u32 = 10_000_000;
const LAST_ID: u32 = 99_999_999;

impl Template {
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Writes the id into a copy of the template.
    pub fn stamp(&self, frame: &mut [u8], id: u32) {
        let mut id = FIRST_ID + (id - FIRST_ID) % (LAST_ID - FIRST_ID);
        if self.binary_id {
            frame[self.id_at..self.id_at + 4].copy_from_slice(&id.to_be_bytes());
            return;
        }
        for digit in frame[self.id_at..self.id_at + 8].iter_mut().rev() {
            *digit = b'0' + (id % 10) as u8;
            id /= 10;
        }
    }
}
