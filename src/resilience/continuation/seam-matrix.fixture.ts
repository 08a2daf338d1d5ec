import { anchorOf } from './anchor.ts';
import { createPrefixHold } from './prefix-hold.ts';
import { createContinuationStitcher, type ContinuationOptions } from './stitcher.ts';
import { cutsOf, PREAMBLES } from './ways.fixture.ts';
import { createWordHold } from './word-hold.ts';

/** Texts of the kinds that models write. */
export const SEAM_TEXTS = {
  English:
    'A circuit breaker stands between a client and a service that may fail. It counts failures, and when too ' +
    'many of them come within a short time, it opens: every request is refused at once, so that neither side ' +
    'waits for something that cannot happen. After a cool-down one probe is let through.\n\nIf it succeeds, the ' +
    "breaker closes again; if it doesn't, the next cool-down is longer than the last, up to 3.5 minutes.",
  German:
    'Ein Schutzschalter steht zwischen einem Kunden und einem Dienst, der ausfallen kann. Er zählt die Fehler, ' +
    'und wenn zu viele in kurzer Zeit kommen, öffnet er sich: Jede Anfrage wird sofort abgelehnt, damit keine ' +
    'Seite auf etwas wartet, das nicht geschehen kann. Nach einer Pause darf die erste Anfrage wieder durch.',
  Chinese:
    '熔断器在连续失败之后打开，冷却一段时间，然后只放行一个探测请求；如果成功就重新关闭，否则再等更久。每个模型都有一个，账户也有一个。' +
    '请注意：限额是设置的一部分，可以用 doctor 命令查看，每天零点重新计算。',
  'Markdown table':
    'Here are the prices:\n\n| model | input | output |\n|---|---|---|\n' +
    Array.from(
      { length: 8 },
      (_, at) => `| model ${at} | ${at * 17} tokens | ${at % 2 === 0 ? 'yes' : 'no'} |\n`,
    ).join(''),
  'a list':
    'The steps are:\n\n1. Open the settings.\n2. Choose a model, such as a small one.\n3. Save it.\n\n' +
    '- The key is kept in a file\n- The port is 8765\n- The log is written every day\n- **Note:** it is not sent\n',
  code:
    '```ts\nexport function add(a: number, b: number): number {\n  if (a === 0) {\n    return b;\n  }\n  for (const ' +
    'item of items) {\n    total += item.price * item.count;\n  }\n  return add(a - 1, b + 1);\n}\n```\n',
  'JSON-like':
    '{\n  "name": "breaker",\n  "limits": { "kimi": 20, "glm": 10 },\n  "models": ["kimi-k3", "glm-5.3"],\n' +
    '  "open": false,\n  "coolOffMs": 10000,\n  "note": "opens after failures"\n}\n',
  'one sentence eight times': 'The daemon checks each request, and then it asks a model. '.repeat(
    8,
  ),
  'equal rows': '| 0 | 0 | 0 |\n'.repeat(14),
  'equal lines of code': 'for (const a of b) {\n  count += a;\n}\n'.repeat(6),
  'one Chinese sentence six times': '熔断器在连续失败之后打开，冷却一段时间。'.repeat(6),
} as const;
export type SeamText = keyof typeof SEAM_TEXTS;

/** Texts that repeat themselves: where a continuation begins in them may be impossible to know. */
export const PERIODIC: ReadonlySet<string> = new Set<SeamText>([
  'one sentence eight times',
  'equal rows',
  'equal lines of code',
  'one Chinese sentence six times',
]);

const ROW = '| 0 | 0 | 0 |\n';
const SENTENCE = 'The daemon checks each request, and then it asks a model. ';

/** Texts that repeat themselves after a beginning that they do not repeat. */
export const HEADED_TEXTS = {
  'equal rows under a heading': `The rows without a value are these:\n\n${ROW.repeat(12)}`,
  'one sentence over and over': `You wanted it six times. ${SENTENCE.repeat(6)}`,
  'zeros in a list': `const first = [${'0, '.repeat(40)}1];\n`,
} as const;

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

