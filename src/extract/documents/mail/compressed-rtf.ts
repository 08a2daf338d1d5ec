import { damaged, tooLarge } from '../document-errors.ts';
import type { ByteView } from '../legacy/byte-view.ts';

const COMPRESSED = 0x7546_5a4c;
const UNCOMPRESSED = 0x414c_454d;
const WINDOW = 4096;
const MAX_BYTES = 128 * 1024 * 1024;
/** What both sides know before the first byte (MS-OXRTFCP). */
const KNOWN =
  '{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern ' +
  '\\fscript \\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0' +
  '\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx';

/** Unpacks the rich text of an Outlook message. */
export function decompressRtf(view: ByteView): Uint8Array {
  const size = view.u32(4);
  const kind = view.u32(8);
  if (kind === UNCOMPRESSED) return view.bytes.subarray(16, 16 + size);
  if (kind !== COMPRESSED) throw damaged('Outlook', 'its rich text is not compressed as it says');
  // A reference of two bytes is 17 bytes at most, so the size has a limit.
  const limit = Math.min(size, (view.length - 16) * 9);
  if (limit > MAX_BYTES) throw tooLarge('bytes of rich text', MAX_BYTES);
  const out = new Uint8Array(limit);
  const window = new Uint8Array(WINDOW);
  for (let at = 0; at < KNOWN.length; at++) window[at] = KNOWN.charCodeAt(at);
  let write = KNOWN.length;
  let length = 0;
  const put = (byte: number): void => {
    window[write] = byte;
    write = (write + 1) % WINDOW;
    if (length < limit) out[length++] = byte;
  };
  let at = 16;
  while (at < view.length && length < limit) {
    const control = view.u8(at++);
    for (let bit = 0; bit < 8 && at < view.length && length < limit; bit++) {
      if ((control & (1 << bit)) === 0) put(view.u8(at++));
      else {
        if (at + 2 > view.length) return out.subarray(0, length);
        const reference = (view.u8(at) << 8) | view.u8(at + 1);
        at += 2;
        let from = reference >> 4;
        if (from === write) return out.subarray(0, length);
        for (let count = (reference & 0xf) + 2; count > 0; count--) {
          put(window[from] ?? 0);
          from = (from + 1) % WINDOW;
        }
      }
    }
  }
  return out.subarray(0, length);
}
