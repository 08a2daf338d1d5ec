/** Why and where a text is not JSON; `at` is the character offset. */
export type JsonFault = JsonFaultDetail & TextPosition & { readonly at: number };

type PlainCode = keyof typeof SENTENCES;
type Bracket = '}' | ']';

type JsonFaultDetail =
  | { readonly code: PlainCode }
  /** `empty`: no value at all. */
  | { readonly code: 'empty' | 'text_after_value' }
  | { readonly code: 'text_ends'; readonly missing: 'value' | Bracket }
  | { readonly code: 'separator_missing'; readonly bracket: Bracket }
  | { readonly code: 'too_deep'; readonly maxDepth: number }
  | { readonly code: 'repeated_name'; readonly name: string; readonly firstLine: number };

const SENTENCES = {
  value_before_comma: 'A value is missing before this comma',
  value_before_bracket: 'A value is missing here; the last one must not be followed by a comma',
  comment: 'JSON has no comments',
  single_quotes: 'Text stands in double quotes, not single ones',
  capital_letters: 'true, false and null are written in small letters',
  number: 'This is not a number as JSON writes it: digits only, no leading zero',
  unquoted_text: 'Text stands in double quotes',
  unexpected_character: 'This character cannot stand here',
  trailing_comma: 'The comma before this } must go',
  name_missing: 'A name in double quotes is missing here',
  colon_missing: 'A colon is missing here, after a name',
  open_string: 'This text is not closed on its line: a " is missing',
  backslash: 'A backslash is written twice in JSON, as \\\\',
  control_character: 'An invisible control character stands in this text',
} as const;

interface FaultTerms {
  /** Terms for the text in messages. */
  readonly subject: string;
  readonly quoteName: (name: string) => string;
}

const FILE: FaultTerms = { subject: 'The file', quoteName: (name) => JSON.stringify(name) };

/** A clause without a full stop and without the position. */
export function faultText(fault: JsonFaultDetail, words: Partial<FaultTerms> = {}): string {
  const { subject, quoteName } = { ...FILE, ...words };
  if (isPlain(fault)) return SENTENCES[fault.code];
  switch (fault.code) {
    case 'empty':
      return `${subject} ends here, but a value is missing`;
    case 'text_after_value':
      return `${subject} should end here, after its one value`;
    case 'text_ends':
      return `${subject} ends here, but a ${fault.missing} is missing`;
    case 'separator_missing':
      return `A comma or ${fault.bracket} is missing here`;
    case 'too_deep':
      return `This is nested over ${fault.maxDepth} levels deep`;
    case 'repeated_name':
      return `${quoteName(fault.name)} is here for the second time; the first is on line ${fault.firstLine}`;
  }
}

function isPlain(fault: JsonFaultDetail): fault is { readonly code: PlainCode } {
  return Object.hasOwn(SENTENCES, fault.code);
}

/** Thrown and caught within the parser. */
export class FoundFault extends Error {
  readonly detail: JsonFaultDetail;
  readonly at: number;

  constructor(detail: JsonFaultDetail, at: number) {
    super(detail.code);
    this.detail = detail;
    this.at = at;
  }
}

const BY_FIRST_CHARACTER: readonly (readonly [RegExp, PlainCode])[] = [
  [/^,/, 'value_before_comma'],
  [/^[}\]]/, 'value_before_bracket'],
  [/^[/#]/, 'comment'],
  [/^'/, 'single_quotes'],
  [/^(?:true|false|null)\b/i, 'capital_letters'],
  [/^[-+.]?\d/, 'number'],
  [/^[\p{L}$_~]/u, 'unquoted_text'],
];

export function faultAtValue(text: string, at: number): FoundFault {
  const rest = text.slice(at, at + 16);
  if (rest === '') return new FoundFault({ code: 'text_ends', missing: 'value' }, at);
  if (rest.startsWith('"')) return faultInString(text, at);
  const known = BY_FIRST_CHARACTER.find(([pattern]) => pattern.test(rest));
  return new FoundFault({ code: known?.[1] ?? 'unexpected_character' }, at);
}

export function faultAtName(text: string, at: number): FoundFault {
  const next = text[at];
  if (next === '"') return faultInString(text, at);
  if (next === undefined) return faultAtSeparator(text, at, '}');
  if (next === '}') return new FoundFault({ code: 'trailing_comma' }, at);
  return new FoundFault({ code: isComment(next) ? 'comment' : 'name_missing' }, at);
}

export function faultAtSeparator(text: string, at: number, bracket: Bracket): FoundFault {
  const next = text[at];
  if (next === undefined) return new FoundFault({ code: 'text_ends', missing: bracket }, at);
  if (isComment(next)) return new FoundFault({ code: 'comment' }, at);
  return new FoundFault({ code: 'separator_missing', bracket }, at);
}

function isComment(char: string): boolean {
  return char === '/' || char === '#';
}

/**
 * A string without its closing quote. All characters from the blank on are allowed except `"` and
 * `\`.
 */
export const OPEN_STRING =
  /"[ !#-[\]-\uffff]*(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})[ !#-[\]-\uffff]*)*/y;

function faultInString(text: string, start: number): FoundFault {
  OPEN_STRING.lastIndex = start;
  const at = start + (OPEN_STRING.exec(text)?.[0].length ?? 0);
  const next = text[at];
  if (next === undefined || next === '\n' || next === '\r')
    return new FoundFault({ code: 'open_string' }, start);
  return new FoundFault({ code: next === '\\' ? 'backslash' : 'control_character' }, at);
}

export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/** Converts offsets to lines and columns, both from 1, as editors show them. */
export function createPositions(text: string): (offset: number) => TextPosition {
  const starts = [0];
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', end + 1)) {
    starts.push(end + 1);
  }
  return (offset) => {
    const line = lineOf(starts, offset);
    const before = text.slice(starts[line - 1], offset);
    return { line, column: Array.from(before).length + 1 };
  };
}

/** Number of lines that start at or before the offset. */
function lineOf(starts: readonly number[], offset: number): number {
  let [low, high] = [0, starts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  return low;
}
