import { oneLine } from '#core/one-line.ts';

const MAX_CHARS = 80;
/** Of a text that may be megabytes, as much as its first words can be found in. */
const LOOKED_AT = 4_000;
// They would turn round the rest of the line that the title is shown in.
const TURNING = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const FORK = / \(fork(?: (\d{1,6}))?\)$/;

/** The first words of a text, as a title on one line; nothing when it has none. */
export function titleOf(text: string): string | undefined {
  const [first = ''] = text
    .slice(0, LOOKED_AT)
    .replaceAll(TURNING, '')
    .trim()
    .split(/[\n\r\u2028\u2029]/, 1);
  const title = oneLine(first.replaceAll(/\s+/g, ' '), MAX_CHARS).toWellFormed().trim();
  return title === '' ? undefined : title;
}

/** `… (fork)`, and of that `… (fork 2)`, so that a list of titles tells a copy from what it was copied from. */
export function forkTitle(title: string): string {
  const [whole = '', count = '1'] = FORK.exec(title) ?? [];
  const mark = whole === '' ? ' (fork)' : ` (fork ${Number(count) + 1})`;
  const bare = title.slice(0, title.length - whole.length);
  return `${oneLine(bare, MAX_CHARS - mark.length)
    .toWellFormed()
    .trim()}${mark}`;
}
