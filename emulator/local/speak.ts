import type { Dictionary } from '../is-object.ts';
import { countTokens } from '../tokens.ts';
import type { Fault, Reply } from '../vendor.ts';
import { wholeCalls, type CallShape } from '../openai/calls.ts';
import { failAfter } from '../openai/broken-stream.ts';
import type { BudgetedAnswer } from '../openai/budgeted-answer.ts';
import { stepsOf } from '../openai/steps.ts';

/** How one of the local servers speaks OpenAI's language. */
export interface Accent {
  readonly id: string;
  readonly created: number;
  readonly model: string;
  /** Beside the choices, in every chunk and in the whole answer. */
  readonly around: Dictionary;
  /** Only at the end: timings and the like. */
  readonly last: Dictionary;
  readonly opening?: Dictionary;
  readonly always: Dictionary;
  readonly reasoningKey: 'reasoning' | 'reasoning_content';
  readonly calls: 'whole' | 'pieces';
  readonly callIndex: 'shown' | 'absent';
  /** In streams: at the end when requested, or with every chunk. */
  readonly streamUsage: 'none' | 'last' | 'each';
  /** The error that breaks a stream off. */
  readonly streamError: { readonly data: object; readonly name?: string };
  readonly fault: Fault | undefined;
}

export interface Spoken {
  readonly said: BudgetedAnswer;
  readonly promptTokens: number;
  /** Beyond the three totals, which every server has. */
  readonly moreUsage?: Dictionary;
}

export const usageOf = ({ said, promptTokens, moreUsage = {} }: Spoken): Dictionary => ({
  prompt_tokens: promptTokens,
  completion_tokens: said.outputTokens,
  total_tokens: promptTokens + said.outputTokens,
  ...moreUsage,
});

const shapeOf = ({ id, callIndex }: Accent): CallShape => ({
  id: (index) => `call_${id.replace(/^chatcmpl-/, '')}_${index}`,
  index: callIndex,
  arguments: 'string',
});

export function speakWhole(spoken: Spoken, accent: Accent): Dictionary {
  const { said } = spoken;
  const { fault, reasoningKey } = accent;
  const calls = wholeCalls(said, shapeOf(accent), fault);
  const usage = usageOf(spoken);
  return {
    id: accent.id,
    object: 'chat.completion',
    created: accent.created,
    model: accent.model,
    ...accent.around,
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: said.text,
          ...(said.reasoning === '' ? {} : { [reasoningKey]: said.reasoning }),
          ...(calls.length === 0 ? {} : { tool_calls: calls }),
        },
        finish_reason: said.finish,
        ...(fault?.id === 'F7.choice' ? { usage } : {}),
      },
    ],
    ...(hidesUsage(fault) ? {} : { usage }),
    ...accent.last,
  };
}

const hidesUsage = (fault: Fault | undefined): boolean =>
  fault?.id === 'F7.missing' || fault?.id === 'F7.choice';

export async function speakStream(reply: Reply, spoken: Spoken, accent: Accent): Promise<void> {
  const { said } = spoken;
  const { fault, reasoningKey, streamUsage } = accent;
  const plain = reply.sse();
  const sse =
    fault?.id === 'F11.error'
      ? failAfter(plain, fault.after ?? 0, async (broken) => {
          await broken.event(accent.streamError.data, accent.streamError.name);
          await broken.end();
        })
      : plain;
  const chunk = (choices: readonly Dictionary[], more: Dictionary): object => ({
    id: accent.id,
    object: 'chat.completion.chunk',
    created: accent.created,
    model: accent.model,
    ...accent.around,
    choices,
    ...more,
  });
  const usage = usageOf(spoken);
  const isLastOwn = streamUsage === 'none' && fault?.id === 'F7.top';
  let output = 0;
  for (const { delta, finish } of stepsOf(said, {
    ...(accent.opening === undefined ? {} : { opening: accent.opening }),
    always: accent.always,
    reasoning: (piece) => ({ [reasoningKey]: piece }),
    calls: accent.calls,
    shape: shapeOf(accent),
    closing: {},
    fault,
  })) {
    const piece = delta['content'] ?? delta[reasoningKey];
    output += typeof piece === 'string' ? countTokens(piece) : 0;
    const running = {
      ...usage,
      completion_tokens: output,
      total_tokens: spoken.promptTokens + output,
    };
    const inChoice = finish !== null && fault?.id === 'F7.choice' ? { usage } : {};
    await sse.event(
      chunk([{ index: 0, delta, finish_reason: finish, ...inChoice }], {
        ...(streamUsage === 'each' && !hidesUsage(fault)
          ? { usage: finish === null ? running : usage }
          : {}),
        ...(finish !== null && isLastOwn ? { usage } : {}),
        ...(finish !== null && streamUsage === 'none' ? accent.last : {}),
      }),
    );
  }
  if (streamUsage !== 'none' && !hidesUsage(fault))
    await sse.event(chunk([], { usage, ...accent.last }));
  await sse.done();
}

/** What `stream_options` asks for. */
export function streamUsageOf(options: unknown): 'none' | 'last' {
  return typeof options === 'object' &&
    options !== null &&
    (options as Dictionary)['include_usage'] === true
    ? 'last'
    : 'none';
}
