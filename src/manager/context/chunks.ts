import { oneLine } from '#core/one-line.ts';
import { goesOn, GOES_ON_TOKENS, readAtoms, type Atom } from './atoms.ts';
import { headingText, lineAt } from './sections.ts';

/** A piece of a text. It reads `before`, then the text from `from` to `to`, then `after`. */
export interface Chunk {
  readonly from: number;
  readonly to: number;
  /** A fence that is opened again, the header of a table. */
  readonly before: string;
  readonly after: string;
  /** The headings it stands under, outermost first. */
  readonly path: readonly string[];
}

export interface ChunkLimits {
  readonly maxTokens: number;
  /** A block of code or a table that is larger than a chunk stays whole up to here; `maxTokens` unless told. */
  readonly hardMaxTokens?: number;
}

const MIN_TOKENS = 256;
const MAX_TITLE_CHARS = 80;

/**
 * Cuts a Markdown text at its headings, paragraphs and lines, in this order of preference. Code and tables stay whole as far as
 * they fit; where they do not, every piece has the fence or the header again. The chunks from `from` to `to` are the text.
 */
export function* cutChunks(text: string, limits: ChunkLimits): Generator<Chunk> {
  const maxTokens = Math.max(MIN_TOKENS, limits.maxTokens);
  const hardMaxTokens = Math.max(maxTokens, limits.hardMaxTokens ?? maxTokens);
  const headings = createHeadings(text);
  const room = maxTokens - GOES_ON_TOKENS;
  let open: Atom[] = [];
  let tokens = 0;
  for (const atom of readAtoms(text, room, hardMaxTokens)) {
    if (atom.stands === 'alone') {
      const most = atom.tokens > maxTokens ? hardMaxTokens : maxTokens;
      const cut = open.length - headingsFor(open, atom, most);
      if (cut > 0) yield toChunk(text, open.slice(0, cut), headings);
      yield toChunk(text, [...open.slice(cut), atom], headings);
      [open, tokens] = [[], 0];
      continue;
    }
    while (open.length > 0 && tokens + atom.tokens > room) {
      const cut = bestBreak(open, atom, tokens);
      yield toChunk(text, open.slice(0, cut), headings);
      open = open.slice(cut);
      tokens = tokensOf(open);
    }
    open.push(atom);
    tokens += atom.tokens;
  }
  if (open.length > 0) yield toChunk(text, open, headings);
}

function tokensOf(atoms: readonly Atom[]): number {
  return atoms.reduce((sum, each) => sum + each.tokens, 0);
}

/** How many of the last atoms are headings of one that stands alone, and go with it. */
function headingsFor(open: readonly Atom[], atom: Atom, maxTokens: number): number {
  if (atom.before !== '') return 0;
  let tokens = atom.tokens;
  let count = 0;
  for (; count < open.length; count++) {
    const heading = open[open.length - 1 - count];
    tokens += heading?.tokens ?? 0;
    if (heading?.level === undefined || tokens > maxTokens) break;
  }
  return count;
}

export function chunkText(text: string, { from, to, before, after }: Chunk): string {
  return `${before}${text.slice(from, to)}${after}`;
}

/** Before which of the atoms to cut: in the second half of the chunk, the most important border, and of equals the last. */
function bestBreak(atoms: readonly Atom[], next: Atom, tokens: number): number {
  let best = atoms.length;
  let bestRank = rank(atoms.at(-1), next);
  let before = tokens;
  for (let at = atoms.length - 1; at > 0; at--) {
    const atom = atoms[at];
    if (!atom) break;
    before -= atom.tokens;
    if (before * 2 < tokens) break;
    const its = rank(atoms[at - 1], atom);
    if (its > bestRank) [best, bestRank] = [at, its];
  }
  return best;
}

/** A heading at the end of a chunk has lost what it is the heading of. */
function rank(last: Atom | undefined, next: Atom): number {
  return last?.level === undefined ? next.rank : next.rank - 10;
}

function toChunk(text: string, atoms: readonly Atom[], headings: Headings): Chunk {
  const first = atoms[0];
  const last = atoms.at(-1);
  if (first?.level !== undefined) headings.enter(first);
  const path = headings.path();
  for (const atom of atoms) headings.enter(atom);
  return {
    from: first?.from ?? 0,
    to: last?.to ?? 0,
    before: first ? beginning(text, first, last?.to ?? first.to) : '',
    after: last?.after ?? '',
    path,
  };
}

function beginning(text: string, { from, before, stands }: Atom, to: number): string {
  if (stands === 'alone' || from === 0 || text[from - 1] === '\n') return before;
  const line = lineAt(text, from);
  return goesOn(text, { from, to: Math.min(to, line?.to ?? to) });
}

interface Headings {
  enter(atom: Atom): void;
  path(): readonly string[];
}

/** Remembers where headings are, and reads their words only when somebody asks: a text may be made of nothing else. */
function createHeadings(text: string): Headings {
  const open: (Atom | undefined)[] = [];
  return {
    enter(atom) {
      if (atom.level === undefined) return;
      open.length = Math.min(open.length, atom.level);
      open[atom.level] = atom;
    },
    path: () =>
      open.flatMap((atom) => (atom ? [oneLine(headingText(text, atom), MAX_TITLE_CHARS)] : [])),
  };
}
