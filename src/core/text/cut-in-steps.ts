import { pause } from '../turns.ts';
import { cutCharacters } from './cut-words.ts';

/** A few milliseconds of work. */
const STEP_CHARS = 32_768;
/** How far back to look for a space at which to cut. */
const MAX_BACK = 256;
const SPACE = /\s/u;
const LOW_FIRST = 0xdc00;
const LOW_LAST = 0xdfff;

/** Longer texts should be cut in steps. */
export function isLongToCut(text: string): boolean {
  return text.length > STEP_CHARS;
}

/** The words of a long text as `cutCharacters` returns them, with pauses for other work. */
export async function cutInSteps(text: string, onWords: (words: string[]) => void): Promise<void> {
  for (let at = 0; at < text.length;) {
    const end = stepEnd(text, at + STEP_CHARS);
    onWords(cutCharacters(text.slice(at, end)));
    at = end;
    await pause();
  }
}

/** After a space if one is near; never within a character. */
function stepEnd(text: string, wanted: number): number {
  if (wanted >= text.length) return text.length;
  for (let end = wanted; end > wanted - MAX_BACK; end -= 1) {
    if (SPACE.test(text[end - 1] ?? '')) return end;
  }
  const code = text.charCodeAt(wanted);
  return code >= LOW_FIRST && code <= LOW_LAST ? wanted - 1 : wanted;
}
