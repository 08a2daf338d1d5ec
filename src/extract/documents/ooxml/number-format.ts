import { isDateFormat, formatDateTokens } from './date-format.ts';

/** Where a workbook starts to count its days. */
export type DateSystem = '1900' | '1904';

/** The built-in formats by their ids that are not plain numbers; dates of a country are ISO dates. */
const BUILT_IN: Readonly<Record<number, string>> = {
  1: '0',
  2: '0.00',
  3: '#,##0',
  4: '#,##0.00',
  9: '0%',
  10: '0.00%',
  14: 'yyyy-mm-dd',
  15: 'd-mmm-yy',
  16: 'd-mmm',
  17: 'mmm-yy',
  18: 'h:mm AM/PM',
  19: 'h:mm:ss AM/PM',
  20: 'h:mm',
  21: 'h:mm:ss',
  22: 'yyyy-mm-dd h:mm',
  45: 'mm:ss',
  46: '[h]:mm:ss',
  47: 'mm:ss.0',
};

export function builtInFormat(id: number): string | undefined {
  // Dates of East Asian calendars.
  if ((id >= 27 && id <= 31) || (id >= 50 && id <= 58) || id === 36) return 'yyyy-mm-dd';
  if (id >= 32 && id <= 35) return 'h:mm:ss';
  return BUILT_IN[id];
}

/** Excel takes 255 characters. */
const MAX_CODE_CHARACTERS = 1000;

type FormatWriter = (value: number) => string;

/**
 * Writes the numbers of a format: dates in ISO 8601, percentages as they are shown, and other numbers
 * exactly, with the format's currency and unit, but without separators of thousands.
 */
export function compileNumberFormat(code: string | undefined, dates: DateSystem): FormatWriter {
  if (code === undefined || code === '' || /^general$/i.test(code)) return plainNumber;
  if (code.length > MAX_CODE_CHARACTERS) return plainNumber;
  const sections = splitSections(code);
  const [first = ''] = sections;
  if (isDateFormat(first)) return (value) => formatDateTokens(value, first, dates);
  const positive = compileSection(first);
  const negative = sections[1] === undefined ? undefined : wordsOf(sections[1]);
  const zero = sections[2] === undefined ? undefined : wordsOf(sections[2]);
  return (value) => {
    if (value === 0 && zero !== undefined) return zero;
    if (value < 0) return negative ?? `-${positive(-value)}`;
    return positive(value);
  };
}

/** As Excel shows a number without a format: 15 digits, without the noise of binary fractions. */
export function plainNumber(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  return String(Number(value.toPrecision(15)));
}

function splitSections(code: string): string[] {
  const sections: string[] = [];
  let from = 0;
  for (let at = 0; at < code.length; at++) {
    const char = code[at];
    if (char === '"') at = endOf(code, '"', at + 1);
    else if (char === '[') at = endOf(code, ']', at + 1);
    else if (char === '\\' || char === '_' || char === '*') at++;
    else if (char === ';') {
      sections.push(code.slice(from, at));
      from = at + 1;
    }
  }
  sections.push(code.slice(from));
  return sections;
}

function endOf(code: string, char: string, from: number): number {
  const end = code.indexOf(char, from);
  return end < 0 ? code.length : end;
}

interface FormatToken {
  readonly text: string;
  readonly isDigit: boolean;
}

const TOKENS =
  /"([^"]*)"?|\\(.)|[_*].|\[\$([^\]-]*)[^\]]*\]|\[[^\]]*\]|General|E[+-]?0+|([0#?.,/%])|(.)/gis;

/** Placeholders of digits, and the texts between them. */
function tokensOf(section: string): FormatToken[] {
  const tokens: FormatToken[] = [];
  for (const match of section.matchAll(TOKENS)) {
    const [whole, quoted, escaped, currency, digit, other] = match;
    if (digit !== undefined) tokens.push({ text: digit, isDigit: true });
    else if (/^(?:E[+-]?0|General)/i.test(whole)) tokens.push({ text: 'E', isDigit: true });
    else {
      const text = quoted ?? escaped ?? currency ?? other ?? '';
      if (text !== '') tokens.push({ text, isDigit: false });
    }
  }
  return tokens;
}

function compileSection(section: string): FormatWriter {
  const tokens = tokensOf(section);
  const pattern = tokens.map((token) => (token.isDigit ? token.text : '')).join('');
  const words = wordsOf(section);
  if (pattern === '') return words === undefined ? plainNumber : () => words;
  const firstDigit = tokens.findIndex(({ isDigit }) => isDigit);
  const lastDigit = tokens.findLastIndex(({ isDigit }) => isDigit);
  const between = tokens.slice(firstDigit, lastDigit + 1);
  if (/^[0#?]+$/.test(pattern) && between.some(({ isDigit }) => !isDigit))
    return (value) => fillPattern(value, tokens);
  const texts = (from: number, to: number): string =>
    tokens
      .slice(from, to)
      .map(({ text }) => text)
      .join('');
  // Signs and brackets around a number belong to its sign.
  const before = texts(0, firstDigit).replace(/[()+\s-]/g, '');
  const after = texts(lastDigit + 1, tokens.length)
    .replace(/[()+-]/g, '')
    .trimEnd();
  const digits = compileDigits(pattern);
  return (value) => `${before}${digits(value)}${after}`;
}

function compileDigits(pattern: string): FormatWriter {
  const [whole = '', fraction = ''] = pattern.split('.');
  const decimals = fraction.match(/0/g)?.length ?? 0;
  if (pattern.includes('%')) {
    const shown = fraction.match(/[0#?]/g)?.length ?? 0;
    return (value) => `${fixed(Number((value * 100).toPrecision(15)), decimals, shown)}%`;
  }
  if (/[E/]/.test(pattern)) return plainNumber;
  const digits = whole.includes(',') ? 1 : (whole.match(/0/g)?.length ?? 0);
  return (value) => {
    const [integer = '0', rest = ''] = plainNumber(value).split('.');
    const padded = /^\d+$/.test(integer) ? integer.padStart(Math.min(digits, 30), '0') : integer;
    const tail = /^\d*$/.test(rest) ? rest.padEnd(Math.min(decimals, 30), '0') : rest;
    return tail === '' ? padded : `${padded}.${tail}`;
  };
}

function fixed(value: number, least: number, most: number): string {
  const text = value.toFixed(Math.min(most, 20));
  if (least >= most || !text.includes('.')) return text;
  return text.replace(/\.?0+$/, '');
}

/** Numbers of telephones and the like: digits are filled in from the right. */
function fillPattern(value: number, tokens: readonly FormatToken[]): string {
  const places = tokens.filter(({ isDigit }) => isDigit).length;
  const digits = value.toFixed(0).padStart(places, '0');
  if (!Number.isInteger(value) || /e/.test(digits)) return plainNumber(value);
  let at = digits.length - places;
  let text = digits.slice(0, at);
  for (const token of tokens) text += token.isDigit ? digits[at++] : token.text;
  return text;
}

/** The words of a section without placeholders, such as `"Yes";"Yes";"No"`; a dash is not a word. */
function wordsOf(section: string): string | undefined {
  const tokens = tokensOf(section);
  if (tokens.some(({ isDigit }) => isDigit)) return undefined;
  const text = tokens
    .map((token) => token.text)
    .join('')
    .trim();
  return /\p{L}/u.test(text) ? text : undefined;
}
