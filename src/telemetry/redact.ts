import { createNameJudge } from './judge-name.ts';
import { toPlain } from './plain.ts';
import { maskShapes } from './secret-shapes.ts';
import { createSecretValues } from './secret-values.ts';

/** Longer than any shape that ends with a sign far from its beginning, such as the password of a URL. */
const SHAPE_OVERLAP = 1024;

export type Redactor = (value: unknown) => unknown;

/**
 * Copies a value as plain, bounded JSON data without secrets: hidden by the name they stand under, by their shape
 * inside any text, and by their value when it is one of `secrets`.
 */
export function createRedactor(secrets: readonly string[] = []): Redactor {
  const values = createSecretValues(secrets);
  const masking = {
    mask: (text: string) => maskShapes(values.mask(text)),
    overlap: Math.max(values.longest, SHAPE_OVERLAP),
  };
  const rules = { ...masking, judge: createNameJudge(masking) };
  return (value) => toPlain(value, rules);
}
