import { bookmarkKey } from './paragraphs.ts';
import type { PdfDocument, PdfOutlineNode } from './pdf-library.ts';

/** What a document says about itself. */
export interface DocumentData {
  readonly title?: string;
  readonly author?: string;
  /** In ISO 8601. */
  readonly date?: string;
  readonly language?: string;
  /** Names of the files in the document. */
  readonly attachments: readonly string[];
  /** Levels of the bookmarks, by their title. */
  readonly bookmarks: ReadonlyMap<string, number>;
}

/** What programs write where the user wrote nothing. */
const EMPTY = /^\s*\(?(?:anonymous|untitled|unspecified|unknown)?\)?\s*$/i;
const MAX_BOOKMARKS = 20_000;
const MAX_LEVEL = 6;

/** Data that cannot be read is missing; the text decides whether the document is damaged. */
export async function readDocumentData(pdf: PdfDocument): Promise<DocumentData> {
  const { info } = await pdf.getMetadata().catch(() => ({ info: {} }));
  const attachments = await pdf.getAttachments().catch(() => null);
  const outline = await pdf.getOutline().catch(() => null);
  const fields: Readonly<Record<string, unknown>> = info;
  const [title, author, language] = [fields['Title'], fields['Author'], fields['Language']].map(
    (value) => (typeof value === 'string' && !EMPTY.test(value) ? value.trim() : undefined),
  );
  const date = readDate(fields['CreationDate']);
  return {
    ...(title !== undefined && { title }),
    ...(author !== undefined && { author }),
    ...(date !== undefined && { date }),
    ...(language !== undefined && { language }),
    attachments: Object.entries(attachments ?? {}).map(([key, { filename }]) => filename ?? key),
    bookmarks: bookmarkLevels(outline ?? []),
  };
}

/** `D:20240131120000+01'00'` as `2024-01-31`. */
function readDate(value: unknown): string | undefined {
  const found = typeof value === 'string' ? /^(?:D:)?(\d{4})(\d\d)(\d\d)/.exec(value) : null;
  return found === null ? undefined : `${found[1]}-${found[2]}-${found[3]}`;
}

function bookmarkLevels(outline: readonly PdfOutlineNode[]): Map<string, number> {
  const levels = new Map<string, number>();
  const waiting = outline.map((node) => ({ node, level: 1 })).toReversed();
  while (waiting.length > 0 && levels.size < MAX_BOOKMARKS) {
    const next = waiting.pop();
    if (next === undefined) break;
    const key = bookmarkKey(next.node.title);
    if (key.length > 1 && !levels.has(key)) levels.set(key, Math.min(next.level, MAX_LEVEL));
    for (const node of next.node.items.toReversed()) waiting.push({ node, level: next.level + 1 });
  }
  return levels;
}
