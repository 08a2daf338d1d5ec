import { createHash } from 'node:crypto';
import type { Question } from '../answer.ts';

/** Below this nothing is cached; hits come in whole units of it. */
const UNIT_TOKENS = 256;
const BLOCK_CHARS = 1_024;
const MAX_BLOCKS = 200_000;

export interface PrefixCache {
  /** How many tokens of the prompt were found, and remembers it for the next. */
  use(prompt: CachedPrompt): number;
  clear(): void;
}

export interface CachedPrompt {
  /** The account and its `prompt_cache_key`: prefixes are shared within, never across. */
  readonly owner: string;
  readonly question: Question;
  readonly tokens: number;
  readonly ttlMs: number;
  readonly nowMs: number;
}

/** The automatic cache: a chain of digests over the prompt's text, block by block, so that only a true prefix is found. */
export function createPrefixCache(): PrefixCache {
  const blocks = new Map<string, number>();
  return {
    use({ owner, question, tokens, ttlMs, nowMs }) {
      if (tokens <= UNIT_TOKENS) return 0;
      const text = JSON.stringify([question.tools, question.messages]);
      let digest = owner;
      let found = 0;
      let isPrefix = true;
      for (let at = 0; at < text.length; at += BLOCK_CHARS) {
        const block = text.slice(at, at + BLOCK_CHARS);
        digest = createHash('sha1').update(digest).update(block).digest('base64');
        isPrefix &&= (blocks.get(digest) ?? 0) > nowMs;
        if (isPrefix) found += block.length;
        blocks.delete(digest);
        blocks.set(digest, nowMs + ttlMs);
      }
      for (const oldest of blocks.keys()) {
        if (blocks.size <= MAX_BLOCKS) break;
        blocks.delete(oldest);
      }
      const cached = Math.floor((tokens * found) / text.length / UNIT_TOKENS) * UNIT_TOKENS;
      return Math.min(cached, tokens);
    },
    clear() {
      blocks.clear();
    },
  };
}
