import type { QuestionKind } from '#core/question.ts';
import { isObject, type Members } from './json-rpc.ts';

const NOTHING: readonly QuestionKind[] = Object.freeze([]);

/** What a client can be asked, by the capabilities it names. */
export function askableOf(capabilities: unknown): readonly QuestionKind[] {
  if (!isObject(capabilities)) return NOTHING;
  const { elicitation, sampling, roots } = capabilities;
  const kinds: QuestionKind[] = [];
  if (isObject(elicitation)) {
    const { form, url } = elicitation;
    // Before there were two ways, a client that named neither meant the form.
    if (isObject(form) || url === undefined) kinds.push('form');
    if (isObject(url)) kinds.push('visit');
  }
  if (isObject(sampling)) kinds.push('sample');
  if (isObject(roots)) kinds.push('roots');
  return kinds.length === 0 ? NOTHING : kinds;
}

/** The other way round: what a client would have to name. */
export function capabilitiesFor(kinds: readonly QuestionKind[]): Members {
  return Object.assign({}, ...kinds.map((kind) => CAPABILITY[kind])) as Members;
}

const CAPABILITY: Record<QuestionKind, Members> = {
  form: { elicitation: {} },
  visit: { elicitation: { url: {} } },
  sample: { sampling: {} },
  roots: { roots: {} },
};
