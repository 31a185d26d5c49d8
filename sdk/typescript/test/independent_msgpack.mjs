// A reader of msgpack that shares nothing with the SDK's: it is written after the table of formats, one line for each.

const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The value of these bytes; an extension is `{ ext, data }`, each integer a bigint. Throws if they are not one value. */
export function read(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  const take = (count) => {
    at += count;
    if (at > bytes.length) throw new RangeError("cut off");
    return at - count;
  };
  const uint = (width) => {
    let found = 0n;
    for (let start = take(width), index = 0; index < width; index += 1) found = found * 256n + BigInt(bytes[start + index]);
    return found;
  };
  const int = (width) => BigInt.asIntN(width * 8, uint(width));
  const size = (width) => Number(uint(width));
  const slice = (count) => bytes.slice(take(count), at);
  const string = (count) => text.decode(slice(count));
  const list = (count) => Array.from({ length: count }, value);
  const map = (count) => new Map(Array.from({ length: count }, () => [value(), value()]));
  const ext = (count) => ({ ext: Number(int(1)), data: slice(count) });
  function value() {
    const head = size(1);
    if (head <= 0x7f) return BigInt(head);
    if (head <= 0x8f) return map(head - 0x80);
    if (head <= 0x9f) return list(head - 0x90);
    if (head <= 0xbf) return string(head - 0xa0);
    if (head >= 0xe0) return BigInt(head - 256);
    switch (head) {
      case 0xc0: return null;
      case 0xc2: return false;
      case 0xc3: return true;
      case 0xc4: return slice(size(1));
      case 0xc5: return slice(size(2));
      case 0xc6: return slice(size(4));
      case 0xc7: return ext(size(1));
      case 0xc8: return ext(size(2));
      case 0xc9: return ext(size(4));
      case 0xca: return view.getFloat32(take(4));
      case 0xcb: return view.getFloat64(take(8));
      case 0xcc: return uint(1);
      case 0xcd: return uint(2);
      case 0xce: return uint(4);
      case 0xcf: return uint(8);
      case 0xd0: return int(1);
      case 0xd1: return int(2);
      case 0xd2: return int(4);
      case 0xd3: return int(8);
      case 0xd4: return ext(1);
      case 0xd5: return ext(2);
      case 0xd6: return ext(4);
      case 0xd7: return ext(8);
      case 0xd8: return ext(16);
      case 0xd9: return string(size(1));
      case 0xda: return string(size(2));
      case 0xdb: return string(size(4));
      case 0xdc: return list(size(2));
      case 0xdd: return list(size(4));
      case 0xde: return map(size(2));
      case 0xdf: return map(size(4));
      default: throw new RangeError(`0x${head.toString(16)} begins nothing`);
    }
  }
  const found = value();
  if (at !== bytes.length) throw new RangeError(`${bytes.length - at} bytes are behind the value`);
  return found;
}
