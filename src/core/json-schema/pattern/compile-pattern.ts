import type { Edge, LookKind, PatternNode } from './parse-pattern.ts';

/** Instructions of an automaton, three numbers each; what they mean depends on the first. */
export interface PatternProgram {
  readonly code: Int32Array;
  /** Index of the first instruction. */
  readonly start: number;
  /** `back` reads a text from its end to its start. */
  readonly direction: 'forth' | 'back';
  /** `once` if it can match only at the start of a text. */
  readonly begins: 'once' | 'anywhere';
}

/** One character of a set, then the next instruction: `CHAR, set, next`. */
export const CHAR = 0;
/** Either of two: `SPLIT, next, other`. */
export const SPLIT_OP = 1;
/** Continues if a condition holds: `CONDITION, condition, next`. */
export const CONDITION = 2;
export const ACCEPT = 3;
export const WIDTH = 3;

export type Condition =
  | { readonly is: 'edge'; readonly of: Edge }
  /** Whether a lookaround accepts at this position, or does not. */
  | {
      readonly is: 'look';
      readonly program: PatternProgram;
      readonly expects: 'match' | 'no match';
    };

export interface CompiledPattern {
  readonly main: PatternProgram;
  /** Lookarounds, nested ones first. */
  readonly conditions: readonly Condition[];
  /** The sources of the sets of characters. */
  readonly sets: readonly string[];
  /** Number of instructions of all programs. */
  readonly size: number;
}

/**
 * Compiles a pattern to an automaton with counted loops unrolled; undefined if that exceeds the
 * size limit.
 */
export function compilePattern(node: PatternNode, maxSize: number): CompiledPattern | undefined {
  const size = sizeOf(node);
  if (size > maxSize) return undefined;
  const conditions: Condition[] = [];
  const sets: string[] = [];
  const edges = new Map<Edge, number>();
  const knownSets = new Map<string, number>();
  const knownLooks = new Map<PatternNode, number>();

  function programOf(root: PatternNode, direction: PatternProgram['direction']): PatternProgram {
    const code: number[] = [ACCEPT, 0, 0];

    function put(op: number, first: number, second: number): number {
      code.push(op, first, second);
      return code.length - WIDTH;
    }

    /** Emits a node before an instruction; code is generated from the end. */
    function write(each: PatternNode, next: number): number {
      switch (each.is) {
        case 'char':
          return put(
            CHAR,
            numberOf(knownSets, each.source, () => sets.push(each.source) - 1),
            next,
          );
        case 'edge':
          return put(
            CONDITION,
            numberOf(edges, each.of, () => conditions.push(each) - 1),
            next,
          );
        case 'look':
          return put(
            CONDITION,
            numberOf(knownLooks, each, () => lookAt(each)),
            next,
          );
        case 'row':
          return direction === 'forth'
            ? each.parts.reduceRight((after, part) => write(part, after), next)
            : each.parts.reduce((after, part) => write(part, after), next);
        case 'either':
          return each.options
            .map((option) => write(option, next))
            .reduceRight((other, option) => put(SPLIT_OP, option, other));
        case 'repeat':
          return repeat(each, next);
      }
    }

    function repeat(
      { of, least, most }: Extract<PatternNode, { is: 'repeat' }>,
      next: number,
    ): number {
      let entry = next;
      if (most === Infinity) {
        entry = put(SPLIT_OP, 0, next);
        code[entry + 1] = write(of, entry);
      } else {
        for (let times = least; times < most; times += 1)
          entry = put(SPLIT_OP, write(of, entry), next);
      }
      for (let times = 0; times < least; times += 1) entry = write(of, entry);
      return entry;
    }

    const start = write(root, 0);
    const begins = direction === 'forth' && isAnchored(root) ? 'once' : 'anywhere';
    return { code: Int32Array.from(code), start, direction, begins };
  }

  function lookAt({ kind, of }: { readonly kind: LookKind; readonly of: PatternNode }): number {
    // Lookarounds run in the opposite direction, so that one run answers for all positions of a
    // text.
    const isAhead = kind === 'ahead' || kind === 'not ahead';
    const program = programOf(of, isAhead ? 'back' : 'forth');
    const expects = kind === 'ahead' || kind === 'behind' ? 'match' : 'no match';
    return conditions.push({ is: 'look', program, expects }) - 1;
  }

  return { main: programOf(node, 'forth'), conditions, sets, size };
}

function isAnchored(node: PatternNode): boolean {
  if (node.is === 'row') return node.parts[0] !== undefined && isAnchored(node.parts[0]);
  if (node.is === 'either') return node.options.every(isAnchored);
  return node.is === 'edge' && node.of === 'start';
}

function numberOf<Key>(known: Map<Key, number>, key: Key, add: () => number): number {
  const number = known.get(key) ?? add();
  known.set(key, number);
  return number;
}

/** Upper bound of the instructions, at least 1, so that empty loops are not unrolled endlessly. */
function sizeOf(node: PatternNode): number {
  switch (node.is) {
    case 'char':
    case 'edge':
      return 1;
    case 'look':
      return 2 + sizeOf(node.of);
    case 'row':
      return Math.max(1, sum(node.parts.map(sizeOf)));
    case 'either':
      return node.options.length + sum(node.options.map(sizeOf));
    case 'repeat': {
      const once = sizeOf(node.of);
      const more = node.most === Infinity ? 1 : node.most - node.least;
      return Math.max(1, node.least * once + more * (once + 1));
    }
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
