import type { Check } from './check.ts';

export interface Conclusion {
  /** What works now, in one sentence. */
  readonly summary: string;
  /** The single most useful thing to do next. */
  readonly next: string;
}

/** Any one of them lets a model answer. */
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

  const runs = is('daemon', 'ok') ? 'The daemon runs' : 'The daemon can start';
  if (!MODEL_KEYS.some((id) => is(id, 'ok'))) {
    return {
      summary: `${runs} and its store works; no model can answer before a provider has a key.`,
      next: 'exai keys add kimi',
    };
  }
  const warned = checks.find(({ status, fix }) => status === 'warn' && fix !== undefined);
  if (warned?.fix !== undefined) {
    return {
      summary: `${runs}, its store works and a provider has a key; look at: ${warned.title}.`,
      next: warned.fix,
    };
  }
  return is('daemon', 'ok')
    ? { summary: 'Everything that is set up works.', next: 'exai status' }
    : { summary: `${runs}, its store works and a provider has a key.`, next: 'exai serve' };
}
