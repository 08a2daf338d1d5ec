import type { Json } from '#core/json.ts';
import { fromText } from './from-text.ts';
import type { Origin } from './origin.ts';
import { resolveReferences } from './references.ts';
import type { Setting, VariableName } from './settings.ts';

/** A value as somebody wrote it, and where. */
export type Given = GivenText | GivenJson;

/** From a flag or a variable. */
export interface GivenText {
  readonly form: 'text';
  readonly origin: Origin;
  readonly written: string;
  readonly unit?: VariableName['unit'] | undefined;
}

/** From config.json, where `${NAME}` stands for a variable. */
export interface GivenJson {
  readonly form: 'json';
  readonly origin: Origin;
  readonly written: Json;
}

export interface Evaluated {
  readonly value: unknown;
  /** Whether a variable supplied (part of) the value. */
  readonly from: 'written' | 'reference';
  /** References that could not be resolved. */
  readonly missing: readonly string[];
}

export function evaluate(
  given: Given,
  setting: Setting,
  lookUp: (name: string) => string | undefined,
): Evaluated {
  if (given.form === 'text') return literal(fromText(given.written, setting, given.unit));
  if (Array.isArray(given.written)) {
    const items = given.written.map((item: Json) => evaluateItem(item, lookUp));
    return {
      value: items.map(({ value }) => value),
      from: items.some(({ from }) => from === 'reference') ? 'reference' : 'written',
      missing: items.flatMap(({ missing }) => missing),
    };
  }
  const single = evaluateItem(given.written, lookUp);
  // What a variable supplies is text, also where the setting is a number: "port": "${PORT}".
  const isText = single.from === 'reference' && typeof single.value === 'string';
  return isText ? { ...single, value: fromText(String(single.value), setting) } : single;
}

function evaluateItem(written: Json, lookUp: (name: string) => string | undefined): Evaluated {
  if (typeof written !== 'string') return literal(written);
  const { text, used, missing } = resolveReferences(written, lookUp);
  return { value: text, from: used.length === 0 ? 'written' : 'reference', missing };
}

function literal(value: unknown): Evaluated {
  return { value, from: 'written', missing: [] };
}
