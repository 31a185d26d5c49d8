//! Plan files that other users and programs can neither read nor change.
//!
//! A plan has secrets in it. On Linux it is a file in memory that Terraform opens through `/proc`: nothing of it
//! is on a disk, nothing is left of it when this process is killed, and once it is sealed not even its owner can
//! change it. Elsewhere it is a file in a private folder.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use tenon_protocols::seasonings::sha256;

/// A plan that Terraform writes and reads.
pub(crate) struct PlanFile {
    path: PathBuf,
    /// What users call it, in errors.
    shown: String,
    place: Place,
}

enum Place {
    #[cfg(target_os = "linux")]
    Memory(File),
    Folder(#[expect(dead_code, reason = "removed when it is dropped")] TempDir),
}

impl PlanFile {
    /// An empty file for a plan.
    ///
    /// # Errors
    /// It cannot be created.
    pub(crate) fn new() -> io::Result<PlanFile> {
        let (path, place) = in_memory().map_or_else(in_folder, Ok)?;
        Ok(PlanFile {
            path,
            shown: "the plan".to_owned(),
            place,
        })
    }

    /// A copy of a saved plan, which `shown` is the user's name of.
    ///
    /// # Errors
    /// The plan cannot be read, or the copy not written.
    pub(crate) fn copy_of(saved: &Path, shown: &str) -> io::Result<PlanFile> {
        let mut saved = File::open(saved)?;
        let copy = PlanFile {
            shown: shown.to_owned(),
            ..PlanFile::new()?
        };
        io::copy(&mut saved, &mut File::create(&copy.path)?)?;
        Ok(copy)
    }

    /// Its path, for Terraform.
    pub(crate) fn path(&self) -> String {
        self.path.display().to_string()
    }

    /// A text about it, with the name that users know.
    pub(crate) fn renamed_in(&self, text: &str) -> String {
        text.replace(&self.path(), &self.shown)
    }

    /// Closes it to changes, where the system can do that, and returns its SHA-256 checksum.
    ///
    /// # Errors
    /// It cannot be read.
    pub(crate) fn seal(&self) -> io::Result<String> {
        match &self.place {
            #[cfg(target_os = "linux")]
            Place::Memory(file) => {
                use rustix::fs::{SealFlags, fcntl_add_seals};
                let everything = SealFlags::WRITE | SealFlags::GROW | SealFlags::SHRINK;
                fcntl_add_seals(file, everything)?;
            }
            Place::Folder(_) => {}
        }
        self.sha256()
    }

    /// Its SHA-256 checksum.
    ///
    /// # Errors
    /// It cannot be read.
    pub(crate) fn sha256(&self) -> io::Result<String> {
        sha256(&self.path)
    }
}

#[cfg(target_os = "linux")]
fn in_memory() -> Option<(PathBuf, Place)> {
    use std::os::fd::AsRawFd;

    use rustix::fs::{MemfdFlags, memfd_create};
    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    let file = File::from(memfd_create("tenon-plan", flags).ok()?);
    let path = format!("/proc/{}/fd/{}", std::process::id(), file.as_raw_fd());
    let path = PathBuf::from(path);
    // Where /proc is not mounted, or not for us, Terraform could not open it.
    path.exists().then_some((path, Place::Memory(file)))
}

#[cfg(not(target_os = "linux"))]
fn in_memory() -> Option<(PathBuf, Place)> {
    None
}

fn in_folder() -> io::Result<(PathBuf, Place)> {
    use std::os::unix::fs::PermissionsExt;
    // Others could look into it by default.
    let private = std::fs::Permissions::from_mode(0o700);
    let mut folder = tempfile::Builder::new();
    let folder = folder
        .prefix("tenon-plan-")
        .permissions(private)
        .tempdir()?;
    Ok((folder.path().join("plan"), Place::Folder(folder)))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_sealed_plan_cannot_be_changed() {
        let folder = tempfile::tempdir().unwrap();
        let saved = folder.path().join("saved");
        fs::write(&saved, "test\n").unwrap();
        let plan = PlanFile::copy_of(&saved, "saved").unwrap();
        plan.seal().unwrap();
        let sum = plan.seal().unwrap();
        // By sha256sum.
        let expected = "f2ca1bb6c7e907d06dafe4687e579fce76b37e4e93b7605022da52e6ccc26fd2";
        assert_eq!(sum, expected);
        fs::write(&saved, "other").unwrap();
        if cfg!(target_os = "linux") {
            assert!(fs::write(plan.path(), "other").is_err());
        }
        assert_eq!(plan.sha256().unwrap(), expected);
        assert_eq!(
            plan.renamed_in(&format!("{}: bad", plan.path())),
            "saved: bad"
        );
    }

    #[test]
    fn a_plan_that_is_not_in_memory_is_in_a_private_folder() {
        use std::os::unix::fs::PermissionsExt;
        let (path, place) = in_folder().unwrap();
        let folder = path.parent().unwrap().to_owned();
        assert_eq!(
            fs::metadata(&folder).unwrap().permissions().mode() & 0o777,
            0o700
        );
        drop(place);
        assert!(!folder.exists());
    }
}
