//! The calls of the system, one function each. They are unsafe because they take pointers and raw handles.

#![expect(unsafe_code, reason = "calls of the system, see the comment at each")]

pub(crate) mod console;
pub(super) mod names;

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::windows::io::{AsRawHandle, BorrowedHandle, FromRawHandle, OwnedHandle, RawHandle};
use std::ptr::{null, null_mut};

use tokio::net::windows::named_pipe::{NamedPipeServer, ServerOptions};
use tokio::process::Child;
use windows_sys::Win32::Foundation::{ERROR_SUCCESS, INVALID_HANDLE_VALUE, LocalFree};
use windows_sys::Win32::Security::Authorization::{
    ConvertSidToStringSidW, ConvertStringSecurityDescriptorToSecurityDescriptorW, GetSecurityInfo,
    SDDL_REVISION_1, SE_FILE_OBJECT, SE_KERNEL_OBJECT, SetSecurityInfo,
};
use windows_sys::Win32::Security::{
    ACCESS_ALLOWED_ACE, ACE_HEADER, ACL, DACL_SECURITY_INFORMATION, EqualSid, GetAce,
    GetSecurityDescriptorDacl, GetTokenInformation, INHERIT_ONLY_ACE, IsWellKnownSid,
    OWNER_SECURITY_INFORMATION, PROTECTED_DACL_SECURITY_INFORMATION, PSECURITY_DESCRIPTOR, PSID,
    SECURITY_ATTRIBUTES, TOKEN_QUERY, TOKEN_USER, TokenUser, WinBuiltinAdministratorsSid,
    WinCreatorOwnerRightsSid, WinLocalSystemSid,
};
use windows_sys::Win32::Storage::FileSystem::{
    BY_HANDLE_FILE_INFORMATION, FILE_APPEND_DATA, FILE_SHARE_DELETE, FILE_SHARE_READ,
    FILE_SHARE_WRITE, FILE_WRITE_DATA, GetFileInformationByHandle, LOCKFILE_EXCLUSIVE_LOCK,
    LOCKFILE_FAIL_IMMEDIATELY, LockFileEx, ReOpenFile,
};
use windows_sys::Win32::System::Console::{
    CTRL_BREAK_EVENT, GenerateConsoleCtrlEvent, GetConsoleCP,
};
use windows_sys::Win32::System::Diagnostics::ToolHelp::{
    CreateToolhelp32Snapshot, TH32CS_SNAPTHREAD, THREADENTRY32, Thread32First, Thread32Next,
};
use windows_sys::Win32::System::IO::OVERLAPPED;
use windows_sys::Win32::System::JobObjects::{
    AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT_ACTIVE_PROCESS,
    JOB_OBJECT_LIMIT_JOB_MEMORY, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
    JOBOBJECT_BASIC_ACCOUNTING_INFORMATION, JOBOBJECT_EXTENDED_LIMIT_INFORMATION,
    JobObjectBasicAccountingInformation, JobObjectExtendedLimitInformation,
    QueryInformationJobObject, SetInformationJobObject, TerminateJobObject,
};
use windows_sys::Win32::System::SystemServices::{ACCESS_ALLOWED_ACE_TYPE, ACCESS_DENIED_ACE_TYPE};
use windows_sys::Win32::System::Threading::{
    CREATE_NEW_PROCESS_GROUP, CREATE_NO_WINDOW, CREATE_SUSPENDED, GetCurrentProcess,
    OpenProcessToken, OpenThread, ResumeThread, THREAD_SUSPEND_RESUME,
};

use crate::limits::Limits;

