//! The calls of the system, one function each. They are unsafe because they take pointers and raw handles.

#![expect(unsafe_code, reason = "calls of the system, see the comment at each")]

use std::io;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle, RawHandle};

use windows_sys::Win32::Foundation::{FILETIME, INVALID_HANDLE_VALUE, WAIT_OBJECT_0};
use windows_sys::Win32::System::Diagnostics::ToolHelp::{
    CreateToolhelp32Snapshot, PROCESSENTRY32W, Process32FirstW, Process32NextW, TH32CS_SNAPPROCESS,
};
use windows_sys::Win32::System::Threading::{
    GetProcessTimes, INFINITE, OpenProcess, PROCESS_QUERY_LIMITED_INFORMATION, PROCESS_SYNCHRONIZE,
    WaitForSingleObject,
};

/// Takes charge of a handle that the system has made for us.
fn owned(handle: RawHandle) -> io::Result<OwnedHandle> {
    if handle.is_null() || handle == INVALID_HANDLE_VALUE {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: it is a new handle, which nothing else closes.
    Ok(unsafe { OwnedHandle::from_raw_handle(handle) })
}

/// The id of the process that started this one. It may have ended, and its id be another's.
pub(super) fn parent_id() -> Option<u32> {
    // SAFETY: it has no conditions.
    let processes = owned(unsafe { CreateToolhelp32Snapshot(TH32CS_SNAPPROCESS, 0) }).ok()?;
    let mut process = PROCESSENTRY32W {
        dwSize: size_of::<PROCESSENTRY32W>() as u32,
        ..PROCESSENTRY32W::default()
    };
    // SAFETY: both calls fill in the entry, whose size it says itself.
    let mut is_there = unsafe { Process32FirstW(processes.as_raw_handle(), &raw mut process) } != 0;
    while is_there {
        if process.th32ProcessID == std::process::id() {
            return Some(process.th32ParentProcessID);
        }
        // SAFETY: as above.
        is_there = unsafe { Process32NextW(processes.as_raw_handle(), &raw mut process) } != 0;
    }
    None
}

/// A process that is held open, so that its id is not given to another.
pub(super) struct Process(OwnedHandle);

impl Process {
    pub(super) fn open(id: u32) -> io::Result<Process> {
        let access = PROCESS_SYNCHRONIZE | PROCESS_QUERY_LIMITED_INFORMATION;
        // SAFETY: it has no conditions.
        owned(unsafe { OpenProcess(access, 0, id) }).map(Process)
    }

    pub(super) fn current() -> io::Result<Process> {
        Process::open(std::process::id())
    }

    /// When it was created, in the system's units.
    pub(super) fn created(&self) -> io::Result<u64> {
        let [mut created, mut ended, mut kernel, mut user] = [FILETIME::default(); 4];
        // SAFETY: the handle is open for this, and the others are written to.
        let asked = unsafe {
            GetProcessTimes(
                self.0.as_raw_handle(),
                &raw mut created,
                &raw mut ended,
                &raw mut kernel,
                &raw mut user,
            )
        };
        match asked {
            0 => Err(io::Error::last_os_error()),
            _ => Ok(u64::from(created.dwHighDateTime) << 32 | u64::from(created.dwLowDateTime)),
        }
    }

    /// Blocks until it has ended.
    pub(super) fn wait(&self) -> io::Result<()> {
        // SAFETY: the handle is open for this.
        match unsafe { WaitForSingleObject(self.0.as_raw_handle(), INFINITE) } {
            WAIT_OBJECT_0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }
}
