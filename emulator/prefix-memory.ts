import { createHash } from 'node:crypto';

export interface PrefixMemory {
  /**
   * How many characters a text begins with that were there before; from now on all of it is, until
   * then.
   */
  visit(owner: string, text: string, stay: Stay): number;
  clear(): void;
}

export interface Stay {
  readonly nowMs: number;
  readonly untilMs: number;
}

export interface MemoryLimits {
  readonly blockChars: number;
  readonly maxBlocks: number;
}

/**
 * A chain of digests over the text, block by block, so that only a true prefix is found, and only
 * by its owner.
 */
export function createPrefixMemory({ blockChars, maxBlocks }: MemoryLimits): PrefixMemory {
  const blocks = new Map<string, number>();
  return {
    visit(owner, text, { nowMs, untilMs }) {
      let digest = owner;
      let found = 0;
      let isPrefix = true;
      for (let at = 0; at < text.length; at += blockChars) {
        const block = text.slice(at, at + blockChars);
        digest = createHash('sha1').update(digest).update(block).digest('base64');
        isPrefix &&= (blocks.get(digest) ?? 0) > nowMs;
        if (isPrefix) found += block.length;
        // Last in the order, as the one that was used last.
        blocks.delete(digest);
        blocks.set(digest, untilMs);
      }
      for (const oldest of blocks.keys()) {
        if (blocks.size <= maxBlocks) break;
        blocks.delete(oldest);
      }
      return found;
    },
    clear() {
      blocks.clear();
    },
  };
}
