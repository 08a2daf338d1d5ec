import type { Intent } from '#core/ask.ts';
import type { RouteFacts } from '#core/route.ts';
import { classify } from './classify.ts';

/** From here on a prompt is a piece of work, and from there on a large one. */
const MODERATE_TOKENS = 500;
const DEEP_TOKENS = 16_000;

/** What a request is taken for without asking anybody. */
export function intentByRules(facts: RouteFacts): Intent {
  const { class: kind, confidence, reason } = classify(facts);
  return {
    class: kind,
    confidence,
    reason,
    by: 'rules',
    needsWebSearch: needsSearch(facts, kind),
    complexity: complexityOf(facts),
    domains: [],
  };
}

function needsSearch(
  { search, fresh }: RouteFacts,
  kind: Intent['class'],
): Intent['needsWebSearch'] {
  if (search !== 'auto') return search === 'on' ? 'yes' : 'no';
  return kind === 'web' || fresh?.strength === 'strong' ? 'yes' : 'no';
}

function complexityOf({ category, step, tokens, files, tools }: RouteFacts): Intent['complexity'] {
  if (category === 'extended_reasoning' || step?.depth === 'deep' || tokens > DEEP_TOKENS) {
    return 'deep';
  }
  return tokens > MODERATE_TOKENS || files.count > 0 || tools > 0 ? 'moderate' : 'simple';
}
