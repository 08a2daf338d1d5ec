import type { Dialect } from '../gateway/asks.ts';
import type { Delivery, Received } from './listen.ts';

/** What a client makes of what it got. */
export interface Understood {
  readonly text: string;
  /** Whether it says that it is whole, with everything that says so in its dialect. */
  readonly isEnded: boolean;
  readonly error: string | undefined;
  /** Something that cannot be parsed is among it. */
  readonly isBroken: boolean;
  /** Where another went on, as ours tells. */
  readonly seams: number;
  /** What else ours tells of the answer. */
  readonly notices: readonly string[];
}

/** The parts of both vendors' shapes that matter here; any of them may be missing. */
interface Shape {
  readonly type?: string;
  readonly error?: { readonly type?: string; readonly code?: string | null };
  readonly choices?: readonly {
    readonly delta?: { readonly content?: string | null };
    readonly message?: { readonly content?: string | null };
    readonly finish_reason?: string | null;
  }[];
  readonly content?: readonly { readonly type: string; readonly text?: string }[];
  readonly stop_reason?: string | null;
  readonly delta?: {
    readonly type?: string;
    readonly text?: string;
    readonly stop_reason?: string | null;
  };
  readonly exai?: { readonly seams?: readonly unknown[]; readonly notices?: readonly string[] };
}

interface Signs {
  text: string;
  finish: string | undefined;
  isClosed: boolean;
  error: string | undefined;
  isBroken: boolean;
  seams: number;
  notices: readonly string[];
}

export function readReceived(heard: Received, dialect: Dialect, delivery: Delivery): Understood {
  const signs: Signs = {
    text: '',
    finish: undefined,
    // A JSON text ends with itself.
    isClosed: delivery === 'whole' || heard.status >= 400,
    error: undefined,
    isBroken: false,
    seams: 0,
    notices: [],
  };
  for (const data of textsIn(heard, delivery)) take(data, dialect, signs);
  const { finish, isClosed, ...rest } = signs;
  return { ...rest, isEnded: isClosed && finish !== undefined };
}

function textsIn({ status, body }: Received, delivery: Delivery): readonly string[] {
  if (delivery === 'whole' || status >= 400) return body === '' ? [] : [body];
  return body
    .split(/\r?\n\r?\n/)
    .flatMap((event) => event.split(/\r?\n/))
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice('data:'.length).trim());
}

function take(data: string, dialect: Dialect, signs: Signs): void {
  if (data === '[DONE]') {
    signs.isClosed = true;
    return;
  }
  const shape = parse(data);
  if (!shape) {
    signs.isBroken = true;
    return;
  }
  if (shape.error || shape.type === 'error') {
    signs.error ??= shape.error?.code ?? shape.error?.type ?? 'error';
  }
  signs.seams += shape.exai?.seams?.length ?? 0;
  signs.notices = shape.exai?.notices ?? signs.notices;
  READERS[dialect](shape, signs);
}

const READERS: Record<Dialect, (shape: Shape, signs: Signs) => void> = {
  openai({ choices = [] }, signs) {
    for (const { delta, message, finish_reason: finish } of choices) {
      signs.text += delta?.content ?? message?.content ?? '';
      signs.finish ??= finish ?? undefined;
    }
  },
  anthropic({ type, delta, content = [], stop_reason: stop }, signs) {
    if (type === 'content_block_delta') signs.text += delta?.text ?? '';
    for (const block of content) signs.text += block.text ?? '';
    signs.finish ??= stop ?? delta?.stop_reason ?? undefined;
    if (type === 'message_stop') signs.isClosed = true;
  },
};

function parse(data: string): Shape | undefined {
  try {
    const value: unknown = JSON.parse(data);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    // A client could not parse it either, and that is what is to be known.
    return undefined;
  }
}
