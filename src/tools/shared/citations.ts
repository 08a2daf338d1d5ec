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
  }),
);

const MAX_TITLE_CHARS = 200;
const MAX_URL_CHARS = 2_048;

/** The citations of an answer as a numbered list below it; empty without citations. */
export function formatCitations(citations: readonly Citation[]): string {
  if (citations.length === 0) return '';
  const lines = citations.map((citation, index) => `${index + 1}. ${formatCitation(citation)}`);
  return `\n\nSources:\n${lines.join('\n')}`;
}

function formatCitation({ title, url, mark, date }: Citation): string {
  const name = oneLine(title, MAX_TITLE_CHARS).trim();
  const when = date === undefined || date === '' ? '' : ` (${oneLine(date, 40)})`;
  // The text refers to a source by its mark, so the list shows it.
  const sign = mark === undefined || mark === '' ? '' : `[${oneLine(mark, 40)}] `;
  const address = oneLine(url, MAX_URL_CHARS);
  return `${sign}${[name, address].filter((each) => each !== '').join(' – ')}${when}`;
}

/** A citation in the envelope: where the source is, not what it says. */
export function citationContent({ title, url, mark, date }: Citation) {
  return {
    title,
    url,
    ...(mark !== undefined && { mark }),
    ...(date !== undefined && { date }),
  };
}
