import { readQuestion } from '../answer.ts';
import type { Dictionary } from '../is-object.ts';
import { breakCalls, wholeCalls, type CallShape } from '../openai/calls.ts';
import { failAfter } from '../openai/broken-stream.ts';
import { answerUnder } from '../openai/ignored.ts';
import type { PrefixCache } from '../openai/prefix-cache.ts';
import { countPrompt } from '../openai/prompt.ts';
import {
  breakOff,
  onlyThoughts,
  fitToBudget,
  stopsOf,
  type BudgetedAnswer,
} from '../openai/budgeted-answer.ts';
import { stepsOf } from '../openai/steps.ts';
import type { Fault, Reply } from '../vendor.ts';
import type { RoutedChat } from './check-chat.ts';
import { bad, errorBody, type RoutedError } from './errors.ts';
import { detailOf, signatureOf } from './reasoning-details.ts';
import type { OpenRouterSwitches } from './switches.ts';
import { asMessage, citationOf, searchFor } from './web-plugin.ts';

export interface RoutedAnswer {
  readonly id: string;
  readonly created: number;
  readonly chat: RoutedChat;
  readonly said: BudgetedAnswer;
  /** What it read on the web; nothing when it did not look. */
  readonly annotations: readonly Dictionary[];
  readonly usage: Dictionary;
  readonly costUsd: number;
  readonly fault: Fault | undefined;
}

export interface RoutedOccasion {
  readonly id: string;
  readonly keyId: string;
  readonly nowMs: number;
  readonly fault: Fault | undefined;
  readonly cache: PrefixCache;
}

/** The error of a provider that breaks off behind the router's back. */
export const BROKEN_OFF: RoutedError = {
  code: 502,
  message: 'Provider disconnected unexpectedly',
  metadata: { error_type: 'provider_unavailable', provider_code: 'server_error' },
};

export function answerRouted(
  chat: RoutedChat,
  occasion: RoutedOccasion,
): RoutedAnswer | { readonly error: RoutedError } {
  const { model, web } = chat;
  const { fault, id, nowMs } = occasion;
  const pages = web === undefined ? [] : searchFor(chat.messages, web, nowMs);
  const messages = pages.length === 0 ? chat.messages : [asMessage(pages), ...chat.messages];
  const body = pages.length === 0 ? chat.body : { ...chat.body, messages };
  const prompt = countPrompt(messages, body['tools']).total;
  const limit = body['max_completion_tokens'] ?? body['max_tokens'];
  const wanted = typeof limit === 'number' ? limit : undefined;
  const context = model.contextTokens ?? 131_072;
  if (prompt + (wanted ?? 1) > context)
    return {
      error: bad(
        `This endpoint's maximum context length is ${context} tokens. However, you requested about ${prompt + (wanted ?? 1)} tokens.`,
        { error_type: 'context_length_exceeded', provider_name: chat.provider },
      ),
    };
  const answer = answerUnder(fault, readQuestion(body));
  const said = fitToBudget(answer, {
    thinks: chat.thinks,
    maxTokens: Math.min(wanted ?? model.maxTokens, context - prompt),
    stop: stopsOf(body['stop']),
  });
  const faulty = befall(said, answer.reasoning, fault);
  const cached = occasion.cache.visit(
    occasion.keyId,
    JSON.stringify([model.id, body['tools'] ?? null, messages]),
  );
  const costUsd = round(
    (prompt * model.prices.input + faulty.outputTokens * model.prices.output) / 1_000_000,
  );
  const usage = {
    prompt_tokens: prompt,
    completion_tokens: faulty.outputTokens,
    total_tokens: prompt + faulty.outputTokens,
    cost: costUsd,
    is_byok: false,
    prompt_tokens_details: { cached_tokens: Math.min(cached, prompt), cache_write_tokens: 0 },
    cost_details: {
      upstream_inference_cost: null,
      upstream_inference_prompt_cost: round((prompt * model.prices.input) / 1_000_000),
      upstream_inference_completions_cost: round(
        (faulty.outputTokens * model.prices.output) / 1_000_000,
      ),
    },
    completion_tokens_details: { reasoning_tokens: faulty.reasoningTokens },
  };
  const annotations = pages.map((page) => citationOf(page, faulty.text));
  const created = Math.floor(nowMs / 1_000);
  return { id, created, chat, said: faulty, annotations, usage, costUsd, fault };
}

const round = (usd: number): number => Number(usd.toFixed(10));

function befall(said: BudgetedAnswer, reasoning: string, fault: Fault | undefined): BudgetedAnswer {
  if (fault?.id === 'F13') return onlyThoughts(said, reasoning);
  if (fault?.id === 'F11.content_filter') return breakOff(said, 'content_filter', fault.after);
  return breakCalls(said, fault);
}

