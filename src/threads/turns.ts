import type { ChatMessage } from '#core/llm/chat.ts';
import type { ConversationStore, Turn } from '#core/stores/conversations.ts';
import { oneLine } from '#core/text/text.ts';

const MAX_NAMES = 50;
const MAX_NAME_CHARS = 200;

/**
 * Stored turns as chat messages, oldest first. Deterministic, so that vendors' prompt caches hit.
 * The model of the conversation gets its own reasoning back, and no other model's.
 */
export function toHistory(turns: readonly Turn[], ownModel: string | null = null): ChatMessage[] {
  return turns.flatMap(({ role, content, files, model, reasoning }): ChatMessage[] => {
    const text = role === 'user' && files.length > 0 ? withFiles(content, files) : content;
    // Vendors refuse empty messages.
    if (text === '') return [];
    const isOwn = role === 'assistant' && model !== null && model === ownModel;
    return [{ role, content: text, ...(isOwn && reasoning !== '' && { reasoning }) }];
  });
}

/**
 * Appends the names of attached files. Their contents are not stored; a later call reads the files
 * as they are then.
 */
function withFiles(content: string, files: readonly string[]): string {
  const names = files.slice(0, MAX_NAMES).map((name) => oneLine(name, MAX_NAME_CHARS));
  const more = files.length > MAX_NAMES ? ` and ${files.length - MAX_NAMES} more` : '';
  const line = `[Files with this message: ${names.join(', ')}${more}]`;
  return content === '' ? line : `${content}\n\n${line}`;
}

/** Paths attached to any turn, newest first, each once. */
export function attachedPaths(turns: readonly Turn[]): string[] {
  return [...new Set(turns.toReversed().flatMap(({ files }) => files))];
}

const MAX_TITLE_CHARS = 80;
/** Only the start of a text, which may be megabytes, is searched for a title. */
const MAX_SCANNED_CHARS = 4_000;
// Bidirectional control characters, which would reverse the line that shows the title.
const BIDI_CONTROLS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const FORK = / \(fork(?: (\d{1,6}))?\)$/;

/** The first line of a text as a title; undefined when it is blank. */
export function threadTitle(text: string): string | undefined {
  const [first = ''] = text
    .slice(0, MAX_SCANNED_CHARS)
    .replaceAll(BIDI_CONTROLS, '')
    .trim()
    .split(/[\n\r\u2028\u2029]/, 1);
  const title = oneLine(first.replaceAll(/\s+/g, ' '), MAX_TITLE_CHARS).toWellFormed().trim();
  return title === '' ? undefined : title;
}

/**
 * The title of a fork: `… (fork)`, then `… (fork 2)`, so that a list shows which one is the copy.
 */
export function forkTitle(title: string): string {
  const [whole = '', count = '1'] = FORK.exec(title) ?? [];
  const mark = whole === '' ? ' (fork)' : ` (fork ${Number(count) + 1})`;
  const bare = title.slice(0, title.length - whole.length);
  return `${oneLine(bare, MAX_TITLE_CHARS - mark.length)
    .toWellFormed()
    .trim()}${mark}`;
}

/**
 * The first page is small, as the length of the turns is unknown and a page of long turns would be
 * far too large.
 */
const FIRST_TURNS = 4;
const MAX_TURNS_PER_READ = 32;
/** The next page is at most this many times larger. */
const GROWTH = 8;

interface ReadTurnsOptions {
  readonly id: string;
  readonly principal: string;
  /** Maximum number of turns. */
  readonly limit: number;
  /** Only turns with a smaller number. */
  readonly beforeSeq: number;
  /** Reading stops when this many characters are reached. */
  readonly maxChars: number;
}

/** The newest turns, oldest first: up to `limit`, or fewer when `maxChars` is reached. */
export async function readTurns(
  store: Pick<ConversationStore, 'turns'>,
  { id, principal, limit, beforeSeq, maxChars }: ReadTurnsOptions,
): Promise<readonly Turn[]> {
  const pages: Turn[][] = [];
  let before = beforeSeq;
  let wanted = limit;
  let chars = 0;
  let size = FIRST_TURNS;
  while (before > 1 && wanted > 0 && chars < maxChars) {
    const page = await store.turns(id, principal, Math.min(size, wanted), before);
    const [oldest] = page;
    if (!oldest) break;
    pages.push(page);
    before = oldest.seq;
    wanted -= page.length;
    const pageChars = page.reduce(
      (sum, { content, reasoning }) => sum + content.length + reasoning.length,
      0,
    );
    chars += pageChars;
    const fitting = Math.ceil((maxChars - chars) / Math.max(1, pageChars / page.length));
    size = Math.max(1, Math.min(MAX_TURNS_PER_READ, page.length * GROWTH, fitting));
  }
  return pages.toReversed().flat();
}
