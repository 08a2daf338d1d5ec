import type { SentenceTable } from './coded-message.ts';

/** Notices about a document that was read: what was corrected, guessed, or could not be read. */
export interface DocumentNoticeParams {
  /** The declared type or the extension disagrees with the bytes. */
  document_type_corrected: { readonly declared: string; readonly actual: string };
  /** Pages without a text layer; their pictures need text recognition (OCR). */
  document_pages_scanned: { readonly pages: readonly number[]; readonly total: number };
  document_encoding_guessed: { readonly encoding: string };
  document_has_no_pages: Record<never, never>;
  /** A part of a damaged document that could not be read. */
  document_part_damaged: { readonly part: string };
  /** Parts that are stored in the document and were not read, such as attachments and macros. */
  document_parts_not_read: { readonly parts: readonly string[] };
  document_hidden_parts: { readonly parts: readonly string[] };
}

export const DOCUMENT_NOTICE_SENTENCES: SentenceTable<DocumentNoticeParams> = {
  document_type_corrected: ({ declared, actual }) =>
    `The document is declared as ${declared}, but its bytes are ${actual}; it was read as ${actual}.`,
  document_pages_scanned: ({ pages, total }) =>
    pages.length === total
      ? 'The document is scanned: its pages are images without a text layer. Reading them needs OCR.'
      : `${pages.length === 1 ? 'Page' : 'Pages'} ${formatNumbers(pages)} of ${total} ${pages.length === 1 ? 'is an image' : 'are images'} without a text layer (scanned). Reading them needs OCR.`,
  document_has_no_pages: () => 'The document has no pages, slides or sheets; it was read whole.',
  document_encoding_guessed: ({ encoding }) =>
    `The document names no encoding; it was read as ${encoding}.`,
  document_part_damaged: ({ part }) => `The document is damaged: ${part} could not be read.`,
  document_parts_not_read: ({ parts }) => `These parts were not read: ${parts.join(', ')}.`,
  document_hidden_parts: ({ parts }) =>
    `These parts are hidden in the document, and were read: ${parts.join(', ')}.`,
};

/** `1, 3–5` */
function formatNumbers(numbers: readonly number[]): string {
  const runs: [number, number][] = [];
  for (const number of numbers) {
    const last = runs.at(-1);
    if (last !== undefined && last[1] === number - 1) last[1] = number;
    else runs.push([number, number]);
  }
  return runs.map(([from, to]) => (from === to ? `${from}` : `${from}–${to}`)).join(', ');
}
