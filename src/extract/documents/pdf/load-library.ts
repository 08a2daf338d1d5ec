import type { PdfLibrary } from './pdf-library.ts';

/** Loads pdf.js with the first document. It brings the built-ins that Node 20 lacks, but for these. */
export async function loadLibrary(): Promise<PdfLibrary> {
  defineMissing(ArrayBuffer.prototype, 'transferToFixedLength', copyToLength);
  defineMissing(URL, 'parse', parseUrl);
  return (await import('unpdf/pdfjs')) as unknown as PdfLibrary;
}

/** The original is not detached; pdf.js does not use it again. */
function copyToLength(this: ArrayBuffer, length: number = this.byteLength): ArrayBuffer {
  if (length <= this.byteLength) return this.slice(0, length);
  const copy = new ArrayBuffer(length);
  new Uint8Array(copy).set(new Uint8Array(this));
  return copy;
}

function parseUrl(url: string, base?: string): URL | null {
  try {
    return new URL(url, base);
  } catch {
    return null;
  }
}

function defineMissing(holder: object, name: string, value: unknown): void {
  if (name in holder) return;
  Object.defineProperty(holder, name, { value, configurable: true, writable: true });
}
