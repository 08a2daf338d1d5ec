import type { Json, JsonObject } from '#core/json.ts';
import { isList, isNode, own } from './schema-node.ts';

export const ROOT_REF = '#';
const MAX_HOPS = 16;
const MAX_NAME_CHARS = 64;
/** Long names are cut further than needed, so that a number fits behind them. */
const CUT_NAME_CHARS = 56;

/** What a reference inside a schema leads to, once references that only lead on are followed. */
export interface Target {
  /** `#` for the whole schema, else the pointer of the place. */
  readonly pointer: string;
  readonly node: JsonObject;
}

/** Looks up references; each place that is referred to gets one name among the definitions. */
export interface Refs {
  /** Nothing when it leads outside, nowhere, or in a circle. */
  find(ref: string): Target | undefined;
  nameOf(target: Target): string;
  /** The places that were named, in order; it grows while they are written. */
  readonly named: readonly (Target & { readonly name: string })[];
}

export function createRefs(root: JsonObject): Refs {
  const named: (Target & { readonly name: string })[] = [];
  const byPointer = new Map<string, string>();
  const names = new Set<string>();
  /** The number that the next name of a base may have. */
  const numbers = new Map<string, number>();
  return {
    named,
    find(ref) {
      let pointer = ref;
      for (let hop = 0; hop < MAX_HOPS; hop += 1) {
        const node = lookUp(root, pointer);
        if (!isNode(node)) return undefined;
        const next = own(node, '$ref');
        if (typeof next !== 'string')
          return { pointer: pointer === '#/' ? ROOT_REF : pointer, node };
        pointer = next;
      }
      return undefined;
    },
    nameOf(target) {
      const known = byPointer.get(target.pointer);
      if (known !== undefined) return known;
      const base = baseName(target.pointer);
      let number = numbers.get(base) ?? 1;
      let name = base;
      while (names.has(name)) {
        number += 1;
        name = `${base}_${number}`;
      }
      numbers.set(base, number);
      names.add(name);
      byPointer.set(target.pointer, name);
      named.push({ ...target, name });
      return name;
    },
  };
}

/** Definitions keep their names; other places are called after the way to them. */
function baseName(pointer: string): string {
  const steps = stepsOf(pointer) ?? [];
  const [first = '', second] = steps;
  const isDefinition =
    steps.length === 2 && second !== undefined && (first === '$defs' || first === 'definitions');
  const words = isDefinition ? second : steps.join('_');
  const plain = words.replaceAll(/[^\w.-]+/gu, '_') || 'part';
  return plain.length > MAX_NAME_CHARS ? plain.slice(0, CUT_NAME_CHARS) : plain;
}

function lookUp(root: JsonObject, ref: string): Json | undefined {
  let at: Json | undefined = root;
  for (const step of stepsOf(ref) ?? [undefined]) {
    if (step === undefined || at === undefined) return undefined;
    if (isNode(at)) at = own(at, step);
    else at = isList(at) && /^\d{1,6}$/.test(step) ? at[Number(step)] : undefined;
  }
  return at;
}

/** The steps of a pointer into the schema itself; nothing for any other reference. */
function stepsOf(ref: string): readonly string[] | undefined {
  if (ref === ROOT_REF) return [];
  if (!ref.startsWith('#/')) return undefined;
  return ref
    .slice(2)
    .split('/')
    .map((step) => unescaped(step).replaceAll('~1', '/').replaceAll('~0', '~'));
}

function unescaped(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    // A lone percent sign is part of the name.
    return step;
  }
}
