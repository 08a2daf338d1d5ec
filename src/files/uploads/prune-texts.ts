import type { ProviderFileStore } from '#core/stores/files.ts';

/** The purpose under which recognised texts are stored; they leave no file at the provider. */
export const OCR = 'ocr';
/** The purpose under which it is stored that a provider could not extract a content. */
export const REFUSED = 'refused';
/** A provider may learn to read a content, and a failure may have been its own. */
export const REFUSED_MS = 6 * 3_600_000;

/**
 * Removes refusals that do not count any more; and if there is such a time as `beforeMs`, recognised
 * texts that no principal has used since, and texts extracted here before it, which are extracted
 * again when needed. Returns how many texts.
 */
export async function pruneTexts(
  store: Pick<ProviderFileStore, 'pruneProviderTexts' | 'pruneLocalTexts'>,
  nowMs: number,
  beforeMs: number | undefined,
): Promise<number> {
  await store.pruneProviderTexts(REFUSED, nowMs - REFUSED_MS);
  if (beforeMs === undefined) return 0;
  const recognised = await store.pruneProviderTexts(OCR, beforeMs);
  return recognised + (await store.pruneLocalTexts(beforeMs));
}
