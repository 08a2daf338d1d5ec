import { anchorOf } from './anchor.ts';
import { createPrefixHold } from './prefix-hold.ts';
import { createContinuationStitcher, type ContinuationOptions } from './stitcher.ts';
import { MORE_WAYS, SEAM_WAYS } from './seam-ways.fixture.ts';
import { cutsOf } from './ways.fixture.ts';
import { createWordHold } from './word-hold.ts';

/** What a client was told of a text that broke off, and what was received and held back. */
export interface Told {
  readonly told: string;
  readonly heldBack: string;
}

/** Words with the space before them, in parts if they are long, as models write them. */
function tokensOf(text: string): readonly string[] {
  return text.match(/ ?[\p{L}\p{N}]{1,6}|\s+|[^\p{L}\p{N}\s]+/gu) ?? [];
}

/** Streams the first characters of a text, which breaks off there. */
export function toldUntil(text: string, cut: number): Told {
  const prefix = createPrefixHold();
  const word = createWordHold('');
  let told = '';
  for (const token of tokensOf(text.slice(0, cut))) told += word.add(prefix.add(token));
  return { told, heldBack: told === '' ? '' : word.held };
}

/** How a model is asked, and whether it does as it is asked. */
export const SEAM_ASKS: Readonly<
  Record<string, (told: string) => Pick<ContinuationOptions, 'anchor'>>
> = {
  'partial, ignored': () => ({}),
  'anchor, ignored': (told) => ({ anchor: anchorOf(told) }),
};

/**
 * `form`: whole, in characters that look alike. `added`: whole after words or marks that belong to neither
 * the text nor its end, such as a preamble.
 */
export type SeamResult =
  | 'whole'
  | 'typed'
  | 'doubled'
  | 'lost'
  | 'white space'
  | 'form'
  | 'added'
  | 'other';

export interface SeamCase {
  readonly text: string;
  readonly cut: number;
  readonly way: string;
  readonly asked: string;
  /** Whether the second model continues with the words of the first, or with others. */
  readonly words: 'same' | 'other';
}

/** What becomes of a text; undefined where the case is not possible. */
export function resultOf(
  { text, cut, way, asked, words }: SeamCase,
  tell: (text: string, cut: number) => Told = toldUntil,
): { readonly is: SeamResult; readonly whole: string; readonly got: string } | undefined {
  const { told, heldBack } = tell(text, cut);
  if (told === '' || told.length === text.length) return undefined;
  const rest = words === 'same' ? text.slice(told.length) : otherWords(text, told.length);
  if (rest === undefined) return undefined;
  const said = { ...SEAM_WAYS, ...MORE_WAYS }[way]?.(told, rest);
  if (said === undefined) return undefined;
  const stitcher = createContinuationStitcher(told, { ...SEAM_ASKS[asked]?.(told), heldBack });
  let got = told;
  for (const token of tokensOf(said)) got += stitcher.add(token);
  got += stitcher.end();
  const whole = told + rest;
  if (stitcher.refused) return { is: 'typed', whole, got };
  const is = compare(whole, got);
  const isAdded =
    is === 'doubled' && way.startsWith('after ') && blankless(got) === blankless(told + said);
  return { is: isAdded ? 'added' : is, whole, got };
}

/** The text after the next word: it goes on with the same white space and another word. */
function otherWords(text: string, from: number): string | undefined {
  const next = /^(\s*)(?:[\p{Lo}]{2}|[\p{L}\p{N}'-]+)(?=(\s*)(\p{L}?))/u.exec(text.slice(from));
  if (!next || next[1] !== next[2] || next[3] === '') return undefined;
  return text.slice(from + next[0].length);
}

const blankless = (text: string) => text.replaceAll(/\s/gu, '');

function compare(whole: string, got: string): SeamResult {
  if (got === whole) return 'whole';
  if (blankless(got) === blankless(whole)) return 'white space';
  const formless = (text: string) => blankless(text.normalize('NFC').replaceAll(/\uFEFF/gu, ''));
  if (formless(got) === formless(whole)) return 'form';
  if (got.length > whole.length) return 'doubled';
  return got.length < whole.length ? 'lost' : 'other';
}

/** All cases of these texts, at every `each`-th cut. */
export function* seamCases(
  texts: Readonly<Record<string, string>>,
  each: number,
  ways: Readonly<Record<string, unknown>> = SEAM_WAYS,
): Generator<SeamCase & { readonly name: string }> {
  let turn = 0;
  for (const [name, text] of Object.entries(texts))
    for (const cut of cutsOf(text))
      for (const way of Object.keys(ways))
        for (const asked of Object.keys(SEAM_ASKS))
          for (const words of ['same', 'other'] as const)
            if (turn++ % each === 0) yield { name, text, cut, way, asked, words };
}
