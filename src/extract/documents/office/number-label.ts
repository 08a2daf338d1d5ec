/** Numbers of lists and headings in the styles of office programs. */
export type NumberStyle =
  | 'decimal'
  | 'decimalZero'
  | 'lowerLetter'
  | 'upperLetter'
  | 'lowerRoman'
  | 'upperRoman'
  | 'ordinal'
  | 'chinese'
  | 'circled'
  | 'none';

export function formatListNumber(number: number, style: NumberStyle): string {
  switch (style) {
    case 'decimal':
      return String(number);
    case 'decimalZero':
      return number >= 0 && number < 10 ? `0${number}` : String(number);
    case 'lowerLetter':
      return letters(number);
    case 'upperLetter':
      return letters(number).toUpperCase();
    case 'lowerRoman':
      return roman(number);
    case 'upperRoman':
      return roman(number).toUpperCase();
    case 'ordinal':
      return `${number}${ordinalEnd(number)}`;
    case 'chinese':
      return chinese(number);
    case 'circled':
      return number >= 1 && number <= 20 ? String.fromCodePoint(0x245f + number) : String(number);
    case 'none':
      return '';
    default:
      return style satisfies never;
  }
}

/** a to z, then aa, bb, …, as Word counts. */
function letters(number: number): string {
  if (number < 1 || number > 26 * 20) return String(number);
  const letter = String.fromCodePoint(97 + ((number - 1) % 26));
  return letter.repeat(Math.floor((number - 1) / 26) + 1);
}

const ROMAN: readonly (readonly [number, string])[] = [
  [1000, 'm'],
  [900, 'cm'],
  [500, 'd'],
  [400, 'cd'],
  [100, 'c'],
  [90, 'xc'],
  [50, 'l'],
  [40, 'xl'],
  [10, 'x'],
  [9, 'ix'],
  [5, 'v'],
  [4, 'iv'],
  [1, 'i'],
];

function roman(number: number): string {
  if (number < 1 || number > 4999) return String(number);
  let rest = number;
  let text = '';
  for (const [value, sign] of ROMAN)
    while (rest >= value) {
      text += sign;
      rest -= value;
    }
  return text;
}

function ordinalEnd(number: number): string {
  const tens = number % 100;
  if (tens >= 11 && tens <= 13) return 'th';
  return ['th', 'st', 'nd', 'rd'][number % 10] ?? 'th';
}

const CHINESE = ['〇', '一', '二', '三', '四', '五', '六', '七', '八', '九'];

function chinese(number: number): string {
  if (number < 1 || number > 99) return String(number);
  const tens = Math.floor(number / 10);
  const ones = number % 10 === 0 ? '' : (CHINESE[number % 10] ?? '');
  if (tens === 0) return ones;
  return `${tens === 1 ? '' : (CHINESE[tens] ?? '')}十${ones}`;
}
