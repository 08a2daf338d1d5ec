import { isTooMuchJson, type JsonLimits } from './json-guard.ts';

/** Smaller texts cost little, whatever they hold. */
const LARGE_CHARS = 65_536;

const LIMITS: JsonLimits = {
  // Far deeper than anything people send, and shallow enough for whoever walks it.
  maxDepth: 512,
  // A file, a long text or an image is one member; this many take a tenth of a second to build.
  maxCost: 200_000,
  costs: { member: 1, string: 0, name: 0, container: 0 },
};

/** What may be JSON, and would cost too much to find out. */
export class TooMuchJson extends SyntaxError {}

/** JSON from a stranger: a large text is looked over before it is built. */
export function parseText(text: string): unknown {
  if (text.length > LARGE_CHARS && isTooMuchJson(text, LIMITS)) {
    throw new TooMuchJson('It is nested too deeply, or has too many members.');
  }
  return JSON.parse(text);
}
