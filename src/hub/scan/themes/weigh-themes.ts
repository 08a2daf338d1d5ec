import type { SentenceReading } from './read-themes.ts';
import type { ScanTheme } from '#core/messages/scan-themes.ts';
import { THEMES } from './theme-table.ts';
import type { Theme } from './theme.ts';

/** What the themes within a few sentences that follow each other amount to. */
export interface WeighedThemes {
  readonly score: number;
  readonly themes: readonly ScanTheme[];
  /** Where they are, the first of them first. */
  readonly sentences: readonly SentenceReading[];
  /** Where the first of them is. */
  readonly excerpt: string;
}

/** The score at which a definition is withheld. */
export const BLOCKING_SCORE = 10;
/** Sentences that are read together: an order, its reason and what is left out. */
const TOGETHER = 3;
/** What a text about attacks quotes: `"…"`, but also by other marks. */
const QUOTED =
  /“[^”]{0,300}”|„[^“”]{0,300}[“”]|«[^»]{0,300}»|"[^"\n]{0,300}"|`[^`\n]{0,300}`|「[^」]{0,300}」|(?<=[\s(])'[^'\n]{3,300}'(?=[\s.,;:)]|$)/g;

/** Marks without an end take longer to look for than a text of many is worth. */
const MAX_QUOTING_CHARS = 20_000;

/** A text without what it quotes. */
export function withoutQuotes(text: string): string {
  return text.length > MAX_QUOTING_CHARS ? text : text.replaceAll(QUOTED, '""');
}

/** The sentences in a row whose themes weigh most. */
export function weighThemes(sentences: readonly SentenceReading[]): WeighedThemes {
  const themes = sentences.map((each) => each.themes);
  let best: WeighedThemes = { score: 0, themes: [], sentences: [], excerpt: '' };
  for (let from = 0; from < themes.length; from++) {
    if (themes[from]?.length === 0) continue;
    const near = themes.slice(from, from + TOGETHER).flat();
    const together = new Set(near);
    // A sentence of praise is nothing; sentence after sentence is what is meant to be read.
    const praise = near.filter((theme) => theme === 'praise').length;
    const repeated = Math.max(0, praise - 1) * THEMES.praise.weight;
    const score = [...together].reduce((sum, theme) => sum + THEMES[theme].weight, repeated);
    if (score > best.score)
      best = {
        score,
        themes: [...together],
        sentences: sentences.slice(from, from + TOGETHER),
        excerpt: sentences[from]?.sentence.raw ?? '',
      };
  }
  return best;
}

/** The themes that are enough by themselves, each with its finding. */
export function decisive(themes: readonly ScanTheme[]): readonly Theme[] {
  return themes
    .map((theme) => THEMES[theme])
    .filter(({ weight, code, effect }) => weight >= BLOCKING_SCORE && (code ?? effect));
}
