/** Formats of numbers that come with Excel and show dates or times. */
const BUILT_IN: Readonly<Record<number, string>> = {
  9: '0%',
  10: '0.00%',
  14: 'm/d/yyyy',
  15: 'd-mmm-yy',
  16: 'd-mmm',
  17: 'mmm-yy',
  18: 'h:mm AM/PM',
  19: 'h:mm:ss AM/PM',
  20: 'h:mm',
  21: 'h:mm:ss',
  22: 'm/d/yyyy h:mm',
  27: 'yyyy/m/d',
  28: 'yyyy/m/d',
  29: 'yyyy/m/d',
  30: 'm/d/yy',
  31: 'yyyy/m/d',
  32: 'h:mm',
  33: 'h:mm:ss',
  34: 'h:mm',
  35: 'h:mm:ss',
  36: 'yyyy/m/d',
  45: 'mm:ss',
  46: '[h]:mm:ss',
  47: 'mm:ss.0',
  50: 'yyyy/m/d',
  51: 'yyyy/m/d',
  52: 'yyyy/m/d',
  53: 'yyyy/m/d',
  54: 'yyyy/m/d',
  55: 'yyyy/m/d',
  56: 'yyyy/m/d',
  57: 'yyyy/m/d',
  58: 'yyyy/m/d',
};

export type DateMode = '1900' | '1904';

const DAY_MS = 86_400_000;
/** Day 0 of each counting; the first one counts a 29 February 1900 that did not exist. */
const DAY_ZERO = { 1900: Date.UTC(1899, 11, 30), 1904: Date.UTC(1904, 0, 1) } as const;
const LAST_DAY = 2_958_466;

export function formatCode(format: number, own: ReadonlyMap<number, string>): string | undefined {
  return own.get(format) ?? BUILT_IN[format];
}

/** A number as a reader of the sheet understands it: dates and times in ISO 8601, percentages. */
export function formatCellNumber(value: number, code: string | undefined, mode: DateMode): string {
  if (!Number.isFinite(value)) return '';
  const shape = code === undefined ? '' : shapeOf(code);
  if (/[ymdhs]/.test(shape) && value >= 0 && value < LAST_DAY)
    return formatDate(value, shape, mode);
  if (shape.includes('%')) return `${plainNumber(value * 100)}%`;
  return plainNumber(value);
}

/** The letters of a format that stand for a part of a date; text and colours are removed. */
function shapeOf(code: string): string {
  const [first = ''] = code.split(';');
  return first
    .replace(/"[^"]*"?|\\.|_.|\*./g, '')
    .replace(/\[(?:h+|m+|s+)\]/gi, 'h')
    .replace(/\[[^\]]*\]/g, '')
    .replace(/AM\/PM|A\/P/gi, 'h')
    .replace(/General|Standard/gi, '')
    .toLowerCase();
}

function formatDate(value: number, shape: string, mode: DateMode): string {
  const hasDate = /[yd]/.test(shape) || (shape.includes('m') && !/[hs]/.test(shape));
  const hasTime = /[hs]/.test(shape);
  // Seconds are the smallest part that is shown.
  const ms = Math.round(value * 86_400) * 1000;
  const days = Math.floor(ms / DAY_MS);
  const shift = mode === '1900' && days < 60 ? 1 : 0;
  const iso = new Date(DAY_ZERO[mode] + ms + shift * DAY_MS).toISOString();
  const date = iso.slice(0, 10);
  if (!hasDate) return formatTime(ms);
  if (!hasTime) return date;
  const time = iso.slice(11, 19);
  return time === '00:00:00' ? date : `${date} ${time}`;
}

/** Hours may be more than a day. */
function formatTime(ms: number): string {
  const seconds = Math.round(ms / 1000);
  const two = (part: number): string => String(part).padStart(2, '0');
  return `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
}

/** 15 digits, which is what Excel shows. */
function plainNumber(value: number): string {
  return String(Number(value.toPrecision(15)));
}