type Way = (told: string, rest: string) => string | undefined;

const lastWords = (told: string, count: number) =>
  new RegExp(`(?:\\S+\\s+){0,${count - 1}}\\S+$`, 'u').exec(told)?.[0];

/** The ways in which models continue, by name; undefined where one is not possible. */
export const SEAM_WAYS: Readonly<Record<string, Way>> = {
  exactly: (_, rest) => rest,
  'begins again': (told, rest) => told + rest,
  'repeats the last word': (told, rest) => {
    const word = lastWords(told, 1);
    return word === undefined ? undefined : word + rest;
  },
  'repeats the last three words': (told, rest) => {
    const words = lastWords(told, 3);
    return words === undefined ? undefined : words + rest;
  },
  'a preamble': (_, rest) => PREAMBLES[0] + rest.trimStart(),
  'a preamble and the last word': (told, rest) => PREAMBLES[0] + (lastWords(told, 1) ?? '') + rest,
  'the anchor, as it was asked': (told, rest) => {
    const anchor = anchorOf(told);
    return anchor === undefined ? undefined : anchor + rest;
  },
  'an added line break': (_, rest) => `\n${rest}`,
  'an added space': (_, rest) => ` ${rest}`,
  'a line break instead of white space': (_, rest) =>
    /^\s/.test(rest) ? `\n${rest.trimStart()}` : undefined,
  'white space left out': (_, rest) => (/^\s/.test(rest) ? rest.trimStart() : undefined),
  ...Object.fromEntries(
    Array.from({ length: 30 }, (_, at): [string, Way] => [
      `repeats the last ${at + 1} characters`,
      (told, rest) => (told.length <= at + 1 ? undefined : told.slice(-(at + 1)) + rest),
    ]),
  ),
};

/** How a model is asked, and whether it does as it is asked. */
export const SEAM_ASKS: Readonly<Record<string, (told: string) => ContinuationOptions>> = {
  'partial, ignored': () => ({ how: 'prefix' }),
  'anchor, ignored': (told) => ({ anchor: anchorOf(told) }),
};

export type SeamResult = 'whole' | 'typed' | 'doubled' | 'lost' | 'white space' | 'other';

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
  const said = SEAM_WAYS[way]?.(told, rest);
  if (said === undefined) return undefined;
  const stitcher = createContinuationStitcher(told, { ...SEAM_ASKS[asked]?.(told), heldBack });
  let got = told;
  for (const token of tokensOf(said)) got += stitcher.add(token);
  got += stitcher.end();
  const whole = told + rest;
  return { is: stitcher.refused ? 'typed' : compare(whole, got), whole, got };
}

/** The text after the next word: it goes on with the same white space and another word. */
function otherWords(text: string, from: number): string | undefined {
  const next = /^(\s*)(?:[\p{Lo}]{2}|[\p{L}\p{N}'-]+)(?=(\s*)(\p{L}?))/u.exec(text.slice(from));
  if (!next || next[1] !== next[2] || next[3] === '') return undefined;
  return text.slice(from + next[0].length);
}

function compare(whole: string, got: string): SeamResult {
  if (got === whole) return 'whole';
  const blankless = (text: string) => text.replaceAll(/\s/gu, '');
  if (blankless(got) === blankless(whole)) return 'white space';
  if (got.length > whole.length) return 'doubled';
  return got.length < whole.length ? 'lost' : 'other';
}

/** All cases of these texts, at every `each`-th cut. */
export function* seamCases(
  texts: Readonly<Record<string, string>>,
  each: number,
): Generator<SeamCase & { readonly name: string }> {
  let turn = 0;
  for (const [name, text] of Object.entries(texts))
    for (const cut of cutsOf(text))
      for (const way of Object.keys(SEAM_WAYS))
        for (const asked of Object.keys(SEAM_ASKS))
          for (const words of ['same', 'other'] as const)
            if (turn++ % each === 0) yield { name, text, cut, way, asked, words };
}
