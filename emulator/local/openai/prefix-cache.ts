import { createHash } from 'node:crypto';
import { countTokens } from '../../tokens.ts';

export interface PrefixCache {
  /** How many tokens of the prompt were there before, for this key; from now on all of them are. */
  visit(key: string, prompt: string): number;
  clear(): void;
}

const BLOCK_CHARS = 512;
const MAX_BLOCKS = 50_000;
const UNIT_TOKENS = 64;

/** A cache that works by itself: a prompt that begins as an earlier one did, for at least so many tokens, is cheaper. */
export function createPrefixCache(leastTokens: number): PrefixCache {
  const known = new Set<string>();

  return {
    visit(key, prompt) {
      let before = key;
      let sharedChars = 0;
      for (let at = 0; at + BLOCK_CHARS <= prompt.length; at += BLOCK_CHARS) {
        before = createHash('sha1')
          .update(before)
          .update(prompt.slice(at, at + BLOCK_CHARS))
          .digest('base64');
        if (known.has(before)) sharedChars = at + BLOCK_CHARS;
        else known.add(before);
      }
      for (const oldest of known) {
        if (known.size <= MAX_BLOCKS) break;
        known.delete(oldest);
      }
      if (sharedChars === 0) return 0;
      const tokens = countTokens(prompt.slice(0, sharedChars));
      return tokens < leastTokens ? 0 : tokens - (tokens % UNIT_TOKENS);
    },
    clear() {
      known.clear();
    },
  };
}
