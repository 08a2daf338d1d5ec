import type { Envelope } from '#core/envelope.schema.ts';
import { toMicroUsd } from '#core/money.ts';

export type WebWish = 'on' | 'off' | 'auto';

/** For the next message: a path that the daemon reads, or a text that was read here. */
export type ChatFile = string | { readonly name: string; readonly text: string };

export interface Spent {
  readonly answers: number;
  readonly input: number;
  readonly output: number;
  readonly microUsd: number;
  /** Answers whose cost is estimated or not known. */
  readonly unsure: number;
}

/** A chat between two messages. */
export interface ChatState {
  /** Nothing lets the daemon choose. */
  readonly model: string | undefined;
  readonly web: WebWish;
  readonly files: readonly ChatFile[];
  readonly thread:
    | { readonly id: string; readonly left?: number; readonly model?: string }
    | undefined;
  readonly lastMessage: string | undefined;
  readonly last: Partial<Envelope> | undefined;
  readonly spent: Spent;
}

const NOTHING: Spent = { answers: 0, input: 0, output: 0, microUsd: 0, unsure: 0 };

export const NEW_CHAT: ChatState = {
  model: undefined,
  web: 'auto',
  files: [],
  thread: undefined,
  lastMessage: undefined,
  last: undefined,
  spent: NOTHING,
};

/** What the tool `chat` is called with. */
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

/** The chat after an answer, or after what came instead of one: then the files wait for the next try. */
export function withAnswer(state: ChatState, envelope: Partial<Envelope>): ChatState {
  const { status, continuation, usage, provider, model } = envelope;
  const { spent } = state;
  const isKept = continuation !== undefined && provider !== 'local' && model !== undefined;
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
      spent: {
        answers: spent.answers + 1,
        input: spent.input + usage.input,
        output: spent.output + usage.output,
        microUsd: spent.microUsd + toMicroUsd(usage.cost_usd),
        unsure: spent.unsure + (usage.estimated || usage.unpriced ? 1 : 0),
      },
    }),
  };
}
