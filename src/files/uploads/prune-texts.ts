import type { ProviderFileStore } from '#core/stores/files.ts';

/** The purpose under which recognised texts are stored; they leave no file at the provider. */
export const OCR = 'ocr';
/** The purpose under which it is stored that a provider could not extract a content. */
export const REFUSED = 'refused';
/** A provider may learn to read a content, and a failure may have been its own. */
export const REFUSED_MS = 6 * 3_600_000;

/**
 * Removes recognised texts that no principal has used since `beforeMs`, if there is such a time, and
 * refusals that do not count any more. Returns how many texts.
 */
export async function pruneTexts(
  store: Pick<ProviderFileStore, 'pruneProviderTexts'>,
  nowMs: number,
  beforeMs: number | undefined,
): Promise<number> {
  await store.pruneProviderTexts(REFUSED, nowMs - REFUSED_MS);
  return beforeMs === undefined ? 0 : store.pruneProviderTexts(OCR, beforeMs);
}
