import { toPlain, type PlainRules } from './plain.ts';
import { hidingOf } from './secret-names.ts';
import { maskShapes } from './secret-shapes.ts';
import { createSecretValues } from './secret-values.ts';

/** Longer than any shape that ends with a sign far from its beginning, such as the password of a URL. */
const SHAPE_OVERLAP = 1024;

/**
 * Copies a value as plain, bounded JSON data without secrets: hidden by the name they stand under, by their shape
 * inside any text, and by their value when it is one of `secrets`.
 */
export function createRedactor(secrets: readonly string[] = []): (value: unknown) => unknown {
  const values = createSecretValues(secrets);
  const mask = (text: string) => maskShapes(values.mask(text));
  const rules: PlainRules = {
    mask,
    judge: remember((name) => ({ shown: mask(name), hiding: hidingOf(name) })),
    overlap: Math.max(values.longest, SHAPE_OVERLAP),
  };
  return (value) => toPlain(value, rules);
}

const MAX_REMEMBERED = 2000;
const MAX_NAME = 256;

/** The same few names come back with every line; each is judged once. */
function remember(judge: PlainRules['judge']): PlainRules['judge'] {
  const known = new Map<string, ReturnType<typeof judge>>();
  return (name) => {
    const before = known.get(name);
    if (before) return before;
    const verdict = judge(name);
    if (name.length > MAX_NAME) {
      return { ...verdict, shown: `${verdict.shown.slice(0, MAX_NAME)}…` };
    }
    if (known.size === MAX_REMEMBERED) known.clear();
    known.set(name, verdict);
    return verdict;
  };
}
