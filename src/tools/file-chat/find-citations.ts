import type { CitedPlace } from './cited-file.ts';

/** A citation in an answer. */
export interface FoundCitation {
  /** The name of the file as the model wrote it. */
  readonly file: string;
  readonly place?: CitedPlace;
  readonly quote?: string;
  /** Where it ends in the answer, its bracket included. */
  readonly end: number;
}

const NAME = String.raw`(?<file>[^\[\]"“”\n;]{1,300}?)`;
const RANGE = String.raw`(\d{1,9})(?:\s*[-–—]\s*(\d{1,9}))?`;
/** The places of each kind, in the ways that models write them. */
const PLACES = [
  ['page', String.raw`,?\s+(?:pp?\.?|pages?)\s*${RANGE}`],
  ['slide', String.raw`,?\s+slides?\s*${RANGE}`],
  ['section', String.raw`,?\s+(?:sections?|chapters?|§)\s*${RANGE}`],
  [
    'line',
    String.raw`(?:,?\s+(?:lines?|ll?\.?)\s*|:\s?L?)${RANGE.replace('[-–—]\\s*', '[-–—]\\s*L?')}`,
  ],
] as const;
/** The name of a sheet may contain quotation marks. */
const SHEET = String.raw`,?\s+(?:sheet\s+)?["“](?<sheet>[^\n\[\]]{1,100}?)["”](?=\s*[:,;\]])`;
const QUOTE = String.raw`[:,]\s*["“](?<quote>[^\n]{1,600}?)["”]`;
const END = String.raw`\s*(?<end>[\];])`;

const SHAPES: readonly (readonly [CitedPlace['is'] | 'file', RegExp])[] = [
  ...PLACES.map(
    ([is, place]) => [is, new RegExp(`${NAME}${place}(?:${QUOTE})?${END}`, 'yiu')] as const,
  ),
  ['sheet', new RegExp(`${NAME}${SHEET}(?:${QUOTE})?${END}`, 'yiu')],
  ['file', new RegExp(`${NAME}(?:${QUOTE})?${END}`, 'yiu')],
];

/**
 * Finds the citations of an answer: `[report.pdf p. 3: "words"]`, several in one bracket separated
 * by semicolons. A bracket without a place and a quote is one only if it has the name of a file.
 */
export function findCitations(
  answer: string,
  isFile: (name: string) => boolean,
): readonly FoundCitation[] {
  const found: FoundCitation[] = [];
  for (let open = answer.indexOf('['); open !== -1; open = answer.indexOf('[', open + 1)) {
    const { citations, end } = readBracket(answer, open, isFile);
    if (citations.length === 0) continue;
    found.push(...citations.map((each) => ({ ...each, end })));
    open = end - 1;
  }
  return found;
}

type BracketCitation = Omit<FoundCitation, 'end'>;

function readBracket(
  answer: string,
  open: number,
  isFile: (name: string) => boolean,
): { readonly citations: readonly BracketCitation[]; readonly end: number } {
  const citations: BracketCitation[] = [];
  let at = open + 1;
  for (;;) {
    const one = readOne(answer, at, isFile);
    if (!one) return { citations: [], end: at };
    citations.push(one.citation);
    at = one.end;
    if (one.closed === ']') break;
    while (answer[at] === ' ') at += 1;
  }
  // The text of a link is not a citation.
  if (answer[at] === '(') return { citations: [], end: at };
  const [first, ...more] = citations;
  if (!first || more.length > 0 || first.quote !== undefined) return { citations, end: at };
  const quote = quoteBefore(answer, open);
  return { citations: [quote === undefined ? first : { ...first, quote }], end: at };
}

function readOne(answer: string, at: number, isFile: (name: string) => boolean) {
  const read = SHAPES.flatMap(([is, shape]) => {
    shape.lastIndex = at;
    const match = shape.exec(answer);
    return match ? [{ is, match }] : [];
  });
  // The name of a file decides between the readings; else the one with the most specific place.
  const best = read.find(({ match }) => isFile(match.groups?.['file'] ?? '')) ?? read[0];
  if (!best) return undefined;
  const { is, match } = best;
  const { file = '', sheet, quote, end: closed = ']' } = match.groups ?? {};
  const isPlain = is === 'file' && quote === undefined;
  if (isPlain && !isFile(file)) return undefined;
  const place = placeOf(is, sheet, match);
  const citation: BracketCitation = {
    file: file.trim(),
    ...(place && { place }),
    ...(quote !== undefined && { quote }),
  };
  return { citation, closed, end: at + match[0].length };
}

function placeOf(
  is: CitedPlace['is'] | 'file',
  sheet: string | undefined,
  match: RegExpExecArray,
): CitedPlace | undefined {
  if (is === 'file') return undefined;
  if (is === 'sheet') return { is, sheet: sheet ?? '' };
  const from = Number(match[2]);
  return { is, from, to: match[3] === undefined ? from : Number(match[3]) };
}

const QUOTE_BEFORE = /["“]([^"“”\n]{3,600})["”][\s.,;:]{0,3}$/u;
const LOOK_BACK_CHARS = 610;

/** A quote right before the bracket: `"words" [report.pdf p. 3]`. */
function quoteBefore(answer: string, open: number): string | undefined {
  return QUOTE_BEFORE.exec(answer.slice(Math.max(0, open - LOOK_BACK_CHARS), open))?.[1];
}
