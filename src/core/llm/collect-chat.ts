import type { CallError } from '../errors/call-error.ts';
import type { ChatEvent, Citation, FinishReason, TokenUsage, ToolCall } from './chat.ts';
import type { JsonObject } from '../json/json.ts';
import type { Notice } from '../messages/notices.ts';

export interface ChatAnswer {
  readonly model: string;
  readonly text: string;
  readonly reasoning: string;
  readonly reasoningDetails: readonly JsonObject[];
  readonly toolCalls: readonly ToolCall[];
  readonly citations: readonly Citation[];
  readonly notices: readonly Notice[];
  /** Of all requests of the chat. */
  readonly usage: TokenUsage | undefined;
  /** The prompt once and the emitted output, if the chat took several requests. */
  readonly answerUsage?: TokenUsage;
}

export type ChatOutcome =
  | {
      readonly is: 'answered';
      readonly answer: ChatAnswer;
      readonly finish: FinishReason;
      /** The stop text that ended the answer, where that is known. */
      readonly stopText?: string;
    }
  /** `answer` is what was received until then. */
  | { readonly is: 'failed'; readonly answer: ChatAnswer; readonly error: CallError };

interface Collector {
  add(event: ChatEvent): void;
  answer(): ChatAnswer;
  finish(): Extract<ChatEvent, { type: 'finish' }> | undefined;
}

export function createCollector(): Collector {
  let model = '';
  let usage: TokenUsage | undefined;
  let answerUsage: TokenUsage | undefined;
  let finish: Extract<ChatEvent, { type: 'finish' }> | undefined;
  const text: string[] = [];
  const reasoning: string[] = [];
  const reasoningDetails: JsonObject[] = [];
  const calls = new Map<number, { id: string; name: string; arguments: string[] }>();
  const citations: Citation[] = [];
  const notices: Notice[] = [];

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
          notices.push(event.notice);
          break;
        case 'usage':
          usage = event.usage;
          answerUsage = event.answer;
          break;
        case 'finish':
          finish = event;
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
      ...(answerUsage && { answerUsage }),
    }),
    finish: () => finish,
  };
}
