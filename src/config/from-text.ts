import { delimiter } from 'node:path';
import type { Setting, VariableName } from './settings.ts';

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
 * What a variable or flag means for its setting. A text that means nothing is handed on as it is: the schema then
 * refuses it, with the same words as for a wrong value in config.json.
 */
export function fromText(text: string, setting: Setting, unit?: VariableName['unit']): unknown {
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
        .split(setting.facts.paths ? delimiter : ',')
        .map((item) => item.trim())
        .filter((item) => item !== '');
  }
}

function choice(text: string, { choices }: Setting): string | undefined {
  return choices.find((each) => each.toLowerCase() === text.toLowerCase());
}

function number(text: string): number | string {
  return /^-?\d{1,15}(\.\d{1,9})?$/.test(text) ? Number(text) : text;
}

/** The originals took fractions of a second. */
function secondsToMs(text: string): number | string {
  return /^\d{1,9}(\.\d{1,9})?$/.test(text) ? Math.round(Number(text) * 1000) : text;
}
