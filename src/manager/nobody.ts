import { CallError } from '#core/call-error.ts';
import { dollars } from '#core/dollars.ts';
import { GATEWAY_OPERATIONS } from '#core/gateway.ts';
import type { RouteFacts } from '#core/route.ts';
import type { Model } from '#models/model.ts';
import type { Against, Unable } from './capable.ts';
import { mediaError } from './media-error.ts';
import { outWords } from './out-words.ts';
import type { RouteWorld } from './route-world.ts';
import type { Out } from './situation.ts';

const ADD_KEY = 'Add a key: exai keys add glm. exai doctor says what else is missing.';
const SET_UP = 'Add a key: exai keys add glm (or kimi, openrouter), or set CUSTOM_API_URL.';

/** Why nobody can be asked, by what would help most: waiting, money, a shorter question, a key. */
export function nobodyError(out: readonly Out[], facts: RouteFacts, world: RouteWorld): CallError {
  const models = out.filter(({ model }) => model.provider !== 'local');
  const of = (against: Against) => models.filter(({ verdict }) => verdict.against === against);
  const resting = of('breaker');
  if (resting.length > 0) return restingError(resting);
  if (world.budget && of('budget').length > 0) return budgetError(world.budget.because);
  if (of('price').length > 0) return priceError(of('price'), facts);
  if (of('window').length > 0) return windowError(of('window'), facts);
  const tools = of('tools');
  if (tools.length > 0 && of('set_up').length === 0) return toolsError(tools);
  if (of('modality').length > 0) return mediaError(of('modality'), facts);
  if (models.every((each) => lacksProvider(each, world))) {
    return new CallError('not_configured', 'No provider is set up.', { fix: SET_UP });
  }
  const why = models.length === 0 ? '' : `: ${outWords(models)}`;
  return new CallError('not_configured', `No model can be asked${why}.`, {
    fix: ADD_KEY,
  });
}

/** Whether it waits for a key or an address, and not for a list to change. */
function lacksProvider({ model, verdict }: Out, world: RouteWorld): boolean {
  const { against, because } = verdict;
  return against === 'set_up' && !OF_LISTS.test(because) && world.openrouter(model) === undefined;
}

const OF_LISTS = /models\.(?:allow|deny)/;

/** Why the one model that was named cannot be asked, where nobody else may. */
export function namedError({ model, verdict }: Out, facts: RouteFacts): CallError {
  const { provider } = model;
  if (facts.fallback !== 'none') return tooLongFor(model, verdict);
  const message = `${model.id} cannot answer, and no other may (fallback: none): ${verdict.because}.`;
  const fix = 'Leave out fallback: none, or name another model; exai models lists them.';
  const known = { provider, model: model.id, field: 'model', fix };
  switch (verdict.against) {
    case 'set_up':
      return new CallError('not_configured', message, { ...known, fix: setUpFix(model, verdict) });
    case 'breaker':
      return new CallError('breaker_open', message, { ...known, ...retryAfter([verdict]) });
    case 'window':
      return new CallError('context_length', message, {
        ...known,
        contextTokens: model.contextTokens,
      });
    case 'budget':
      return new CallError('budget', message, known);
    case 'price':
      return new CallError('budget', message, {
        ...known,
        field: 'max_cost_usd',
        fix: priceFix(facts),
      });
    case 'modality':
    case 'tools':
    case 'stops':
    case 'last_resort':
      return new CallError('validation', message, known);
  }
}

function tooLongFor({ id, provider, contextTokens }: Model, { because }: Unable): CallError {
  return new CallError('context_length', `${id} cannot answer: ${because}.`, {
    provider,
    model: id,
    field: 'messages',
    fix: 'Send less, or ask for auto, which finds a model with a larger window.',
    contextTokens,
  });
}

function setUpFix({ provider }: Model, { because }: Unable): string {
  if (OF_LISTS.test(because)) {
    return 'Change that list, name another model, or leave out fallback: none.';
  }
  const doctor = 'exai doctor says what is missing';
  if (provider === 'kimi' || provider === 'glm' || provider === 'openrouter') {
    return `exai keys add ${provider}, or leave out fallback: none; ${doctor}.`;
  }
  return `Leave out fallback: none; ${doctor}.`;
}

function restingError(resting: readonly Out[]): CallError {
  const wait = retryAfter(resting.map(({ verdict }) => verdict));
  const seconds = Math.ceil((wait.retryAfterMs ?? 0) / 1000);
  const when = seconds > 0 ? `in ${seconds} s` : 'in a moment';
  return new CallError('breaker_open', `Whoever could answer is resting: ${outWords(resting)}.`, {
    ...wait,
    fix: `Try again ${when}, or add another provider: exai keys add.`,
  });
}

function retryAfter(verdicts: readonly Unable[]): { readonly retryAfterMs?: number } {
  const waits = verdicts.flatMap(({ retryInMs }) => (retryInMs === undefined ? [] : [retryInMs]));
  return waits.length === 0 ? {} : { retryAfterMs: Math.max(0, Math.min(...waits)) };
}

function budgetError(because: string): CallError {
  const sentence = `${because.replace(/\.\s*$/, '')}.`;
  const until = /midnight/i.test(because) ? '' : ' A new day begins at midnight UTC.';
  return new CallError('budget', `${sentence}${until}`, {
    fix: 'Wait for the next day, or raise the limit: budget.dailyUsd, budget.clientDailyUsd, budget.clients.',
  });
}

function priceError(out: readonly Out[], facts: RouteFacts): CallError {
  const { maxCostMicroUsd: most = 0 } = facts;
  const limit = most === 0 ? 'nothing' : `no more than ${dollars(most)}`;
  const message = `No model is sure to cost ${limit}: ${outWords(out)}.`;
  return new CallError('budget', message, { field: 'max_cost_usd', fix: priceFix(facts) });
}

function priceFix({ maxOutputTokens, tool }: RouteFacts): string {
  const deed = maxOutputTokens === undefined ? 'set' : 'lower';
  // Its clients have names of their own for it.
  const isGateways = tool === GATEWAY_OPERATIONS.chat;
  const limit = isGateways ? 'the limit of tokens of the answer' : 'max_output_tokens';
  return `Allow more, or ${deed} ${limit}, so that the answer cannot cost as much.`;
}

function windowError(out: readonly Out[], { context }: RouteFacts): CallError {
  const contextTokens = Math.max(...out.map(({ model }) => model.contextTokens));
  return new CallError(
    'context_length',
    `The question is too long for every model: ${outWords(out)}.`,
    {
      field: 'prompt',
      fix:
        context === 'whole'
          ? 'Send less at once: nothing of it is summarised or left out.'
          : 'Ask for less at once, or give long texts as files: those can be summarised.',
      contextTokens,
    },
  );
}

function toolsError(out: readonly Out[]): CallError {
  return new CallError('validation', `No model can call these tools: ${outWords(out)}.`, {
    field: 'tools',
    fix: 'Give fewer tools.',
  });
}
