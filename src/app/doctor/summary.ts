import { PROVIDERS } from '#core/providers/list.ts';
import type { Check } from './check.ts';

export interface Conclusion {
  /** What works now, in one sentence. */
  readonly summary: string;
  /** The most useful next action. */
  readonly next: string;
}

/** Any one of them is enough for a model to answer. */
const MODEL_KEYS = PROVIDERS.filter(({ needs }) => needs !== 'nothing').map(
  ({ id }) => `key_${id}`,
);

const ASK = 'exai ask "What is a monad?"';
const ADD_KEY = 'exai keys add glm';

export function concludeDiagnosis(checks: readonly Check[]): Conclusion {
  const is = (id: string, status: Check['status']) =>
    checks.some((check) => check.id === id && check.status === status);
  const failed = checks.filter(({ status }) => status === 'fail');
  const [worst] = failed;
  if (worst) {
    const others = failed.length > 1 ? ` and ${failed.length - 1} more` : '';
    const summary = `EX-AI does not work yet because of: ${worst.title}${others}.`;
    return { summary, next: worst.fix ?? 'exai logs' };
  }
  const isOff = is('daemon', 'off');
  const works = isOff
    ? 'The daemon can start and its store works'
    : 'The daemon runs and its store works';
  const warned = checks.find(({ status, fix }) => status === 'warn' && fix !== undefined);
  if (warned?.fix !== undefined) {
    const summary = `${isOff ? works : 'Nothing is broken'}; look at: ${warned.title}.`;
    return { summary, next: warned.fix };
  }
  if (!MODEL_KEYS.some((id) => is(id, 'ok'))) {
    return { summary: `${works}, but no model can be asked without a key.`, next: ADD_KEY };
  }
  const summary = isOff
    ? `${works}; it starts with the first question.`
    : 'Everything that is set up works.';
  return { summary, next: ASK };
}
