import type { Intent } from '#core/ask.ts';
import { reason } from '#core/messages/reasons.ts';
import { oneLine } from '#core/one-line.ts';
import { REQUEST_CLASSES, type RequestClass } from '#core/route.ts';
import { COMPLEXITIES, MAX_DOMAINS } from './intent-prompt.ts';

/** Whoever says more than this did not understand what was asked of it. */
const MAX_ANSWER_CHARS = 20_000;
const MAX_BECAUSE_CHARS = 200;
const MAX_DOMAIN_CHARS = 40;

/** What the model said, if it is any use. Words around the JSON do no harm; what is missing is as the rules see it. */
export function readIntent(said: string, rules: Intent): Intent | undefined {
  if (said.length > MAX_ANSWER_CHARS) return undefined;
  for (const text of objectsIn(said)) {
    const intent = toIntent(parse(text), rules);
    if (intent) return intent;
  }
  return undefined;
}

function toIntent(value: unknown, rules: Intent): Intent | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const given = value as Readonly<Record<string, unknown>>;
  const { class: kind, confidence, because, complexity, domains } = given;
  if (!isClass(kind) || typeof confidence !== 'number') return undefined;
  if (!(confidence >= 0 && confidence <= 1)) return undefined;
  const why = typeof because === 'string' ? oneLine(because, MAX_BECAUSE_CHARS).trim() : '';
  return {
    class: kind,
    confidence,
    reason:
      why === '' ? reason('classified_by_model', { class: kind }) : reason('text', { text: why }),
    by: 'model',
    needsWebSearch: yesOrNo(given['needs_websearch']) ?? rules.needsWebSearch,
    complexity: COMPLEXITIES.find((each) => each === complexity) ?? rules.complexity,
    domains: words(domains),
  };
}

function isClass(value: unknown): value is RequestClass {
  return (REQUEST_CLASSES as readonly unknown[]).includes(value);
}

function yesOrNo(value: unknown): 'yes' | 'no' | undefined {
  if (value === true || value === 'true' || value === 'yes') return 'yes';
  return value === false || value === 'false' || value === 'no' ? 'no' : undefined;
}

function words(value: unknown): readonly string[] {
  if (!Array.isArray(value)) return [];
  const texts = value
    .filter((each): each is string => typeof each === 'string')
    .map((each) => oneLine(each, MAX_DOMAIN_CHARS).trim())
    .filter((each) => each !== '');
  return [...new Set(texts)].slice(0, MAX_DOMAINS);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Braces around something else; another place may have what is looked for.
    return undefined;
  }
}

/** Everything between braces that belong together, in one pass; braces inside strings do not count. */
function objectsIn(text: string): string[] {
  const found: string[] = [];
  let start = 0;
  let depth = 0;
  let isString = false;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (isString) {
      if (char === '\\') at += 1;
      else if (char === '"') isString = false;
    } else if (char === '"') isString = depth > 0;
    else if (char === '{') {
      if (depth === 0) start = at;
      depth += 1;
    } else if (char === '}' && depth > 0) {
      depth -= 1;
      if (depth === 0) found.push(text.slice(start, at + 1));
    }
  }
  return found;
}
