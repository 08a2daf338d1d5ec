import { damaged } from '../document-errors.ts';
import type { FormatReader } from '../reader.ts';
import { parseRtf } from './rtf-parser.ts';

/** Reads rich text (RTF). */
export const readRtf: FormatReader = (bytes) => {
  if (!startsAsRtf(bytes)) throw damaged('RTF', 'it does not start as RTF');
  const { title, author, markdown } = parseRtf(bytes);
  return {
    ...(title !== '' && { title }),
    ...(author !== '' && { author }),
    parts: [{ place: { is: 'document' }, markdown }],
    notices: [],
  };
};

/** `{\rtf`, perhaps after a mark or white space. */
function startsAsRtf(bytes: Uint8Array): boolean {
  return /^(?:\u00ef\u00bb\u00bf)?\s*\{\\rtf/.test(String.fromCharCode(...bytes.subarray(0, 64)));
}
