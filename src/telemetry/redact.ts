import { createBoundedMap } from '#core/bounded-map.ts';
import { createNameJudge } from './judge-name.ts';
import { toPlain } from './plain.ts';
import { maskShapes } from './secret-shapes.ts';
import { createSecretValues } from './secret-values.ts';

/** Longer than any shape that ends with a sign far from its beginning, such as the password of a URL. */
const SHAPE_OVERLAP = 1024;

/** Of a request, and so in nearly every line; each is new. */
const OWN_ID = /^req_[0-9a-hjkmnp-tv-z]{22}$/;
const SHORT_CHARS = 40;
const MAX_CLEAN = 2000;

export type Redactor = (value: unknown) => unknown;

/**
 * Copies a value as plain, bounded JSON data without secrets: hidden by the name they stand under, by their shape
 * inside any text, and by their value when it is one of `secrets`.
 */
export function createRedactor(secrets: readonly string[] = []): Redactor {
  const values = createSecretValues(secrets);
  // Names of tools, models and outcomes come again and again; what was found to hold no secret is not searched anew.
  const clean = createBoundedMap<string, true>({ maxEntries: MAX_CLEAN });
  function mask(text: string): string {
    if (text.length > SHORT_CHARS) return maskShapes(values.mask(text));
    if (clean.get(text) || OWN_ID.test(text)) return text;
    const masked = maskShapes(values.mask(text));
    if (masked !== text) return masked;
    clean.set(text, true);
    return text;
  }
  const masking = {
    mask,
    overlap: Math.max(values.longest, SHAPE_OVERLAP),
  };
  const rules = { ...masking, judge: createNameJudge(masking) };
  return (value) => toPlain(value, rules);
}
