import { loadLibrary } from './load-library.ts';
import type { PdfPage } from './pdf-library.ts';

/** A page with fewer characters than this may be a picture with a stamp on it. */
export const FEW_CHARACTERS = 40;
/** A picture that covers this part of a page is the page. */
const COVERING = 0.5;
/** Outlines of letters: a page drawn with at least this many paths is not empty. */
const MANY_PATHS = 20;

/** Does a document contain pictures? The dictionaries of streams are never compressed. */
export function hasPictures(bytes: Uint8Array): boolean {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // The name is searched in the bytes: a large document as a string would need its size again.
  for (let at = file.indexOf(IMAGE); at !== -1; at = file.indexOf(IMAGE, at + 1)) {
    const from = Math.max(0, at - BEFORE_BYTES);
    const around = file.toString('latin1', from, at + IMAGE.length + 1);
    if (/\/Subtype\s*\/Image(?:\W|$)/.test(around)) return true;
  }
  return false;
}

const IMAGE = '/Image';
/** White space between the two names; there is hardly any. */
const BEFORE_BYTES = 100;

/**
 * Is a page a picture? Pictures are not decoded, and pdf.js leaves those out that it does not
 * decode; the matrix that scales the picture to the page remains.
 */
export async function isPicture(page: PdfPage, characters: number): Promise<boolean> {
  const library = await loadLibrary();
  const { fnArray, argsArray } = await page.getOperatorList();
  const [left = 0, bottom = 0, right = 0, top = 0] = page.view;
  const area = Math.abs((right - left) * (top - bottom)) || 1;
  let paths = 0;
  for (const [at, operator] of fnArray.entries()) {
    if (operator === library.OPS['constructPath']) paths += 1;
    const args = argsArray[at];
    if (operator !== library.OPS['transform'] || !Array.isArray(args)) continue;
    const [a = 0, b = 0, c = 0, d = 0] = args as readonly number[];
    if (Math.abs(a * d - b * c) >= area * COVERING) return true;
  }
  return characters === 0 && (paths >= MANY_PATHS || fnArray.length > 1);
}
