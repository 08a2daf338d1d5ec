import type { ConversationStore, Turn } from '#core/stores/conversations.ts';

/** A page is a few turns until it is known how long they are: one of many long turns would be far more than was asked for. */
const FIRST_TURNS = 4;
const MAX_TURNS_PER_READ = 32;
/** So much larger than the page before it is the next one at most. */
const GROWTH = 8;

export interface TurnsWish {
  readonly id: string;
  readonly principal: string;
  /** How many at most. */
  readonly limit: number;
  /** Only those with a smaller number. */
  readonly beforeSeq: number;
  /** Once there are so many, no further turns are read. */
  readonly maxChars: number;
}

/** The newest turns, oldest of them first: as many as were asked for, unless that would be too much to hold. */
export async function readTurns(
  store: Pick<ConversationStore, 'turns'>,
  { id, principal, limit, beforeSeq, maxChars }: TurnsWish,
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
    const pageChars = page.reduce((sum, { content }) => sum + content.length, 0);
    chars += pageChars;
    const fitting = Math.ceil((maxChars - chars) / Math.max(1, pageChars / page.length));
    size = Math.max(1, Math.min(MAX_TURNS_PER_READ, page.length * GROWTH, fitting));
  }
  return pages.toReversed().flat();
}
