import { CallError } from './call-error.ts';
import type { ChatEvent, Citation, FinishReason, TokenUsage, ToolCall } from './chat.ts';
import type { JsonObject } from './json.ts';

export interface ChatAnswer {
  readonly model: string;
  readonly text: string;
  readonly reasoning: string;
  readonly reasoningDetails: readonly JsonObject[];
  readonly toolCalls: readonly ToolCall[];
  readonly citations: readonly Citation[];
  readonly notices: readonly string[];
  readonly usage: TokenUsage | undefined;
}

export type ChatOutcome =
  | { readonly is: 'answered'; readonly answer: ChatAnswer; readonly finish: FinishReason }
  /** `answer` is what had come by then. */
  | { readonly is: 'failed'; readonly answer: ChatAnswer; readonly error: CallError };

/** Reads an answer to its end. What came before a failure is kept beside it. */
export async function collectChat(events: AsyncIterable<ChatEvent>): Promise<ChatOutcome> {
  const soFar = createCollector();
  try {
    for await (const event of events) soFar.add(event);
  } catch (thrown) {
    return { is: 'failed', answer: soFar.answer(), error: CallError.from(thrown) };
  }
  const finish = soFar.finish();
  if (finish) return { is: 'answered', answer: soFar.answer(), finish };
  const error = new CallError('interrupted', 'The answer ended without saying that it was over.');
  return { is: 'failed', answer: soFar.answer(), error };
}

interface Collector {
  add(event: ChatEvent): void;
  answer(): ChatAnswer;
  finish(): FinishReason | undefined;
}

export function createCollector(): Collector {
  let model = '';
  let usage: TokenUsage | undefined;
  let finish: FinishReason | undefined;
  const text: string[] = [];
  const reasoning: string[] = [];
  const reasoningDetails: JsonObject[] = [];
  const calls = new Map<number, { id: string; name: string; arguments: string[] }>();
  const citations: Citation[] = [];
  const notices: string[] = [];

  return {
    add(event) {
      switch (event.type) {
        case 'start':
          model = event.model;
          break;
        case 'text':
          text.push(event.text);
          break;
        case 'reasoning':
          reasoning.push(event.text);
          break;
        case 'reasoning_details':
          for (const detail of event.details) reasoningDetails.push(detail);
          break;
        case 'tool_call': {
          const call = calls.get(event.index);
          if (call) call.arguments.push(event.arguments);
          else {
            const { id = '', name = '' } = event;
            calls.set(event.index, { id, name, arguments: [event.arguments] });
          }
          break;
        }
        case 'citation':
          citations.push(event.citation);
          break;
        case 'notice':
          notices.push(event.text);
          break;
        case 'usage':
          usage = event.usage;
          break;
        case 'finish':
          finish = event.reason;
          break;
      }
    },
    answer: () => ({
      model,
      text: text.join(''),
      reasoning: reasoning.join(''),
      reasoningDetails,
      toolCalls: [...calls.values()].map((call) => ({
        ...call,
        arguments: call.arguments.join(''),
      })),
      citations,
      notices,
      usage,
    }),
    finish: () => finish,
  };
}
