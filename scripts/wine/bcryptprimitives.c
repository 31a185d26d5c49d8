/* Wine before version 10 has no bcryptprimitives.dll, from which programs in Rust take random bytes. This one passes the
 * request on to the system's older function. */

#include <windows.h>

BOOLEAN NTAPI SystemFunction036(PVOID buffer, ULONG length);

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE buffer, SIZE_T length) {
  while (length > 0) {
    ULONG part = length > 0x10000000 ? 0x10000000 : (ULONG)length;
    if (!SystemFunction036(buffer, part)) {
      return FALSE;
    }
    buffer += part;
    length -= part;
  }
  return TRUE;
}
