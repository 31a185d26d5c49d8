//! Names in open folders: the calls of the system.

use std::io;
use std::os::windows::io::{AsRawHandle, BorrowedHandle, OwnedHandle};
use std::ptr::{null, null_mut};

use windows_sys::Wdk::Foundation::OBJECT_ATTRIBUTES;
use windows_sys::Wdk::Storage::FileSystem::{
    FILE_OPEN_REPARSE_POINT, FILE_SYNCHRONOUS_IO_NONALERT, NtCreateFile,
};
use windows_sys::Win32::Foundation::{OBJ_CASE_INSENSITIVE, RtlNtStatusToDosError, UNICODE_STRING};
use windows_sys::Win32::Storage::FileSystem::{
    FILE_ATTRIBUTE_NORMAL, FILE_READ_ATTRIBUTES, FILE_SHARE_DELETE, FILE_SHARE_READ,
    FILE_SHARE_WRITE, MAXIMUM_REPARSE_DATA_BUFFER_SIZE, SYNCHRONIZE,
};
use windows_sys::Win32::System::IO::{DeviceIoControl, IO_STATUS_BLOCK};
use windows_sys::Win32::System::Ioctl::FSCTL_GET_REPARSE_POINT;

use super::{OwnerOnly, check, owned};

pub(crate) use windows_sys::Wdk::Storage::FileSystem::{
    FILE_CREATE, FILE_DIRECTORY_FILE, FILE_NON_DIRECTORY_FILE, FILE_OPEN,
};
pub(crate) use windows_sys::Win32::Storage::FileSystem::{
    FILE_GENERIC_READ, FILE_GENERIC_WRITE, FILE_LIST_DIRECTORY, FILE_TRAVERSE,
};

/// Opens or creates a name in a folder. A link is opened itself. Attributes can always be read. What is created has this
/// descriptor, or else what the folder bequeaths.
pub(in super::super) fn open_in(
    folder: BorrowedHandle<'_>,
    name: &[u16],
    access: u32,
    disposition: u32,
    options: u32,
    descriptor: Option<&OwnerOnly>,
) -> io::Result<OwnedHandle> {
    let length = u16::try_from(size_of_val(name));
    let length = length.map_err(|_| io::Error::from(io::ErrorKind::InvalidFilename))?;
    let name = UNICODE_STRING {
        Length: length,
        MaximumLength: length,
        Buffer: name.as_ptr().cast_mut(),
    };
    let attributes = OBJECT_ATTRIBUTES {
        Length: size_of::<OBJECT_ATTRIBUTES>() as u32,
        RootDirectory: folder.as_raw_handle(),
        ObjectName: &raw const name,
        Attributes: OBJ_CASE_INSENSITIVE,
        SecurityDescriptor: descriptor
            .map_or(null(), |descriptor| descriptor.0.0.cast_const().cast()),
        SecurityQualityOfService: null(),
    };
    let mut handle = null_mut();
    let mut status = IO_STATUS_BLOCK::default();
    // SAFETY: the folder is open, the name, the attributes and the descriptor outlive the call and are not changed by it, and the others
    // are written to.
    let outcome = unsafe {
        NtCreateFile(
            &raw mut handle,
            access | FILE_READ_ATTRIBUTES | SYNCHRONIZE,
            &raw const attributes,
            &raw mut status,
            null(),
            FILE_ATTRIBUTE_NORMAL,
            FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
            disposition,
            options | FILE_OPEN_REPARSE_POINT | FILE_SYNCHRONOUS_IO_NONALERT,
            null(),
            0,
        )
    };
    if outcome < 0 {
        // SAFETY: it has no conditions.
        let error = unsafe { RtlNtStatusToDosError(outcome) };
        return Err(io::Error::from_raw_os_error(error.cast_signed()));
    }
    owned(handle)
}

/// What the system has stored about a link that was opened itself.
pub(crate) fn link_data(link: BorrowedHandle<'_>) -> io::Result<Vec<u8>> {
    let mut data = vec![0_u8; MAXIMUM_REPARSE_DATA_BUFFER_SIZE as usize];
    let mut length = 0;
    // SAFETY: the handle is open, and the buffer has this many bytes.
    check(unsafe {
        DeviceIoControl(
            link.as_raw_handle(),
            FSCTL_GET_REPARSE_POINT,
            null(),
            0,
            data.as_mut_ptr().cast(),
            MAXIMUM_REPARSE_DATA_BUFFER_SIZE,
            &raw mut length,
            null_mut(),
        )
    })?;
    data.truncate(length as usize);
    Ok(data)
}
