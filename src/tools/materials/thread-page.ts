import { threadUri } from './thread-list.ts';

/** A conversation as the tool shows it. */
export interface ShownThread {
  readonly thread: { readonly id: string };
  /** Oldest first. */
  readonly turns: readonly ShownTurn[];
}

interface ShownTurn {
  readonly turn: number;
  readonly text: string;
  /** Characters that follow. */
  readonly left_out?: number;
}

/** Turns of a page, and characters of what they say: what a client's model can take in at once. */
export const MAX_PAGE_TURNS = 50;
export const MAX_PAGE_CHARS = 60_000;
/** More than any turn has. */
const WHOLE_CHARS = 8_000_000;

/** The newest turns that fit into a page, the last of them in any case, and where the others are. */
export function threadPage({ thread, turns }: ShownThread): string {
  const shown = newestWithin(turns, MAX_PAGE_CHARS);
  const first = shown[0]?.turn ?? 1;
  const cut = shown.find(({ left_out: leftOut }) => leftOut !== undefined);
  return JSON.stringify({
    thread,
    turns: shown,
    ...(first > 1 && { older: `${threadUri(thread.id)}/before/${first}` }),
    ...(cut && { note: wholeWords(thread.id, cut.turn) }),
  });
}

function newestWithin(turns: readonly ShownTurn[], maxChars: number): readonly ShownTurn[] {
  let chars = 0;
  const over = turns.findLastIndex(({ text }) => (chars += text.length) > maxChars);
  return turns.slice(Math.min(over + 1, turns.length - 1));
}

function wholeWords(id: string, turn: number): string {
  const args = { action: 'show', id, before: turn + 1, limit: 1, max_chars: WHOLE_CHARS };
  return `Turn ${turn} is longer than a page: the tool threads shows all of it with ${JSON.stringify(args)}.`;
}
