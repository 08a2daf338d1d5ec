import { PROVIDERS } from '#core/providers/list.ts';
import type { Check } from './check.ts';
import { ADDED_CHECK } from './key-checks.ts';

export interface Conclusion {
  /** What works now, in one sentence. */
  readonly summary: string;
  /** The most useful next action. */
  readonly next: string;
  /** Whether a model can answer now. */
  readonly answers: 'yes' | 'no';
}

/** Any one of them is enough for a model to answer. */
const MODEL_KEYS = PROVIDERS.filter(({ needs }) => needs !== 'nothing').map(
  ({ id }) => `key_${id}`,
);

const ASK = 'exai ask "What is a monad?"';
const ADD_KEY = 'exai keys add glm';

export function concludeDiagnosis(
  checks: readonly Check[],
  autostart: 'on' | 'off' = 'on',
): Conclusion {
  const providers = checks.filter(
    ({ id }) => MODEL_KEYS.includes(id) || id.startsWith(ADDED_CHECK),
  );
  const canAnswer = providers.some(({ status, answers }) => status === 'ok' || answers === 'yes');
  const failed = checks.filter(({ status }) => status === 'fail');
  const worst = causeOf(failed);
  if (worst && failed.every(({ id }) => ABOUT_DATA.has(id))) {
    const titles = failed.map(({ title }) => title).join(', ');
    const summary = `Data was lost or damaged, and EX-AI continues without it; look at: ${titles}.`;
    return { summary, next: nextOf(worst) ?? 'exai logs', answers: canAnswer ? 'yes' : 'no' };
  }
  if (worst) {
    const others = failed.length > 1 ? ` and ${failed.length - 1} more` : '';
    const summary = `EX-AI does not work yet because of: ${worst.title}${others}.`;
    return { summary, next: nextOf(worst) ?? 'exai logs', answers: canAnswer ? 'yes' : 'no' };
  }
  const isOff = checks.some(({ id, status }) => id === 'daemon' && status === 'off');
  const works = isOff
    ? 'The daemon can start and its store works'
    : 'The daemon runs and its store works';
  if (!canAnswer) return { ...withoutModel(providers, works), answers: 'no' };
  const warned = checks.find(({ status, fix }) => status === 'warn' && fix !== undefined);
  const next = warned && nextOf(warned);
  if (next !== undefined) {
    const summary = `${isOff ? works : 'Nothing is broken'}; look at: ${warned?.title}.`;
    return { summary, next, answers: 'yes' };
  }
  if (isOff && autostart === 'off') {
    const summary = `${works}, but it does not run, and EXAI_AUTOSTART keeps commands from starting it.`;
    return { summary, next: 'exai start', answers: 'yes' };
  }
  const summary = isOff
    ? `${works}; it starts with the first question.`
    : 'Everything that is set up works.';
  return { summary, next: ASK, answers: 'yes' };
}

/** Checks that fail while the daemon answers. */
const ABOUT_DATA: ReadonlySet<string> = new Set(['audit', 'store_pages']);

/** A daemon is not ready because of its store, whose check names what helps. */
function causeOf(failed: readonly Check[]): Check | undefined {
  const [first] = failed;
  return first?.id === 'daemon' ? (failed.find(({ id }) => id === 'store') ?? first) : first;
}

function nextOf({ next, fix }: Check): string | undefined {
  return next ?? fix;
}

/** The first provider that is set up and cannot be used decides what helps. */
function withoutModel(
  providers: readonly Check[],
  works: string,
): Pick<Conclusion, 'summary' | 'next'> {
  const unusable = providers.filter(({ status }) => status !== 'off');
  const [first] = unusable;
  if (!first) {
    return { summary: `${works}, but no model can be asked without a key.`, next: ADD_KEY };
  }
  const titles = unusable.map(({ title }) => title).join(', ');
  return {
    summary: `${works}, but no model can answer; look at: ${titles}.`,
    next: nextOf(first) ?? ADD_KEY,
  };
}
