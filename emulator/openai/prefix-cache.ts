import { createPrefixMemory } from '../prefix-memory.ts';
import { countTokens } from '../tokens.ts';

export interface PrefixCache {
  /** How many tokens of the prompt were there before, for this key; from now on all of them are. */
  visit(key: string, prompt: string): number;
  clear(): void;
}

const BLOCK_CHARS = 512;
const UNIT_TOKENS = 64;
const FOR_GOOD = { nowMs: 0, untilMs: Infinity };

/**
 * A cache that works by itself: a prompt that begins as an earlier one did, for at least so many
 * tokens, is cheaper.
 */
export function createPrefixCache(leastTokens: number): PrefixCache {
  const memory = createPrefixMemory({ blockChars: BLOCK_CHARS, maxBlocks: 50_000 });
  return {
    visit(key, prompt) {
      const whole = prompt.slice(0, prompt.length - (prompt.length % BLOCK_CHARS));
      const sharedChars = memory.visit(key, whole, FOR_GOOD);
      const tokens = countTokens(prompt.slice(0, sharedChars));
      return tokens < leastTokens ? 0 : tokens - (tokens % UNIT_TOKENS);
    },
    clear() {
      memory.clear();
    },
  };
}
