import type { PageLayout } from './page-layout.ts';

/** Counts the characters of each font size. */
export interface SizeCount {
  add(layout: PageLayout): void;
  mostUsed(): number;
}

export function createSizeCount(): SizeCount {
  const characters = new Map<number, number>();
  return {
    add({ blocks }) {
      for (const block of blocks)
        for (const { segments } of block)
          for (const { text, size } of segments) {
            const rounded = Math.round(size * 4) / 4;
            characters.set(rounded, (characters.get(rounded) ?? 0) + text.length);
          }
    },
    mostUsed() {
      let best = 0;
      let most = 0;
      for (const [size, count] of characters)
        if (count > most) {
          most = count;
          best = size;
        }
      return best || 1;
    },
  };
}
