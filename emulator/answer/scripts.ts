/** What a message tells the emulator in so many words, between double brackets. */
export interface Scripts {
  /** `[[call name {"json":1}]]`: the calls of the first round. */
  readonly calls: readonly ScriptedCall[];
  /** `[[then name {…}]]`: one call for each round after it. */
  readonly later: readonly ScriptedCall[];
  /** `[[tokens N]]`: an answer of N words. */
  readonly words: number | undefined;
  /** `[[think N]]`: N words of reasoning. */
  readonly thinkWords: number | undefined;
}

export interface ScriptedCall {
  readonly name: string;
  /** As written: it may be no JSON. */
  readonly arguments: string;
}

const NONE: Scripts = { calls: [], later: [], words: undefined, thinkWords: undefined };
const MAX_WORDS = 2_000_000;

export function readScripts(text: string): Scripts {
  if (!text.includes('[[')) return NONE;
  const steps = [...text.matchAll(/\[\[(call|then)\s+([^\s\]{]{1,256})\s*/g)].map((match) => ({
    step: match[1],
    call: { name: match[2] ?? '', arguments: readArguments(text, match.index + match[0].length) },
  }));
  return {
    calls: steps.filter(({ step }) => step === 'call').map(({ call }) => call),
    later: steps.filter(({ step }) => step === 'then').map(({ call }) => call),
    words: numberOf(text, 'tokens'),
    thinkWords: numberOf(text, 'think'),
  };
}

/**
 * Up to the first `]]` that leaves JSON, which may contain brackets itself; failing that, up to
 * the first.
 */
function readArguments(text: string, start: number): string {
  const first = text.indexOf(']]', start);
  for (
    let end = first, tries = 0;
    end !== -1 && tries < 20;
    end = text.indexOf(']]', end + 1), tries += 1
  ) {
    const written = text.slice(start, end).trim();
    if (written === '') return '{}';
    try {
      JSON.parse(written);
      return written;
    } catch {
      // Not there yet, or no JSON at all, which a script may want.
    }
  }
  return text.slice(start, first === -1 ? text.length : first).trim();
}

function numberOf(text: string, name: string): number | undefined {
  const match = new RegExp(`\\[\\[${name}\\s+(\\d{1,7})\\]\\]`).exec(text);
  return match === null ? undefined : Math.min(MAX_WORDS, Number(match[1]));
}

const WORDS = [
  'amber',
  'birch',
  'cedar',
  'dune',
  'ember',
  'fern',
  'grove',
  'heath',
  'iris',
  'jade',
];

/** That many words, one token each. */
export function sayWords(count: number): string {
  const words: string[] = [];
  for (let at = 0; at < count; at += 1) words.push(WORDS[at % WORDS.length] ?? '');
  return words.join(' ');
}
