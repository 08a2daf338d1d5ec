import type { Complete } from '#core/prompt.ts';
import type { RecentThread, RecentThreads } from './recent-threads.ts';

/** As many as a client is shown. */
const MAX_VALUES = 100;
/** Of what was typed: every title is compared with it. */
const MAX_TYPED_CHARS = 200;

/** The caller's own conversations, newest first, found by the beginning of their ids or by words of their titles. */
export function completeThreads(recent: RecentThreads): Complete {
  return async (value, _args, { principal }) => {
    const typed = value.slice(0, MAX_TYPED_CHARS).trim().toLowerCase();
    const words = typed.split(/\s+/);
    return (await recent(principal))
      .filter((thread) => thread.id.startsWith(typed) || hasAll(thread, words))
      .slice(0, MAX_VALUES)
      .map(({ id }) => id);
  };
}

function hasAll({ title }: RecentThread, words: readonly string[]): boolean {
  const said = title.toLowerCase();
  return words.every((word) => said.includes(word));
}
