import type { ClientAbility, QuestionKind } from '#core/question.ts';
import { isObject, type Members } from './json-rpc.ts';

/** The extension by which clients follow long work by themselves. */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

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

/** The same, and whether it follows tasks. Only modern clients can: they say so with each request. */
export function abilitiesOf(capabilities: unknown): readonly ClientAbility[] {
  const askable = askableOf(capabilities);
  return followsTasks(capabilities) ? [...askable, 'tasks'] : askable;
}

export function followsTasks(capabilities: unknown): boolean {
  const extensions = isObject(capabilities) ? capabilities['extensions'] : undefined;
  return isObject(extensions) && isObject(extensions[TASKS_EXTENSION]);
}

/** The other way round: what a client would have to name. */
export function capabilitiesFor(abilities: readonly ClientAbility[]): Members {
  return Object.assign({}, ...abilities.map((ability) => CAPABILITY[ability])) as Members;
}

const CAPABILITY: Record<ClientAbility, Members> = {
  form: { elicitation: {} },
  visit: { elicitation: { url: {} } },
  sample: { sampling: {} },
  roots: { roots: {} },
  tasks: { extensions: { [TASKS_EXTENSION]: {} } },
};
