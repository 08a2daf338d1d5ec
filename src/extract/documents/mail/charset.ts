import { isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';
import { codePageDecoder } from '../legacy/code-page.ts';

/** Decodes text of a mail by its stated charset; wrong and unknown ones are guessed from the bytes. */
export function decodeCharset(bytes: Uint8Array, charset: string | undefined): string {
  const label = charset
    ?.trim()
    .replace(/^["']|["']$/g, '')
    .toLowerCase();
  const isAscii = label === undefined || label === '' || /^(?:us-)?ascii$|^ansi_x3/.test(label);
  if (isAscii) return decodeUnstated(bytes);
  const codePage = /^(?:cp|ibm|x-cp|ms|windows-?)(\d{3,5})$/.exec(label)?.[1];
  if (codePage !== undefined) return codePageDecoder(Number(codePage))(bytes);
  try {
    return new TextDecoder(label).decode(bytes);
  } catch {
    return decodeUnstated(bytes);
  }
}

function decodeUnstated(bytes: Uint8Array): string {
  return new TextDecoder(isUtf8(bytes) ? 'utf-8' : 'windows-1252').decode(bytes);
}
