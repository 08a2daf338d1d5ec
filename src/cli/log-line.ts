import type { Paint } from './paint.ts';

const LEVEL_COLOURS = { info: 'green', warn: 'yellow', error: 'red' } as const;
const SHOWN_APART = new Set([
  'timestamp_unix',
  'timestamp_utc',
  'timestamp_local',
  'level',
  'event',
]);

/** A line of a log as a person reads it: local time, level, event, then its fields. */
export function readableLine(line: string, paint: Paint): string {
  const record = parse(line);
  if (!record) return line;
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
    ...fields.map(([name, value]) => `${paint('dim', `${name}=`)}${shown(value)}`),
  ].join(' ');
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function shown(value: unknown): string {
  // A bare word needs no quotes; anything else is written so that its end is clear.
  return typeof value === 'string' && /^[^\s"]+$/.test(value) ? value : JSON.stringify(value);
}

function parse(line: string): Record<string, unknown> | undefined {
  try {
    const record: unknown = JSON.parse(line);
    return record !== null && typeof record === 'object' ? { ...record } : undefined;
  } catch {
    // Not one of ours: shown as it is.
    return undefined;
  }
}