/// The error of a call that returns 0 if it fails.
fn check(result: i32) -> io::Result<()> {
    match result {
        0 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

/// Takes charge of a handle that the system has made for us.
fn owned(handle: RawHandle) -> io::Result<OwnedHandle> {
    if handle.is_null() || handle == INVALID_HANDLE_VALUE {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: it is a new handle, which nothing else closes.
    Ok(unsafe { OwnedHandle::from_raw_handle(handle) })
}

/// How children are started: suspended, in a process group of their own, and without a window of their own if this
/// process has no console that they could share.
pub(super) fn flags() -> u32 {
    // SAFETY: it has no conditions. It fails if there is no console.
    let has_console = unsafe { GetConsoleCP() } != 0;
    let window = if has_console { 0 } else { CREATE_NO_WINDOW };
    CREATE_SUSPENDED | CREATE_NEW_PROCESS_GROUP | window
}

/// A handle of a child that is ours to keep.
pub(super) fn handle(child: &Child) -> io::Result<OwnedHandle> {
    let handle = { child.raw_handle() }.ok_or_else(|| io::Error::other("the process has ended"))?;
    // SAFETY: the child has not been waited for, so its handle is open while we borrow it.
    unsafe { BorrowedHandle::borrow_raw(handle) }.try_clone_to_owned()
}

/// Lets a process run that was started suspended.
pub(super) fn resume(process: u32) -> io::Result<()> {
    // SAFETY: it has no conditions.
    let threads = owned(unsafe { CreateToolhelp32Snapshot(TH32CS_SNAPTHREAD, 0) })?;
    let mut thread = THREADENTRY32 {
        dwSize: size_of::<THREADENTRY32>() as u32,
        ..THREADENTRY32::default()
    };
    let mut is_resumed = false;
    // SAFETY: both calls fill in the entry, whose size it says itself.
    let mut is_there = unsafe { Thread32First(threads.as_raw_handle(), &raw mut thread) } != 0;
    while is_there {
        if thread.th32OwnerProcessID == process {
            // SAFETY: it has no conditions.
            let handle = unsafe { OpenThread(THREAD_SUSPEND_RESUME, 0, thread.th32ThreadID) };
            let handle = owned(handle)?;
            // SAFETY: the handle is open, and may be used for this.
            if unsafe { ResumeThread(handle.as_raw_handle()) } == u32::MAX {
                return Err(io::Error::last_os_error());
            }
            is_resumed = true;
        }
        // SAFETY: as above.
        is_there = unsafe { Thread32Next(threads.as_raw_handle(), &raw mut thread) } != 0;
    }
    match is_resumed {
        true => Ok(()),
        false => Err(io::Error::other("the process has no thread to run")),
    }
}

/// Sends Ctrl-Break to a process group.
pub(super) fn interrupt(group: u32) -> io::Result<()> {
    // SAFETY: it has no conditions.
    check(unsafe { GenerateConsoleCtrlEvent(CTRL_BREAK_EVENT, group) })
}

/// A job object: processes that are ended together. Closing it, which the system does if this process is killed, ends
/// all of them. A process cannot leave it.
#[derive(Debug)]
pub(super) struct Job(OwnedHandle);

impl Job {
    /// # Errors
    /// There is no job, or it does not enforce the limits.
    pub(super) fn new(limits: Limits) -> io::Result<Job> {
        // SAFETY: it takes a null for the usual security and for no name.
        let job = Job(owned(unsafe { CreateJobObjectW(null(), null()) })?);
        let mut extended = JOBOBJECT_EXTENDED_LIMIT_INFORMATION::default();
        let basic = &mut extended.BasicLimitInformation;
        basic.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
        if let Some(processes) = limits.processes {
            basic.LimitFlags |= JOB_OBJECT_LIMIT_ACTIVE_PROCESS;
            basic.ActiveProcessLimit = processes;
        }
        if let Some(memory) = limits.memory {
            basic.LimitFlags |= JOB_OBJECT_LIMIT_JOB_MEMORY;
            extended.JobMemoryLimit = usize::try_from(memory).unwrap_or(usize::MAX);
        }
        // SAFETY: the structure is the one that this kind of information has, and its size is right.
        check(unsafe {
            SetInformationJobObject(
                job.0.as_raw_handle(),
                JobObjectExtendedLimitInformation,
                (&raw const extended).cast(),
                size_of_val(&extended) as u32,
            )
        })?;
        Ok(job)
    }

    /// Puts a process into it.
    pub(super) fn add(&self, process: &OwnedHandle) -> io::Result<()> {
        // SAFETY: both handles are open.
        check(unsafe { AssignProcessToJobObject(self.0.as_raw_handle(), process.as_raw_handle()) })
    }

    /// Ends all processes in it.
    pub(super) fn end_all(&self) {
        // SAFETY: the handle is open. There is nothing to do if it fails: closing it ends them as well.
        let _ended = unsafe { TerminateJobObject(self.0.as_raw_handle(), 1) };
    }

    /// Whether there are no processes in it.
    pub(super) fn is_empty(&self) -> bool {
        let mut counts = JOBOBJECT_BASIC_ACCOUNTING_INFORMATION::default();
        // SAFETY: the structure is the one that this kind of information has, and its size is right.
        let asked = check(unsafe {
            QueryInformationJobObject(
                self.0.as_raw_handle(),
                JobObjectBasicAccountingInformation,
                (&raw mut counts).cast(),
                size_of_val(&counts) as u32,
                null_mut(),
            )
        });
        asked.is_ok() && counts.ActiveProcesses == 0
    }
}

/// Memory that the system has allocated for us.
struct Allocated(*mut std::ffi::c_void);

impl Drop for Allocated {
    fn drop(&mut self) {
        // SAFETY: it came from a function whose results are freed by this one, and is freed once.
        unsafe { LocalFree(self.0) };
    }
}

/// The user of this process, as the system's functions take it. The buffer is aligned for the structure at its start.
struct User(Vec<u64>);

impl User {
    fn new() -> io::Result<User> {
        let mut token = null_mut();
        // SAFETY: the handle of this process is always open, and the other one is written to.
        check(unsafe { OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &raw mut token) })?;
        let token = owned(token)?;
        // More than the longest id of a user needs.
        let mut buffer = vec![0_u64; 32];
        let mut needed = 0;
        // SAFETY: the buffer has this many bytes.
        check(unsafe {
            GetTokenInformation(
                token.as_raw_handle(),
                TokenUser,
                buffer.as_mut_ptr().cast(),
                size_of_val(&buffer[..]) as u32,
                &raw mut needed,
            )
        })?;
        Ok(User(buffer))
    }

    fn sid(&self) -> PSID {
        // SAFETY: the system has put this structure at the start of the buffer, and what it points to into it.
        unsafe { (*self.0.as_ptr().cast::<TOKEN_USER>()).User.Sid }
    }

    /// Its id as text: `S-1-5-21-...`.
    fn text(&self) -> io::Result<String> {
        let mut text = null_mut();
        // SAFETY: the id is one, and the pointer is written to.
        check(unsafe { ConvertSidToStringSidW(self.sid(), &raw mut text) })?;
        let _freed = Allocated(text.cast());
        let mut length = 0;
        // SAFETY: the text ends with a null.
        let units = unsafe {
            while *text.add(length) != 0 {
                length += 1;
            }
            std::slice::from_raw_parts(text, length)
        };
        Ok(String::from_utf16_lossy(units))
    }
}

/// A security descriptor with which everything is for the user of this process alone.
pub(super) struct OwnerOnly(Allocated);

impl OwnerOnly {
    pub(super) fn new() -> io::Result<OwnerOnly> {
        let user = User::new()?.text()?;
        // P: nothing is inherited from the folder. FA: all access to a file or a pipe.
        let text = format!("O:{user}D:P(A;;FA;;;{user})");
        let text: Vec<u16> = text.encode_utf16().chain([0]).collect();
        let mut descriptor: PSECURITY_DESCRIPTOR = null_mut();
        // SAFETY: the text ends with a null, and the pointer is written to.
        check(unsafe {
            ConvertStringSecurityDescriptorToSecurityDescriptorW(
                text.as_ptr(),
                SDDL_REVISION_1,
                &raw mut descriptor,
                null_mut(),
            )
        })?;
        Ok(OwnerOnly(Allocated(descriptor)))
    }
}

/// An end of a pipe that only the user of this process can open.
pub(crate) fn own_pipe(options: &ServerOptions, name: &OsStr) -> io::Result<NamedPipeServer> {
    let descriptor = OwnerOnly::new()?;
    let mut attributes = SECURITY_ATTRIBUTES {
        nLength: size_of::<SECURITY_ATTRIBUTES>() as u32,
        lpSecurityDescriptor: descriptor.0.0,
        bInheritHandle: 0,
    };
    // SAFETY: the attributes and what they point to outlive the call.
    unsafe { options.create_with_security_attributes_raw(name, (&raw mut attributes).cast()) }
}

/// Opens an open file once more, with other rights.
pub(super) fn reopened(file: &File, access: u32) -> io::Result<File> {
    let sharing = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
    // SAFETY: the handle is open.
    let handle = unsafe { ReOpenFile(file.as_raw_handle(), access, sharing, 0) };
    owned(handle).map(File::from)
}

/// Takes the rights of others to a file away. The handle must have been opened for that.
pub(super) fn make_private(file: &File) -> io::Result<()> {
    let descriptor = OwnerOnly::new()?;
    let (mut is_there, mut is_default) = (0, 0);
    let mut list: *mut ACL = null_mut();
    // SAFETY: the descriptor is one, and the others are written to. The list is part of it.
    check(unsafe {
        GetSecurityDescriptorDacl(
            descriptor.0.0,
            &raw mut is_there,
            &raw mut list,
            &raw mut is_default,
        )
    })?;
    // SAFETY: the handle is open, and the list is alive.
    let error = unsafe {
        SetSecurityInfo(
            file.as_raw_handle(),
            SE_FILE_OBJECT,
            DACL_SECURITY_INFORMATION | PROTECTED_DACL_SECURITY_INFORMATION,
            null_mut(),
            null_mut(),
            list,
            null(),
        )
    };
    succeeded(error)
}

fn succeeded(error: u32) -> io::Result<()> {
    match error {
        ERROR_SUCCESS => Ok(()),
        error => Err(io::Error::from_raw_os_error(error.cast_signed())),
    }
}

/// Who can change a file.
pub(super) struct Control {
    /// It belongs to the user of this process, or to the administrators or the system, who have access to everything.
    pub(super) is_own: bool,
    /// Users other than these can write to it.
    pub(super) is_shared: bool,
}

/// Whether a pipe was created by the user of this process, by an administrator or by the system.
pub(crate) fn is_own_pipe(pipe: BorrowedHandle<'_>) -> io::Result<bool> {
    let mut descriptor: PSECURITY_DESCRIPTOR = null_mut();
    let mut owner: PSID = null_mut();
    // SAFETY: the handle is open, and the others are written to. The owner is part of the descriptor.
    let error = unsafe {
        GetSecurityInfo(
            pipe.as_raw_handle(),
            SE_KERNEL_OBJECT,
            OWNER_SECURITY_INFORMATION,
            &raw mut owner,
            null_mut(),
            null_mut(),
            null_mut(),
            &raw mut descriptor,
        )
    };
    succeeded(error)?;
    let _freed = Allocated(descriptor);
    Ok(!owner.is_null() && is_trusted(owner, &User::new()?))
}

/// Who can change a file.
pub(super) fn control(file: &File) -> io::Result<Control> {
    let mut descriptor: PSECURITY_DESCRIPTOR = null_mut();
    let mut owner: PSID = null_mut();
    let mut list: *mut ACL = null_mut();
    // SAFETY: the handle is open, and the others are written to. The owner and the list are parts of the descriptor.
    let error = unsafe {
        GetSecurityInfo(
            file.as_raw_handle(),
            SE_FILE_OBJECT,
            OWNER_SECURITY_INFORMATION | DACL_SECURITY_INFORMATION,
            &raw mut owner,
            null_mut(),
            &raw mut list,
            null_mut(),
            &raw mut descriptor,
        )
    };
    succeeded(error)?;
    let _freed = Allocated(descriptor);
    let user = User::new()?;
    Ok(Control {
        is_own: !owner.is_null() && is_trusted(owner, &user),
        is_shared: can_others_write(list, &user)?,
    })
}

fn is_trusted(sid: PSID, user: &User) -> bool {
    let known = [
        WinLocalSystemSid,
        WinBuiltinAdministratorsSid,
        WinCreatorOwnerRightsSid,
    ];
    // SAFETY: both are ids, alive as long as what they were taken from.
    unsafe {
        EqualSid(sid, user.sid()) != 0 || known.iter().any(|one| IsWellKnownSid(sid, *one) != 0)
    }
}

/// Whether a list gives anyone else the right to write. Without a list, everyone has all rights.
fn can_others_write(list: *const ACL, user: &User) -> io::Result<bool> {
    /// Rights to write, or to get them: DELETE, WRITE_DAC, WRITE_OWNER, GENERIC_ALL and GENERIC_WRITE.
    const WRITE: u32 = FILE_WRITE_DATA | FILE_APPEND_DATA | 0x000d_0000 | 0x5000_0000;
    if list.is_null() {
        return Ok(true);
    }
    // SAFETY: the list is alive.
    let count = unsafe { (*list).AceCount };
    for number in 0..u32::from(count) {
        let mut entry = null_mut();
        // SAFETY: there is such an entry, and the pointer is written to.
        check(unsafe { GetAce(list, number, &raw mut entry) })?;
        // SAFETY: every entry begins with this.
        let header = unsafe { *entry.cast::<ACE_HEADER>() };
        let kind = u32::from(header.AceType);
        let is_for_children = u32::from(header.AceFlags) & INHERIT_ONLY_ACE != 0;
        if is_for_children || kind == ACCESS_DENIED_ACE_TYPE {
            continue;
        }
        if kind != ACCESS_ALLOWED_ACE_TYPE {
            // One with conditions: who is meant is not known.
            return Ok(true);
        }
        let entry = entry.cast::<ACCESS_ALLOWED_ACE>();
        // SAFETY: an entry of this kind has a mask, and the id of a user begins at its last field.
        let (mask, sid) = unsafe { ((*entry).Mask, (&raw mut (*entry).SidStart).cast()) };
        if mask & WRITE != 0 && !is_trusted(sid, user) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// How many names a file has.
pub(super) fn names(file: &File) -> io::Result<u64> {
    Ok(information(file)?.nNumberOfLinks.into())
}

/// What tells a file from all others: its volume, and its number there.
pub(super) fn identity(file: &File) -> io::Result<[u32; 3]> {
    let file = information(file)?;
    Ok([
        file.dwVolumeSerialNumber,
        file.nFileIndexHigh,
        file.nFileIndexLow,
    ])
}

/// Locks the last byte that a file could have, unless another handle has. The lock goes with the handle.
pub(super) fn lock(file: &File) -> io::Result<()> {
    let mut place = OVERLAPPED::default();
    place.Anonymous.Anonymous.Offset = u32::MAX - 1;
    place.Anonymous.Anonymous.OffsetHigh = i32::MAX.cast_unsigned();
    // SAFETY: the handle is open, and was not opened for overlapping calls, so that this one is done when it returns.
    check(unsafe {
        LockFileEx(
            file.as_raw_handle(),
            LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY,
            0,
            1,
            0,
            &raw mut place,
        )
    })
}

fn information(file: &File) -> io::Result<BY_HANDLE_FILE_INFORMATION> {
    let mut information = BY_HANDLE_FILE_INFORMATION::default();
    // SAFETY: the handle is open, and the structure is written to.
    check(unsafe { GetFileInformationByHandle(file.as_raw_handle(), &raw mut information) })?;
    Ok(information)
}
