import { COVERT_RULES } from './covert-rules.ts';
import { GUARD_RULES } from './guard-rules.ts';
import { ORDER_RULES } from './order-rules.ts';
import type { SentenceMatch } from './rule.ts';
import type { Sentence } from './sentences.ts';
import { TRANSFER_RULES } from './transfer-rules.ts';

const RULES = [...ORDER_RULES, ...GUARD_RULES, ...COVERT_RULES, ...TRANSFER_RULES];

/** Applies all rules to a sentence. */
export function matchSentence(sentence: Sentence): SentenceMatch[] {
  return RULES.flatMap((rule) => rule(sentence) ?? []);
}
