import { createPrefixMemory } from '../prefix-memory.ts';

/** Below this nothing is cached; hits come in whole units of it. */
const UNIT_TOKENS = 256;

export interface PrefixCache {
  /** How many tokens of the prompt were found, and remembers it for the next. */
  use(prompt: CachedPrompt): number;
  clear(): void;
}

export interface CachedPrompt {
  /** The account and its `prompt_cache_key`: prefixes are shared within, never across. */
  readonly owner: string;
  /** Tools and messages, in their order. */
  readonly text: string;
  readonly tokens: number;
  readonly ttlMs: number;
  readonly nowMs: number;
}

/** The automatic cache. */
export function createPrefixCache(): PrefixCache {
  const memory = createPrefixMemory({ blockChars: 1_024, maxBlocks: 200_000 });
  return {
    use({ owner, text, tokens, ttlMs, nowMs }) {
      if (tokens <= UNIT_TOKENS) return 0;
      const found = memory.visit(owner, text, { nowMs, untilMs: nowMs + ttlMs });
      const cached = Math.floor((tokens * found) / text.length / UNIT_TOKENS) * UNIT_TOKENS;
      return Math.min(cached, tokens);
    },
    clear() {
      memory.clear();
    },
  };
}
