import type { CharSet } from './char-set.ts';
import {
  ACCEPT,
  CHAR,
  SPLIT,
  WIDTH,
  type CompiledPattern,
  type Program,
} from './compile-pattern.ts';
import type { Edge } from './parse-pattern.ts';

/** How many instructions may still be visited; below zero the result of a run means nothing. */
export interface Work {
  left: number;
}

type Text = Uint16Array | Uint32Array;
type Holds = (at: number) => boolean;

/** What the memory of a look costs, whether or not its program visits anything. */
const LOOK_CHARS_PER_VISIT = 8;

/**
 * Whether a pattern matches anywhere in a text. All ways of matching are followed side by side, each instruction at most once at each
 * place, so the work is at most the size of the pattern times the length of the text.
 */
export function runPattern(
  { main, conditions }: CompiledPattern,
  sets: readonly CharSet[],
  text: Text,
  work: Work,
): boolean {
  const holding: Holds[] = [];
  for (const condition of conditions) {
    if (condition.is === 'edge') {
      holding.push((at) => isEdge(condition.of, text, at));
      continue;
    }
    const accepts = new Uint8Array(text.length + 1);
    work.left -= text.length / LOOK_CHARS_PER_VISIT;
    const mark = (at: number) => {
      accepts[at] = 1;
      return 'go on' as const;
    };
    follow(condition.program, sets, holding, text, work, mark);
    if (work.left < 0) return false;
    const wanted = condition.expects === 'match' ? 1 : 0;
    holding.push((at) => accepts[at] === wanted);
  }
  let isFound = false;
  follow(main, sets, holding, text, work, () => {
    isFound = true;
    return 'stop';
  });
  return isFound;
}

/** Tells the places at which a program that begins at every place before it comes to its end. */
function follow(
  { code, start, direction, begins }: Program,
  sets: readonly CharSet[],
  holding: readonly Holds[],
  text: Text,
  work: Work,
  onAccept: (at: number) => 'stop' | 'go on',
): void {
  const instructions = code.length / WIDTH;
  /** The place, counted from 1, at which an instruction was last visited. */
  const visited = new Int32Array(instructions);
  const waiting = new Int32Array(instructions + 1);
  const reading = new Int32Array(instructions);
  const stack = new Int32Array(instructions * 2 + 2);
  let waits = 0;

  for (let step = 0; step <= text.length; step += 1) {
    const at = direction === 'forth' ? step : text.length - step;
    if (step === 0 || begins === 'anywhere') waiting[waits++] = start;
    else if (waits === 0) return;
    let reads = 0;
    let isAccepted = false;
    for (let index = 0; index < waits; index += 1) {
      let depth = 0;
      stack[depth++] = waiting[index] ?? 0;
      while (depth > 0) {
        const here = stack[--depth] ?? 0;
        const number = here / WIDTH;
        if (visited[number] === step + 1) continue;
        visited[number] = step + 1;
        work.left -= 1;
        const first = code[here + 1] ?? 0;
        const second = code[here + 2] ?? 0;
        const op = code[here];
        if (op === CHAR) {
          reading[reads++] = here;
        } else if (op === SPLIT) {
          stack[depth++] = second;
          stack[depth++] = first;
        } else if (op === ACCEPT) {
          isAccepted = true;
        } else if (holding[first]?.(at)) {
          stack[depth++] = second;
        }
      }
    }
    if (work.left < 0) return;
    if (isAccepted && onAccept(at) === 'stop') return;
    if (step === text.length) return;
    const char = text[direction === 'forth' ? at : at - 1] ?? 0;
    waits = 0;
    for (let index = 0; index < reads; index += 1) {
      const here = reading[index] ?? 0;
      if (sets[code[here + 1] ?? 0]?.has(char)) waiting[waits++] = code[here + 2] ?? 0;
    }
  }
}

function isEdge(edge: Edge, text: Text, at: number): boolean {
  switch (edge) {
    case 'start':
      return at === 0;
    case 'end':
      return at === text.length;
    case 'word':
      return isWord(text[at - 1]) !== isWord(text[at]);
    case 'no word':
      return isWord(text[at - 1]) === isWord(text[at]);
  }
}

const WORD_CHARS = new Set(
  Array.from({ length: 128 }, (_, code) => code).filter((code) =>
    /\w/.test(String.fromCharCode(code)),
  ),
);

function isWord(code: number | undefined): boolean {
  return code !== undefined && WORD_CHARS.has(code);
}
