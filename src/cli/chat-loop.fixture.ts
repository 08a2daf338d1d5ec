import { CallError } from '#core/call-error.ts';
import type { DaemonClient } from '#client/daemon-client.ts';
import { createFakeClock } from '../../test/fake-clock.ts';
import type { Heard } from './chat-input.ts';
import { chatLoop } from './chat-loop.ts';
import { createChatScreen } from './chat-screen.ts';
import { NEW_CHAT, type ChatState } from './chat-state.ts';
import { plain } from './paint.ts';

export interface Call {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly tell: (text: string) => void;
  readonly signal: AbortSignal | undefined;
  /** Somebody presses Ctrl-C. */
  readonly interrupt: () => void;
}

/** What a tool of the daemon answers: an envelope and its text, or what is thrown. */
export type Answer = (call: Call) => Promise<{ envelope: object; text?: string; isError?: true }>;

export interface ChatOptions {
  readonly state?: Partial<ChatState>;
  readonly first?: string;
  readonly watched?: 'yes' | 'no';
  readonly format?: 'words' | 'json';
}

/** A whole chat: what is said in it, in order, and a daemon that answers as the test says. */
export async function chatWith(
  said: readonly (string | Heard)[],
  answer: Answer,
  { state = {}, first, watched = 'yes', format = 'words' }: ChatOptions = {},
) {
  let out = '';
  let err = '';
  const calls: { name: string; args: Record<string, unknown> }[] = [];
  const clock = createFakeClock();
  const io = {
    stdout: { write: (text: string) => void (out += text) },
    stderr: { write: (text: string) => void (err += text) },
    env: { HOME: '/nowhere', EXAI_HOME: '/nowhere/exai' },
    charset: 'ascii',
    progress: 'none',
    paint: plain,
    signal: new AbortController().signal,
  } as const;
  const left = [...said];
  let onInterrupt: (() => void) | undefined;
  const client: DaemonClient = {
    notices: [],
    async request(method, params, options = {}) {
      if (method !== 'tools/call') return (await answer({ ...bare, name: method })).envelope;
      const { name, arguments: args } = params as {
        name: string;
        arguments: Record<string, unknown>;
      };
      calls.push({ name, args });
      const { envelope, text, isError } = await answer({
        name,
        args,
        tell: (piece) => options.onProgress?.({ text: piece }),
        signal: options.signal,
        interrupt: () => onInterrupt?.(),
      });
      return {
        structuredContent: envelope,
        content: [{ type: 'text', text: text ?? '' }],
        ...(isError && { isError }),
      };
    },
  };
  const ended = await chatLoop({ ...NEW_CHAT, ...state }, first, {
    cwd: '/nowhere',
    env: io.env,
    io,
    clock,
    format,
    watched,
    screen: createChatScreen({ io, clock, format, columns: () => 80 }),
    connect: () => (work) => work(client),
    input: {
      next() {
        const next = left.shift() ?? { is: 'end', because: 'closed' };
        return Promise.resolve(typeof next === 'string' ? { is: 'text', text: next } : next);
      },
      whileBusy(listener) {
        onInterrupt = listener;
        return { stop: () => (onInterrupt = undefined) };
      },
      close: () => undefined,
    },
  });
  return { ...ended, out, err, calls, left };
}

const bare: Omit<Call, 'name'> = {
  args: {},
  tell: () => undefined,
  signal: undefined,
  interrupt: () => undefined,
};

export function lostConnection(): CallError {
  return new CallError('network', 'The connection to the daemon ended.', { fix: 'Try again.' });
}
