import type { Envelope } from '#core/calls/envelope.schema.ts';
import { isExtractive } from '#core/providers/extractive.ts';
import { toMicroUsd } from '#core/text/money.ts';

export type WebMode = 'on' | 'off' | 'auto';

/** A file for the next message: a path that the daemon reads, or text that was read here. */
export type ChatFile = string | { readonly name: string; readonly text: string };

export interface ChatUsage {
  readonly answers: number;
  readonly input: number;
  readonly output: number;
  readonly microUsd: number;
  /** Answers with an estimated or unknown cost. */
  readonly unsure: number;
}

/** The state of a chat between two messages. */
export interface ChatState {
  /** Undefined lets the daemon choose. */
  readonly model: string | undefined;
  readonly web: WebMode;
  /** `raw`: answers are shown as they were written. */
  readonly display: 'rendered' | 'raw';
  readonly files: readonly ChatFile[];
  readonly thread:
    | { readonly id: string; readonly left?: number; readonly model?: string }
    | undefined;
  readonly lastMessage: string | undefined;
  readonly last: Partial<Envelope> | undefined;
  readonly usage: ChatUsage;
}

const NOTHING: ChatUsage = { answers: 0, input: 0, output: 0, microUsd: 0, unsure: 0 };

export const NEW_CHAT: ChatState = {
  model: undefined,
  web: 'auto',
  display: 'rendered',
  files: [],
  thread: undefined,
  lastMessage: undefined,
  last: undefined,
  usage: NOTHING,
};

/** The arguments of the tool `chat`. */
export function chatArgs(state: ChatState, message: string): Record<string, unknown> {
  const { model, web, files, thread } = state;
  return {
    prompt: message,
    ...(model !== undefined && { model }),
    ...(web !== 'auto' && { use_websearch: web === 'on' }),
    ...(files.length > 0 && { files }),
    ...(thread && { continuation_id: thread.id }),
  };
}

/** The state after an answer or a failure; after a failure the files are kept for the next try. */
export function withAnswer(state: ChatState, envelope: Partial<Envelope>): ChatState {
  const { status, continuation, usage, provider, model } = envelope;
  const { usage: spent } = state;
  const isKept = continuation !== undefined && !isExtractive(provider) && model !== undefined;
  return {
    ...state,
    last: envelope,
    ...(status !== 'error' && { files: [] }),
    ...(continuation && {
      thread: {
        id: continuation.id,
        left: continuation.remaining_turns,
        ...(isKept && { model }),
      },
    }),
    ...(usage && {
      usage: {
        answers: spent.answers + 1,
        input: spent.input + usage.input,
        output: spent.output + usage.output,
        microUsd: spent.microUsd + toMicroUsd(usage.cost_usd),
        unsure: spent.unsure + (usage.estimated || usage.unpriced ? 1 : 0),
      },
    }),
  };
}
