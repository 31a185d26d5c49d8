//! Replaces what is in a file.
//!
//! Another file that is renamed to the old name would lose the owner, the rights and the watchers of the old one. So a file
//! is changed where it is, but not before there is space for all of it: a full disk, a quota and a limit for files are
//! found while the old contents are untouched.

use std::fs::File;
use std::io;

use tenon_host::own_file;

/// Something that is written at places.
pub(super) trait Contents {
    fn write_at(&mut self, bytes: &[u8], place: u64) -> io::Result<()>;
    fn set_len(&mut self, length: u64) -> io::Result<()>;
}

impl Contents for File {
    fn write_at(&mut self, bytes: &[u8], place: u64) -> io::Result<()> {
        own_file::write_all_at(self, bytes, place)
    }

    fn set_len(&mut self, length: u64) -> io::Result<()> {
        File::set_len(self, length)
    }
}

/// Replaces the contents of a file of this length. What goes beyond its end is written first.
pub(super) fn replace(file: &mut impl Contents, length: u64, contents: &[u8]) -> io::Result<()> {
    let kept = usize::try_from(length).map_or(contents.len(), |length| contents.len().min(length));
    let (inside, beyond) = contents.split_at(kept);
    if let Err(error) = file.write_at(beyond, length) {
        // It is as long as before, whatever was written of it.
        file.set_len(length)?;
        return Err(error);
    }
    file.write_at(inside, 0)?;
    file.set_len(contents.len() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file on a disk with this much space.
    struct Disk {
        file: Vec<u8>,
        space: usize,
    }

    impl Contents for Disk {
        fn write_at(&mut self, bytes: &[u8], place: u64) -> io::Result<()> {
            for (at, byte) in (usize::try_from(place).unwrap()..).zip(bytes) {
                if at >= self.space {
                    return Err(io::ErrorKind::StorageFull.into());
                }
                self.file.resize(self.file.len().max(at + 1), 0);
                self.file[at] = *byte;
            }
            Ok(())
        }

        fn set_len(&mut self, length: u64) -> io::Result<()> {
            self.file.resize(usize::try_from(length).unwrap(), 0);
            Ok(())
        }
    }

    #[test]
    fn a_full_disk_keeps_the_old_contents() {
        let mut disk = Disk {
            file: b"old contents".to_vec(),
            space: 16,
        };
        let error = replace(&mut disk, 12, b"new, and too long for it").unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        assert_eq!(disk.file, b"old contents");
        for text in [&b"short"[..], b"", b"longer than that", b"new"] {
            let length = disk.file.len() as u64;
            replace(&mut disk, length, text).unwrap();
            assert_eq!(disk.file, text);
        }
    }
}
