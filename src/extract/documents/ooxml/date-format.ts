import type { DateSystem } from './number-format.ts';

const DAY_MS = 86_400_000;
const LAST_DAY = 2_958_465;
const TOKEN =
  /"[^"]*"?|\\.|[_*].|\[(h+|m+|s+)\]|\[[^\]]*\]|(AM\/PM|A\/P|上午\/下午)|(y+|e+|m+|d+|h+|s+|b+|g+|a{3,})|(\.0+)|General|(.)/gis;

interface DateToken {
  readonly kind: 'year' | 'month' | 'day' | 'hour' | 'minute' | 'second' | 'half' | 'text';
  readonly text: string;
  readonly isElapsed?: boolean;
}

export function isDateFormat(section: string): boolean {
  return tokensOf(section).some(({ kind }) => kind !== 'text' && kind !== 'half');
}

/** A day in ISO 8601 if the format shows year, month and day; else what the format shows. */
export function formatDateTokens(value: number, section: string, dates: DateSystem): string {
  const tokens = tokensOf(section);
  const has = (kind: DateToken['kind']): boolean => tokens.some((token) => token.kind === kind);
  if (tokens.some(({ isElapsed }) => isElapsed)) return formatElapsed(value, tokens);
  const date = dateOf(value, dates);
  if (date === undefined) return String(value);
  const iso = date.toISOString();
  const hasTime = has('hour') || has('minute');
  const time = iso.slice(11, has('second') ? 19 : 16);
  if (has('year') && has('month') && has('day')) {
    // Day 0 is the time of a day without a date.
    if (value >= 0 && value < 1 && hasTime) return time;
    return hasTime ? `${iso.slice(0, 10)} ${time}` : iso.slice(0, 10);
  }
  return tokens
    .map((token) => formatToken(token, date, has('half')))
    .join('')
    .trim();
}

function tokensOf(section: string): DateToken[] {
  const tokens: DateToken[] = [];
  for (const match of section.matchAll(TOKEN)) {
    const [whole, elapsed, half, letters, fraction, other] = match;
    if (elapsed !== undefined)
      tokens.push({ kind: kindOf(elapsed), text: elapsed, isElapsed: true });
    else if (half !== undefined) tokens.push({ kind: 'half', text: half });
    else if (letters !== undefined) tokens.push({ kind: kindOf(letters), text: letters });
    else if (fraction !== undefined) continue;
    else if (whole.startsWith('"')) tokens.push({ kind: 'text', text: whole.replaceAll('"', '') });
    else if (whole.startsWith('\\')) tokens.push({ kind: 'text', text: whole.slice(1) });
    else if (other !== undefined && !/[#?0@]/.test(other))
      tokens.push({ kind: 'text', text: other });
  }
  return withMinutes(tokens);
}

function kindOf(letters: string): DateToken['kind'] {
  switch (letters.charAt(0).toLowerCase()) {
    case 'y':
    case 'e':
    case 'b':
      return 'year';
    case 'm':
      return 'month';
    case 'd':
    case 'a':
      // Three and more letters are the day of the week.
      return letters.length > 2 ? 'text' : 'day';
    case 'h':
      return 'hour';
    case 's':
      return 'second';
    default:
      return 'text';
  }
}

/** `m` after hours or before seconds is a minute. */
function withMinutes(tokens: readonly DateToken[]): DateToken[] {
  const parts = tokens.filter(({ kind }) => kind !== 'text');
  return tokens.map((token) => {
    if (token.kind !== 'month' || token.text.length > 2) return token;
    const at = parts.indexOf(token);
    const isMinute = parts[at - 1]?.kind === 'hour' || parts[at + 1]?.kind === 'second';
    return isMinute || token.isElapsed === true ? { ...token, kind: 'minute' } : token;
  });
}

function dateOf(value: number, dates: DateSystem): Date | undefined {
  if (!(value >= 0 && value <= LAST_DAY)) return undefined;
  // 1900 counts a 29 February that did not exist.
  const epoch = dates === '1904' ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, value < 60 ? 31 : 30);
  return new Date(epoch + Math.round((value * DAY_MS) / 1000) * 1000);
}

const MONTHS =
  'January February March April May June July August September October November December'.split(
    ' ',
  );
const DAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');

function formatToken(token: DateToken, date: Date, isHalfDay: boolean): string {
  const { length } = token.text;
  const number = (value: number): string => String(value).padStart(Math.min(length, 2), '0');
  switch (token.kind) {
    case 'year':
      return length > 2 || /^e/i.test(token.text)
        ? String(date.getUTCFullYear())
        : String(date.getUTCFullYear() % 100).padStart(2, '0');
    case 'month': {
      const name = MONTHS[date.getUTCMonth()] ?? '';
      if (length === 3) return name.slice(0, 3);
      return length > 3 ? name : number(date.getUTCMonth() + 1);
    }
    case 'day':
      return number(date.getUTCDate());
    case 'hour':
      return number(isHalfDay ? date.getUTCHours() % 12 || 12 : date.getUTCHours());
    case 'minute':
      return number(date.getUTCMinutes());
    case 'second':
      return number(date.getUTCSeconds());
    case 'half':
      return date.getUTCHours() < 12 ? 'AM' : 'PM';
    case 'text':
      if (!/^(?:d{3,}|a{3,})$/i.test(token.text)) return token.text;
      return (DAYS[date.getUTCDay()] ?? '').slice(0, length === 3 ? 3 : 9);
    default:
      return token.kind satisfies never;
  }
}

/** Hours beyond a day, as `[h]:mm`. */
function formatElapsed(value: number, tokens: readonly DateToken[]): string {
  let rest = Math.round(Math.abs(value) * 86_400);
  const seconds: Partial<Record<DateToken['kind'], number>> = { hour: 3600, minute: 60, second: 1 };
  const text = tokens
    .map((token) => {
      const unit = seconds[token.kind];
      if (unit === undefined) return token.kind === 'text' ? token.text : '';
      const count = Math.floor(rest / unit);
      rest -= count * unit;
      return String(count).padStart(Math.min(token.text.length, 2), '0');
    })
    .join('');
  return value < 0 ? `-${text}` : text;
}
