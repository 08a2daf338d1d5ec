import type { FormatReader } from '../reader.ts';
import { readDecoded } from './decoded.ts';

/** Plain text and code, unchanged but for the ends of lines, so that line numbers stay. */
export const readText: FormatReader = (bytes, source) => {
  const { text, notices } = readDecoded(bytes, source);
  const markdown = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
  return { parts: [{ place: { is: 'document' }, markdown }], notices };
};
