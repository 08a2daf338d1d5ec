import type { ConversationStore, Turn } from '#core/stores/conversations.ts';

/** Most conversations are one read, and none of many long turns is held whole. */
const TURNS_PER_READ = 32;

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
  while (before > 1 && wanted > 0 && chars < maxChars) {
    const page = await store.turns(id, principal, Math.min(TURNS_PER_READ, wanted), before);
    const [oldest] = page;
    if (!oldest) break;
    pages.push(page);
    before = oldest.seq;
    wanted -= page.length;
    for (const { content } of page) chars += content.length;
  }
  return pages.toReversed().flat();
}
