import * as z from 'zod';
import type { Citation } from '#core/llm/chat.ts';
import { oneLine } from '#core/text/text.ts';

/** The citations of an answer in its envelope, as `citationContent` writes them. */
export const CitationsShape = z.array(
  z.strictObject({
    title: z.string(),
    url: z.string(),
    mark: z.string().optional().describe('How the text refers to it.'),
    date: z.string().optional(),
    snippet: z.string().optional().describe('The beginning of what the source says.'),
  }),
);

const MAX_TITLE_CHARS = 200;
const MAX_URL_CHARS = 2_048;
const MAX_SNIPPET_CHARS = 500;

/** The citations of an answer as a numbered list below it; empty without citations. */
export function formatCitations(citations: readonly Citation[]): string {
  if (citations.length === 0) return '';
  return `\n\nSources:\n${citations.map(formatCitation).join('\n')}`;
}

/** The results of a search: the same list, each with the beginning of its text. */
export function formatResults(results: readonly Citation[]): string {
  return results
    .map((each, index) => {
      const snippet = snippetOf(each);
      return `${formatCitation(each, index)}${snippet === '' ? '' : `\n   ${snippet}`}`;
    })
    .join('\n');
}

/** `1. Title – https://a.example (2026-01-31)`. A mark is shown where it is not the number. */
function formatCitation({ title, url, mark, date }: Citation, index: number): string {
  const number = String(index + 1);
  const name = oneLine(title, MAX_TITLE_CHARS).trim();
  const when = date === undefined || date === '' ? '' : ` (${oneLine(date, 40)})`;
  const isNumber = mark === undefined || mark === '' || mark === number;
  // The text refers to a source by its mark, so the list shows it.
  const sign = isNumber ? '' : `[${oneLine(mark, 40)}] `;
  const address = oneLine(url, MAX_URL_CHARS);
  return `${number}. ${sign}${[name, address].filter((each) => each !== '').join(' – ')}${when}`;
}

/** A citation in the envelope: where the source is, and the beginning of what it says. */
export function citationContent(citation: Citation) {
  const { title, url, mark, date } = citation;
  const snippet = snippetOf(citation);
  return {
    title,
    url,
    ...(mark !== undefined && { mark }),
    ...(date !== undefined && { date }),
    ...(snippet !== '' && { snippet }),
  };
}

function snippetOf({ text = '' }: Citation): string {
  return oneLine(text.replaceAll(/\s+/gu, ' ').trim(), MAX_SNIPPET_CHARS);
}
