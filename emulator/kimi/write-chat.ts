import { toCallDeltas, toCallList } from '../call-faults.ts';
import type { Fault, Headers, Reply } from '../vendor.ts';
import type { KimiAnswer } from './answer-chat.ts';
import type { ChatPlan } from './plan-chat.ts';
import type { KimiState } from './state.ts';

export interface ChatUsage {
  readonly promptTokens: number;
  readonly cachedTokens: number;
  readonly completionTokens: number;
  readonly reasoningTokens: number;
}

export interface ChatToWrite {
  readonly plan: ChatPlan;
  readonly answers: readonly KimiAnswer[];
  readonly usage: ChatUsage;
  readonly created: number;
  readonly headers: Headers;
  readonly fault: Fault | undefined;
}

const FINGERPRINT = 'fpv0_10a6da87';

export function writeJson(reply: Reply, chat: ChatToWrite, state: KimiState): Promise<void> {
  const { plan, answers, usage, created, headers, fault } = chat;
  return reply.json(
    200,
    {
      id: state.switches.idPrefix + state.nextId(),
      object: 'chat.completion',
      created,
      model: plan.model.id,
      choices: answers.map((answer, index) => ({
        index,
        message: {
          role: 'assistant',
          content:
            answer.calls.length > 0 && state.switches.callContent === 'null'
              ? null
              : answer.text.join(''),
          ...(answer.reasoning.length > 0 ? { reasoning_content: answer.reasoning.join('') } : {}),
          ...(answer.calls.length > 0
            ? { tool_calls: toCallList(answer.calls, answer.callFault) }
            : {}),
        },
        finish_reason: answer.finish,
      })),
      ...(fault?.id === 'F7.missing'
        ? {}
        : {
            usage: {
              ...shortUsage(usage),
              prompt_tokens_details: { cached_tokens: usage.cachedTokens },
              ...(usage.reasoningTokens > 0
                ? { completion_tokens_details: { reasoning_tokens: usage.reasoningTokens } }
                : {}),
            },
          }),
      system_fingerprint: FINGERPRINT,
    },
    headers,
  );
}

const shortUsage = (usage: ChatUsage) => ({
  prompt_tokens: usage.promptTokens,
  completion_tokens: usage.completionTokens,
  total_tokens: usage.promptTokens + usage.completionTokens,
  cached_tokens: usage.cachedTokens,
});

/**
 * Role, reasoning, content, tool calls, finish; usage inside the finish chunk's choice, and once
 * more at the top if asked for.
 */
export async function writeStream(
  reply: Reply,
  chat: ChatToWrite,
  state: KimiState,
): Promise<void> {
  const { plan, answers, created, headers } = chat;
  const stream = reply.sse(headers);
  const head = {
    id: state.switches.idPrefix + state.nextId(),
    object: 'chat.completion.chunk',
    created,
    model: plan.model.id,
  };
  const usage = shortUsage(chat.usage);
  const place = placeOf(chat, state);
  for (const [index, answer] of answers.entries()) {
    const say = (delta: object): Promise<void> =>
      stream.event({ ...head, choices: [{ index, delta, finish_reason: null }] });
    await stream.event({
      ...head,
      choices: [{ index, delta: { role: 'assistant', content: '' }, finish_reason: null }],
      system_fingerprint: FINGERPRINT,
    });
    for (const piece of answer.reasoning) await say({ reasoning_content: piece });
    for (const piece of answer.text) await say({ content: piece });
    for (const calls of toCallDeltas(answer.calls, answer.callFault))
      await say({ tool_calls: calls });
    await stream.event({
      ...head,
      choices: [
        {
          index,
          delta: {},
          finish_reason: answer.finish,
          ...(place.choice === 'yes' ? { usage } : {}),
        },
      ],
      ...(place.finishTop === 'yes' ? { usage } : {}),
    });
  }
  if (place.extra === 'yes') await stream.event({ ...head, choices: [], usage });
  await stream.done();
}

interface UsagePlaces {
  readonly choice: 'yes' | 'no';
  readonly finishTop: 'yes' | 'no';
  readonly extra: 'yes' | 'no';
}

function placeOf({ plan, fault }: ChatToWrite, { switches }: KimiState): UsagePlaces {
  switch (fault?.id) {
    case 'F7.missing':
      return { choice: 'no', finishTop: 'no', extra: 'no' };
    case 'F7.choice':
      return { choice: 'yes', finishTop: 'no', extra: 'no' };
    case 'F7.top':
      return { choice: 'no', finishTop: 'yes', extra: 'no' };
    case undefined:
    default: {
      const isTop = switches.streamUsage === 'top';
      return {
        choice: isTop ? 'no' : 'yes',
        finishTop: isTop ? 'yes' : 'no',
        extra: plan.stream === 'with usage' ? 'yes' : 'no',
      };
    }
  }
}
