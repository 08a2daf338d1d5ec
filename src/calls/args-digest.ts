import { hash } from 'node:crypto';

/** Equal for equal arguments, in whatever order their keys were written. */
export function argsDigest(args: Readonly<Record<string, unknown>>): string {
  for (const _ in args) return sha256(canonical(args));
  return OF_NOTHING;
}

const OF_NOTHING = sha256('{}');

function sha256(text: string): string {
  return hash('sha256', text);
}

/** JSON with sorted keys. Arguments come from JSON, so there are no cycles and no other kinds of value. */
function canonical(value: object): string {
  return isPlain(value) ? JSON.stringify(value) : sortedJson(value);
}

/** Most arguments are a few texts and numbers, which need no walk. */
function isPlain(value: object): boolean {
  let last = '';
  for (const [key, inner] of Object.entries(value)) {
    if (key < last || (typeof inner === 'object' && inner !== null)) return false;
    last = key;
  }
  return true;
}

function sortedJson(value: object): string {
  return JSON.stringify(value, (_key, inner: unknown) => {
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner;
    const keys = Object.keys(inner);
    if (isSorted(keys)) return inner;
    // A key may be `__proto__`: an object without a prototype holds it like any other.
    const sorted = Object.create(null) as Record<string, unknown>;
    for (const key of keys.sort()) sorted[key] = (inner as Record<string, unknown>)[key];
    return sorted;
  });
}

function isSorted(keys: readonly string[]): boolean {
  return keys.every((key, index) => index === 0 || (keys[index - 1] ?? '') < key);
}
