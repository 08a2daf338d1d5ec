const MAX_CHARS = 80;
/** Far more than is shown: what is told is found without walking through all of a long text. */
const LOOKED_AT_CHARS = 1000;
/** What calls are about, by the names that tools have for it. */
const ABOUT = ['prompt', 'step', 'claim', 'statement'] as const;

/** What a call is about, in a line, from arguments that nobody has looked at yet; nothing where no text is among them. */
export function jobTitle(args: unknown): string {
  if (typeof args !== 'object' || args === null) return '';
  const given = new Map<string, unknown>(Object.entries(args));
  for (const text of [...ABOUT.map((name) => given.get(name)), ...given.values()]) {
    const title = typeof text === 'string' ? inALine(text) : '';
    if (title !== '') return title;
  }
  return '';
}

function inALine(text: string): string {
  const line = headOf(text.trimStart(), LOOKED_AT_CHARS)
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  if (line.length <= MAX_CHARS) return line;
  return `${headOf(line, MAX_CHARS - 1).trimEnd()}…`;
}

/** Never half of a character at its end. */
function headOf(text: string, maxChars: number): string {
  return text.slice(0, maxChars).replace(/[\uD800-\uDBFF]$/, '');
}
