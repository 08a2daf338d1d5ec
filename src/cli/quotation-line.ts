import type { Attempt, Envelope } from '#core/envelope.schema.ts';
import { costWords } from './answer-line.ts';
import { failureDeed } from './failure-deed.ts';

type Told = Partial<Pick<Envelope, 'route' | 'usage'>>;

export interface QuotationWords {
  /** Why there is no answer of a model, what there is instead, and what to do. */
  readonly line: string;
  /** What else should be known. */
  readonly notices: readonly string[];
}

/** The local provider numbers what it quotes. */
const QUOTATION = /^\[1\] “/m;
const INSTEAD = 'What was given is quoted instead.';
/** How it is said of a model that only its key is missing. */
const NO_KEY = ': exai keys add ';

/** Whether there is anything in it of what was given. */
export function hasQuotation(written: string): boolean {
  return QUOTATION.test(written);
}

/** One line beside an answer that no model gave. */
export function quotationLine(
  { route, usage }: Told,
  quoted: 'something' | 'nothing',
): QuotationWords {
  const { attempts = [], notices = [] } = route ?? {};
  const told = notices.find((notice) => notice.includes(INSTEAD));
  const rest = notices.filter((notice) => notice !== told);
  const so =
    quoted === 'something' ? 'so what was given is quoted' : 'and nothing was given to quote';
  const failed = failuresOf(attempts);
  if (failed !== '') {
    const cost = usage && usage.cost_usd > 0 ? `; ${costWords(usage)}` : '';
    return { line: `No model answered (${failed}), ${so}: exai doctor${cost}`, notices: rest };
  }
  if (told?.includes(NO_KEY)) {
    return { line: `No model is set up, ${so}: exai keys add glm`, notices: rest };
  }
  return { line: told ?? `No model was asked, ${so}.`, notices: rest };
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
