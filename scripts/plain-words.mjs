/**
 * Phrases that our texts avoid, each with what to write instead. The lint rule `exai/plain-words`
 * reads string literals and comments with this list, `npm run docs:check` the Markdown. A list of
 * phrases finds the habit, not every instance of it: CONTRIBUTING.md has the rules behind it.
 */

/** @type {readonly { pattern: RegExp, instead: string }[]} */
export const AVOIDED_PHRASES = [
  { pattern: /\bwho(?:m?ever|mso)\b/giu, instead: 'name the subject: a client, a caller, a user' },
  {
    pattern: /\b(?:nobody|somebody|anybody|everybody)\b/giu,
    instead: 'name the subject: no model, another user, every client',
  },
  { pattern: /\bwhom\b/giu, instead: '"who", "which", or name the subject' },
  { pattern: /\bunless (?:told|said)\b/giu, instead: '"default: N"' },
  { pattern: /\b(?:go|goes|going|gone|went) on\b/giu, instead: '"continue"' },
  {
    pattern: /(?<!\bthere )\b(?:is|are) no (?!longer\b|more\b|less\b|fewer\b|one\b)/giu,
    instead: '"is not a …"',
  },
  {
    // Behind its noun, "a name of its own"; not "because of its own timeout".
    pattern:
      /\bof (?:its|their|your|our|his|one's) own(?=$|\s*[.,;:!?)"'|]|\s+(?:and|are|as|at|by|can|for|has|have|in|is|it|may|must|on|or|so|takes?|that|to|was|which|with)\b)/giu,
    instead: '"its own …" before the noun, or leave it out',
  },
  { pattern: /\ball the same\b/giu, instead: '"anyway" or "still"' },
  { pattern: /\bif need be\b/giu, instead: '"if needed"' },
  { pattern: /\banew\b/giu, instead: '"again"' },
  { pattern: /\bshall\b/giu, instead: '"must", "may" or "will"' },
  { pattern: /\bin (?:place|stead) of\b/giu, instead: '"instead of"' },
  { pattern: /\bfor ever\b/giu, instead: '"forever", or "without end"' },
  { pattern: /\b(?:is|are|was|were) no good\b/giu, instead: '"is invalid"' },
  {
    pattern: /\b(?:take|takes|taken|took) (?:away|long)\b/giu,
    instead: '"remove", "revoke"; "run for a long time"',
  },
  { pattern: /\b(?:bears?|bearing) the\b/giu, instead: '"has the"' },
  { pattern: /\b(?:to be had|can be had|may be had)\b/giu, instead: '"is available"' },
  {
    pattern:
      /\b(?:hence|thence|whence|hitherto|herein|thereof|therein|lest|naught|aught|albeit)\b/giu,
    instead: 'a modern word',
  },
  { pattern: /\bhow (?:everything|it|all|the \w+) does\b/giu, instead: '"the state of …"' },
  {
    pattern: /\b(?:is|are|was|were) (?:resting|rested)\b/giu,
    instead: '"is in cool-down" or "is unavailable"',
  },
  {
    pattern: /\bnot one of ours\b|\bnone of (?:ours|yours)\b/giu,
    instead: '"invalid" or "not found"',
  },
  { pattern: /\bslipped in\b/giu, instead: '"inserted"' },
  { pattern: /\bas it (?:comes|stands)\b/giu, instead: '"unchanged"' },
];

/**
 * @param {string} text
 * @returns {{ found: string, instead: string, index: number }[]}
 */
export function findAvoidedPhrases(text) {
  return AVOIDED_PHRASES.flatMap(({ pattern, instead }) =>
    Array.from(text.matchAll(pattern), (match) => ({
      found: match[0],
      instead,
      index: match.index,
    })),
  );
}
