import type { Check } from './check.ts';

export interface Conclusion {
  /** What works now, in one sentence. */
  readonly summary: string;
  /** The single most useful thing to do next. */
  readonly next: string;
}

/** Any one of them will let a model answer. */
const MODEL_KEYS = ['key_kimi', 'key_glm', 'key_openrouter', 'key_custom'];

export function conclude(checks: readonly Check[]): Conclusion {
  const is = (id: string, status: Check['status']) =>
    checks.some((check) => check.id === id && check.status === status);
  const failed = checks.filter(({ status }) => status === 'fail');
  const [worst] = failed;
  if (worst) {
    const others = failed.length > 1 ? ` and ${failed.length - 1} more` : '';
    const summary = `EX-AI does not work yet because of: ${worst.title}${others}.`;
    return { summary, next: worst.fix ?? 'exai logs' };
  }
  const warned = checks.find(({ status, fix }) => status === 'warn' && fix !== undefined);
  if (is('daemon', 'off')) {
    if (warned?.fix !== undefined) {
      const summary = `The daemon can start and its store works; look at: ${warned.title}.`;
      return { summary, next: warned.fix };
    }
    return {
      summary:
        'The daemon can start and its store works; keys can be stored now, models answer in a coming version.',
      next: 'exai serve',
    };
  }
  if (warned?.fix !== undefined) {
    return { summary: `Nothing is broken; look at: ${warned.title}.`, next: warned.fix };
  }
  if (!MODEL_KEYS.some((id) => is(id, 'ok'))) {
    return {
      summary:
        'The daemon runs and its store works; keys can be stored now, models answer in a coming version.',
      next: 'exai keys add kimi',
    };
  }
  return {
    summary: 'Everything that is set up works; models answer in a coming version.',
    next: 'exai status',
  };
}
