import type { Paint } from './colors.ts';

const LEVEL_COLOURS = { info: 'green', warn: 'yellow', error: 'red' } as const;
const SHOWN_APART = new Set([
  'timestamp_unix',
  'timestamp_utc',
  'timestamp_local',
  'level',
  'event',
  'event_alias',
]);

/** A log line for people: local time, level, event, then its fields. */
export function formatLogLine(line: string, paint: Paint): string {
  const record = parse(line);
  if (!record) return escapeAllControls(line);
  const level = text(record['level']);
  const colour = Object.hasOwn(LEVEL_COLOURS, level)
    ? LEVEL_COLOURS[level as keyof typeof LEVEL_COLOURS]
    : 'dim';
  const fields = Object.entries(record).filter(
    ([name, value]) => value !== null && !SHOWN_APART.has(name),
  );
  return [
    paint('dim', text(record['timestamp_local'])),
    paint(colour, level.padEnd(5)),
    paint('bold', text(record['event'])),
    ...fields.map(
      ([name, value]) => `${paint('dim', `${escapeAllControls(name)}=`)}${shown(value)}`,
    ),
  ].join(' ');
}

function text(value: unknown): string {
  return typeof value === 'string' ? escapeAllControls(value) : '';
}

/** Escapes control characters, because a log may quote foreign text. */
function escapeAllControls(value: string): string {
  return value.replaceAll(/\p{C}/gu, (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`);
}

function shown(value: unknown): string {
  // A plain word needs no quotes; other values are quoted, so that their end is clear.
  const isWord = typeof value === 'string' && /^[^\s"\p{C}]+$/u.test(value);
  return isWord ? value : escapeAllControls(JSON.stringify(value));
}

function parse(line: string): Record<string, unknown> | undefined {
  try {
    const record: unknown = JSON.parse(line);
    return record !== null && typeof record === 'object' ? { ...record } : undefined;
  } catch {
    // Not a JSON record: shown unchanged.
    return undefined;
  }
}
