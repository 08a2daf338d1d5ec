import { delimiter } from 'node:path';
import type { Json, JsonObject } from '#core/json/json.ts';
import type { Origin } from './origin.ts';
import type { Setting, VariableName } from '../schema/setting-schema.ts';

/** A setting as the user wrote it, with its source. */
export type RawSetting = RawText | RawJson;

/** From a flag or a variable. */
export interface RawText {
  readonly form: 'text';
  readonly origin: Origin;
  readonly written: string;
  readonly unit?: VariableName['unit'] | undefined;
}

/** From config.json, where `${NAME}` stands for a variable. */
export interface RawJson {
  readonly form: 'json';
  readonly origin: Origin;
  readonly written: Json;
}

export interface EvaluatedSetting {
  readonly value: unknown;
  /** Whether a variable supplied the value or part of it. */
  readonly from: 'written' | 'reference';
  /** References that could not be resolved. */
  readonly missing: readonly string[];
}

export function evaluateSetting(
  raw: RawSetting,
  setting: Setting,
  lookUp: (name: string) => string | undefined,
): EvaluatedSetting {
  if (raw.form === 'text') return literal(parseText(raw.written, setting, raw.unit));
  if (Array.isArray(raw.written)) {
    const items = raw.written.map((item: Json) => evaluateItem(item, lookUp));
    return {
      value: items.map(({ value }) => value),
      from: items.some(({ from }) => from === 'reference') ? 'reference' : 'written',
      missing: items.flatMap(({ missing }) => missing),
    };
  }
  if (typeof raw.written === 'object' && raw.written !== null) {
    return evaluateMap(raw.written as JsonObject, lookUp);
  }
  const single = evaluateItem(raw.written, lookUp);
  // The value of a variable is text, also where the setting is a number: "port": "${PORT}".
  const isText = single.from === 'reference' && typeof single.value === 'string';
  return isText ? { ...single, value: parseText(String(single.value), setting) } : single;
}

function evaluateMap(
  written: JsonObject,
  lookUp: (name: string) => string | undefined,
): EvaluatedSetting {
  const items = Object.entries(written).map(
    ([name, value]) => [name, evaluateItem(value, lookUp)] as const,
  );
  return {
    value: Object.fromEntries(items.map(([name, { value }]) => [name, value])),
    from: items.some(([, { from }]) => from === 'reference') ? 'reference' : 'written',
    missing: items.flatMap(([, { missing }]) => missing),
  };
}

function evaluateItem(
  written: Json,
  lookUp: (name: string) => string | undefined,
): EvaluatedSetting {
  if (typeof written !== 'string') return literal(written);
  const { text, used, missing } = resolveReferences(written, lookUp);
  return { value: text, from: used.length === 0 ? 'written' : 'reference', missing };
}

function literal(value: unknown): EvaluatedSetting {
  return { value, from: 'written', missing: [] };
}

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['yes', true],
  ['on', true],
  ['false', false],
  ['0', false],
  ['no', false],
  ['off', false],
]);

/**
 * Parses the text of a variable or flag by the kind of its setting. Invalid text is returned
 * unchanged: the schema then rejects it with the same message as a wrong value in config.json.
 */
export function parseText(text: string, setting: Setting, unit?: VariableName['unit']): unknown {
  const trimmed = text.trim();
  switch (setting.kind) {
    case 'text':
      return text;
    case 'boolean':
      return BOOLEANS.get(trimmed.toLowerCase()) ?? text;
    case 'choice':
      return choice(trimmed, setting) ?? text;
    case 'number':
      if (choice(trimmed, setting) !== undefined) return choice(trimmed, setting);
      return unit === 'seconds' ? secondsToMs(trimmed) : number(trimmed);
    case 'list':
      return text
        .split(setting.meta.paths ? delimiter : ',')
        .map((item) => item.trim())
        .filter((item) => item !== '');
    case 'map':
      return trimmed.startsWith('{') ? (parseObject(trimmed) ?? text) : parsePairs(trimmed);
  }
}

function parseObject(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON: the schema refuses the text.
    return undefined;
  }
}

/** `NAME=value,OTHER=value`; a text without `=` has no meaning and is refused by the schema. */
function parsePairs(text: string): unknown {
  const pairs = text.split(',').filter((pair) => pair.trim() !== '');
  if (pairs.some((pair) => !pair.includes('='))) return text;
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      return [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
    }),
  );
}

function choice(text: string, { choices }: Setting): string | undefined {
  return choices.find((each) => each.toLowerCase() === text.toLowerCase());
}

function number(text: string): number | string {
  return /^-?\d{1,15}(\.\d{1,9})?$/.test(text) ? Number(text) : text;
}

/** Variables of the original EX-AI are in seconds and may have fractions. */
function secondsToMs(text: string): number | string {
  return /^\d{1,9}(\.\d{1,9})?$/.test(text) ? Math.round(Number(text) * 1000) : text;
}

/** `${NAME}`, the escape `$${`, or a `${` that is neither. */
const REFERENCE = /\$\$\{|\$\{([A-Za-z_]\w*)\}|\$\{/g;

/** Marks, among the missing names, a `${` without a name and `}`. */
export const UNFINISHED = '${';

interface ResolvedText {
  readonly text: string;
  readonly used: readonly string[];
  /** Variables that are not set. */
  readonly missing: readonly string[];
}

/** Replaces `${NAME}` in a text of config.json by variables. */
function resolveReferences(
  text: string,
  lookUp: (name: string) => string | undefined,
): ResolvedText {
  const used: string[] = [];
  const missing: string[] = [];
  const resolved = text.replaceAll(REFERENCE, (found, name: string | undefined) => {
    if (found === '$${') return '${';
    const value = name === undefined ? undefined : lookUp(name);
    const list = value === undefined ? missing : used;
    list.push(name ?? UNFINISHED);
    return value ?? '';
  });
  return { text: resolved, used, missing };
}
