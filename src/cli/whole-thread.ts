import type { CallThreads, ThreadRow, TurnRow } from './threads-tool.ts';

export interface WholeThread {
  readonly thread: ThreadRow;
  readonly turns: readonly TurnRow[];
}

/** The most that the tool gives of a turn. */
const MAX_TURN_CHARS = 8_000_000;

/** All turns of a conversation, oldest first, page by page. */
export async function wholeThread(call: CallThreads, id: string): Promise<WholeThread> {
  const wish = { id, limit: 100, max_chars: MAX_TURN_CHARS };
  const newest = await call('show', wish);
  const pages = [newest.turns];
  // Each page begins before the one before it, so that this ends even if the conversation grows meanwhile.
  for (let { next } = newest; next !== undefined;) {
    const page = await call('show', { ...wish, before: next });
    pages.push(page.turns);
    next = page.next !== undefined && page.next < next ? page.next : undefined;
  }
  return { thread: newest.thread, turns: pages.toReversed().flat() };
}
