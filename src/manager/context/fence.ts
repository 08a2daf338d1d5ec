/** A line of backticks or tildes that opens a code block. */
export interface Fence {
  readonly char: '`' | '~';
  readonly length: number;
  /** Characters before the fence, including a list marker. */
  readonly indent: number;
  /** The text before a repeated fence, without the list marker. */
  readonly lead: string;
  readonly info: string;
  readonly isQuoted: boolean;
}

const MIN_LENGTH = 3;
/** Longer runs are ruled lines. */
const MAX_LENGTH = 64;
/** Maximum indentation of a fence, and maximum trailing characters of its closing line. */
const MAX_BLANK_CHARS = 64;
/** How much deeper than its opening a fence may be closed. */
const CLOSING_SLACK = 3;

/** The fence that a line opens, also inside quotes and lists. */
export function openedFence(line: string): Fence | undefined {
  const at = afterMarks(line);
  const char = line[at];
  if ((char !== '`' && char !== '~') || at > MAX_BLANK_CHARS) return undefined;
  const length = runLength(line, at, char);
  if (length < MIN_LENGTH || length > MAX_LENGTH) return undefined;
  const info = line.slice(at + length).trim();
  // Inline code may start a line, too.
  if (char === '`' && info.includes('`')) return undefined;
  const lead = line.slice(0, at).replaceAll(/[^>\s]/g, ' ');
  return { char, length, indent: at, lead, info, isQuoted: lead.includes('>') };
}

/** Whether a line starts like a fence: cut short it might become one. */
export function beginsLikeFence(line: string): boolean {
  const at = afterMarks(line);
  const char = line[at];
  return (char === '`' || char === '~') && runLength(line, at, char) >= MIN_LENGTH;
}

/** Whether a line closes the fence. */
export function closesFence(line: string, { char, length, indent, isQuoted }: Fence): boolean {
  const at = leadEnd(line, isQuoted);
  if (at > indent + CLOSING_SLACK || line[at] !== char) return false;
  const run = runLength(line, at, char);
  const rest = line.slice(at + run);
  const isRun = run >= length && run <= MAX_LENGTH;
  return isRun && rest.length <= MAX_BLANK_CHARS && rest.trim() === '';
}

/** Whether a line ends the quote that contains the fence, and so the fence. */
export function leavesFence(line: string, { isQuoted }: Fence): boolean {
  return isQuoted && !line.trimStart().startsWith('>');
}

function leadEnd(line: string, isQuoted: boolean): number {
  let at = 0;
  while (isSpace(line[at]) || (isQuoted && line[at] === '>')) at += 1;
  return at;
}

/** The position after indentation, quote markers and list markers. */
function afterMarks(line: string): number {
  let at = 0;
  while (at <= MAX_BLANK_CHARS) {
    const char = line[at];
    if (isSpace(char) || char === '>') at += 1;
    else {
      const after = listMarkEnd(line, at);
      if (after === at) break;
      at = after;
    }
  }
  return at;
}

function listMarkEnd(line: string, at: number): number {
  let end = at;
  if (line[end] === '-' || line[end] === '*' || line[end] === '+') end += 1;
  else {
    while (end - at < 9 && isDigit(line[end])) end += 1;
    if (end === at || (line[end] !== '.' && line[end] !== ')')) return at;
    end += 1;
  }
  return isSpace(line[end]) ? end : at;
}

function runLength(line: string, from: number, char: string): number {
  let at = from;
  while (line[at] === char) at += 1;
  return at - from;
}

function isSpace(char: string | undefined): boolean {
  return char === ' ' || char === '\t';
}

function isDigit(char: string | undefined): boolean {
  return char !== undefined && char >= '0' && char <= '9';
}
