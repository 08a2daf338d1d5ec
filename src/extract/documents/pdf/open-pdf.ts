import type { CallError } from '#core/errors/call-error.ts';
import { damaged, needsPassword } from '../document-errors.ts';
import type { BytesUse } from '../reader.ts';
import { BundledCharacterMaps } from './character-maps.ts';
import { loadLibrary } from './load-library.ts';
import type { PdfDocument } from './pdf-library.ts';

const FORMAT = 'PDF';
/** `PasswordException.code` of pdf.js for a wrong password; 1 is a missing one. */
const WRONG_PASSWORD = 2;

/** Opens a document. pdf.js takes its input away, so bytes that are kept are copied. */
export async function openPdf(
  bytes: Uint8Array,
  password: string | undefined,
  use: BytesUse = 'kept',
): Promise<PdfDocument> {
  const library = await loadLibrary();
  const task = library.getDocument({
    data: use === 'taken' ? bytes : bytes.slice(),
    ...(password !== undefined && { password }),
    // Nothing is fetched, evaluated or drawn; images are never decoded.
    isEvalSupported: false,
    useWorkerFetch: false,
    useWasm: false,
    // Otherwise pdf.js would ask for the outlines of the standard fonts. None is drawn.
    useSystemFonts: true,
    disableFontFace: true,
    disableRange: true,
    disableStream: true,
    disableAutoFetch: true,
    isOffscreenCanvasSupported: false,
    isImageDecoderSupported: false,
    maxImageSize: 1,
    cMapUrl: 'bundled/',
    cMapPacked: true,
    BinaryDataFactory: BundledCharacterMaps,
    enableXfa: false,
    verbosity: 0,
  });
  try {
    return await task.promise;
  } catch (thrown) {
    await task.destroy();
    throw openError(thrown);
  }
}

function openError(thrown: unknown): CallError {
  if (!(thrown instanceof Error)) return damaged(FORMAT, 'it has no valid structure', thrown);
  if (thrown.name === 'PasswordException')
    return needsPassword(
      FORMAT,
      'code' in thrown && thrown.code === WRONG_PASSWORD ? 'wrong' : 'missing',
    );
  return damaged(FORMAT, 'it has no valid structure', thrown);
}
