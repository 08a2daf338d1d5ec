import type { Attempt, Envelope } from '#core/envelope.schema.ts';
import type { Renderer } from '#core/messages/coded.ts';
import { costWords } from './answer-line.ts';
import { failureDeed } from './failure-deed.ts';
import { routeNotices, textOf, textsOf } from './messages/notice-texts.ts';

type Told = Partial<Pick<Envelope, 'status' | 'route' | 'usage' | 'notice_data'>>;

export interface QuotationWords {
  /** Why there is no answer of a model, what there is instead, and what to do. */
  readonly line: string;
  /** What else should be known. */
  readonly notices: readonly string[];
}

/** The notice that says why no model was asked. */
const QUOTED_INSTEAD = 'quoted_instead';
/** The notice of the local provider when there was nothing to quote either. */
const NOTHING_TO_QUOTE = 'nothing_to_quote';

/** Whether no model answered and nothing was quoted: a script must not take that for an answer. */
export function isEmptyHanded({ status, route }: Told): boolean {
  const notices = route?.notice_data ?? [];
  return status === 'degraded' && notices.some(({ code }) => code === NOTHING_TO_QUOTE);
}

/** One line beside an answer that no model gave. */
export function quotationLine(told: Told, renderer: Renderer): QuotationWords {
  const { route, usage } = told;
  const notices = routeNotices(told);
  const instead = notices.find(({ data }) => data?.code === QUOTED_INSTEAD);
  const others = notices.filter(
    ({ data }) => data?.code !== QUOTED_INSTEAD && data?.code !== NOTHING_TO_QUOTE,
  );
  const rest = textsOf(others, renderer);
  const so = isEmptyHanded(told) ? 'and nothing was given to quote' : 'so what was given is quoted';
  const failed = failuresOf(route?.attempts ?? []);
  if (failed !== '') {
    const cost = usage && usage.cost_usd > 0 ? `; ${costWords(usage)}` : '';
    return { line: `No model answered (${failed}), ${so}: exai doctor${cost}`, notices: rest };
  }
  if (instead && lacksOnlyKey(instead.data?.params)) {
    return { line: `No model is set up, ${so}: exai keys add glm`, notices: rest };
  }
  const line = instead ? textOf(instead, renderer) : `No model was asked, ${so}.`;
  return { line, notices: rest };
}

/** Whether a key is all that is missing. */
function lacksOnlyKey(params: unknown): boolean {
  const { error } = (params ?? {}) as { readonly error?: unknown };
  const { class: errorClass, fixes } = (error ?? {}) as Readonly<Record<string, unknown>>;
  if (errorClass !== 'not_configured' || !Array.isArray(fixes)) return false;
  return fixes.some((each: { readonly kind?: unknown } | null) => each?.kind === 'add_key');
}

const MAX_NAMES = 3;

/** `glm-5.3, kimi-k3: took too long; glm-4.5-flash: was overloaded`, each model as it failed last. */
function failuresOf(attempts: readonly Attempt[]): string {
  const last = new Map<string, string>();
  for (const { provider, model, outcome } of attempts) {
    if (provider !== 'local' && outcome !== 'ok') last.set(model, failureDeed(outcome));
  }
  return [...new Set(last.values())]
    .map((deed) => {
      const models = [...last.keys()].filter((model) => last.get(model) === deed);
      const more = models.length > MAX_NAMES ? ` and ${models.length - MAX_NAMES} more` : '';
      return `${models.slice(0, MAX_NAMES).join(', ')}${more}: ${deed}`;
    })
    .join('; ');
}