/** The provider's own word for it. */
const native = (finish: string): string => (finish === 'stop' ? 'end_turn' : finish);

const shapeOf = ({ id }: RoutedAnswer): CallShape => ({
  id: (index) => `call_${id}_${index}`,
  index: 'shown',
  arguments: 'string',
});

export function wholeRouted(answer: RoutedAnswer, switches: OpenRouterSwitches): object {
  const { id, created, chat, said, annotations, fault } = answer;
  const calls = wholeCalls(said, shapeOf(answer), fault);
  const kind = switches.reasoningDetails;
  const detail = detailOf(said.reasoning, kind);
  return {
    id,
    provider: chat.provider,
    model: chat.model.id,
    object: 'chat.completion',
    created,
    system_fingerprint: null,
    choices: [
      {
        logprobs: null,
        finish_reason: said.finish,
        native_finish_reason: native(said.finish),
        index: 0,
        message: {
          role: 'assistant',
          content: said.text === '' && calls.length > 0 ? null : said.text,
          refusal: null,
          reasoning: said.reasoning === '' || kind === 'encrypted' ? null : said.reasoning,
          ...(said.reasoning === ''
            ? {}
            : {
                reasoning_details: [
                  kind === 'text'
                    ? { ...detail, signature: signatureOf(said.reasoning)['signature'] }
                    : detail,
                ],
              }),
          ...(calls.length === 0 ? {} : { tool_calls: calls }),
          ...(annotations.length === 0 ? {} : { annotations }),
        },
        ...(fault?.id === 'F7.choice' ? { usage: answer.usage } : {}),
      },
    ],
    ...(hidesUsage(fault) ? {} : { usage: answer.usage }),
  };
}

const hidesUsage = (fault: Fault | undefined): boolean =>
  fault?.id === 'F7.missing' || fault?.id === 'F7.choice';

export async function streamRouted(
  answer: RoutedAnswer,
  reply: Reply,
  switches: OpenRouterSwitches,
): Promise<void> {
  const { id, created, chat, said, annotations, fault } = answer;
  const plain = reply.sse({ 'x-generation-id': id });
  const base = {
    id,
    provider: chat.provider,
    model: chat.model.id,
    object: 'chat.completion.chunk',
    created,
  };
  const sse =
    fault?.id === 'F11.error'
      ? failAfter(plain, fault.after ?? 0, async (broken) => {
          await broken.event({
            ...base,
            ...errorBody(BROKEN_OFF),
            choices: [
              {
                index: 0,
                delta: { content: '' },
                finish_reason: 'error',
                native_finish_reason: 'error',
              },
            ],
          });
          await broken.done();
        })
      : plain;
  for (let sent = 0; sent < switches.keepAlives; sent += 1)
    await sse.comment('OPENROUTER PROCESSING');
  const kind = switches.reasoningDetails;
  const thoughts = kind === 'encrypted' ? '' : said.reasoning;
  const choice = (delta: Dictionary, finish: string | null): Dictionary => ({
    index: 0,
    delta,
    finish_reason: finish,
    native_finish_reason: finish === null ? null : native(finish),
    logprobs: null,
  });
  const steps = stepsOf(
    { ...said, reasoning: thoughts },
    {
      always: { role: 'assistant', content: '' },
      reasoning: (piece) => ({ reasoning: piece, reasoning_details: [detailOf(piece, kind)] }),
      calls: 'pieces',
      shape: shapeOf(answer),
      closing: {},
      fault,
    },
  );
  for (const { delta, finish } of steps) {
    if (finish !== null && annotations.length > 0)
      await sse.event({
        ...base,
        choices: [choice({ role: 'assistant', content: '', annotations }, null)],
      });
    if (finish !== null && said.reasoning !== '' && kind !== 'summary') {
      const last = kind === 'text' ? signatureOf(said.reasoning) : detailOf(said.reasoning, kind);
      await sse.event({
        ...base,
        choices: [choice({ role: 'assistant', content: '', reasoning_details: [last] }, null)],
      });
    }
    const inChoice = finish !== null && fault?.id === 'F7.choice' ? { usage: answer.usage } : {};
    await sse.event({ ...base, choices: [{ ...choice(delta, finish), ...inChoice }] });
  }
  if (!hidesUsage(fault))
    await sse.event({
      ...base,
      choices:
        switches.usageChunk === 'empty' ? [] : [choice({ role: 'assistant', content: '' }, null)],
      usage: answer.usage,
    });
  await sse.done();
}
