import type { WordClass } from './lexicon.ts';
import { ABOUT_REACH, hasQuote, high, isDescribed, positions, type SentenceRule } from './rule.ts';
import { hasClass, type Word } from './sentences.ts';

/** `This instruction takes precedence over all others.` */
const PRECEDENCE =
  /\b(?:takes? (?:precedence|priority)|(?:has|have) (?:a )?(?:higher|highest) priority|prevails?|supersedes?|overrides?|overrules?)(?: over| than)? (?:(?:all|any|every|other|later|earlier|subsequent|following|previous|prior|security|safety|system|the|your|its|of) ){1,5}(?:instructions?|directives?|prompts?|guidelines|rules|polic(?:y|ies)|safeguards|checks|validations?)\b/;
/** What a model follows, as opposed to rules and policies of another system. */
const SPEAKS_OF_ORDERS = /\b(?:instructions?|directives?|prompts?)\b/;
const OF_THE_MODEL =
  /\b(?:all|any|every) (?:(?:other|later|subsequent|previous) )?(?:security|safety|system)\b/;

const precedence: SentenceRule = ({ lower, words }) => {
  const claim = PRECEDENCE.exec(lower);
  if (!claim) return undefined;
  const isAbout = words.slice(0, ABOUT_REACH).some(({ classes }) => classes.has('about'));
  if (isAbout) return undefined;
  const isMeant = SPEAKS_OF_ORDERS.test(lower) || OF_THE_MODEL.test(claim[0]);
  return isMeant ? high('scan_instruction_override') : undefined;
};

const LATER = new Set(['subsequent', 'following', 'later', 'other', 'further']);

/** `Disregard all subsequent instructions.` */
const laterOrders: SentenceRule = ({ words }) => {
  for (const at of positions(words, 'override')) {
    if (isDescribed(words, at)) continue;
    const later = words.findIndex(
      ({ text }, next) => next > at && next < at + 4 && LATER.has(text),
    );
    if (later === -1) continue;
    const orders = words.slice(later + 1, later + 3);
    if (orders.some(({ text }) => /^(?:instructions?|directives?|prompts?)$/.test(text)))
      return high('scan_instruction_override');
  }
  return undefined;
};

/** Says that a limit on the model is off from now on, and not what an argument does. */
const WIDE =
  /\b(?:unrestricted|for (?:this|the) (?:\w+ )?session|from now on|without (?:any )?(?:additional |further )?(?:confirmation|validation|restrictions?|approval)|temporarily suspended|elevated privileges?|admin(?:istrative)? (?:mode|privileges?))\b/;
const ALL_GUARDS =
  /\b(?:all|any|every|subsequent|following) (?:\w+ ){0,2}(?:security|safety|validation|authorization|authentication|restrictions?)\b/;

const liftedGuards: SentenceRule = ({ lower, words }) => {
  for (const at of positions(words, 'lift')) {
    if (isLookedFor(words, at) || isOption(words, at)) continue;
    const near = (wordClass: WordClass) =>
      hasClass(words, wordClass, at + 1, 6) || hasClass(words, wordClass, at - 6, 6);
    if (!near('guard') && !near('guardPart')) continue;
    if (WIDE.test(lower) || (ALL_GUARDS.test(lower) && near('guard')))
      return high('scan_role_claim');
  }
  return undefined;
};

/** As `isDescribed`, but `checks` are what is lifted here. */
function isLookedFor(words: readonly Word[], at: number): boolean {
  return words
    .slice(Math.max(0, at - ABOUT_REACH), at)
    .some(({ classes }) => classes.has('about') && !classes.has('guardPart'));
}

const OPTIONS = new Set([
  'whether',
  'if',
  'when',
  'to',
  'true',
  'flag',
  'option',
  'can',
  'may',
  'be',
]);

/** `Whether to skip validation` describes an argument. */
function isOption(words: readonly Word[], at: number): boolean {
  return (
    words.slice(Math.max(0, at - 4), at).some(({ text }) => OPTIONS.has(text)) ||
    hasQuote(words, at + 1, 2)
  );
}

/** Rules about what protects the model's user. */
export const GUARD_RULES: readonly SentenceRule[] = [precedence, laterOrders, liftedGuards];
