import type { DaemonClient } from '#client/daemon-client.ts';
import { CallError } from '#core/errors/call-error.ts';
import { createFakeClock } from '../../../test/fake-clock.ts';
import { withEnvelope } from '../../../test/read-envelope.ts';
import { noColor } from '../format/colors.ts';
import type { InputEvent } from './input.ts';
import { runChatLoop } from './loop.ts';
import { createChatScreen } from './screen.ts';
import { NEW_CHAT, type ChatState } from './state.ts';

export interface FakeChatCall {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly stream: (text: string) => void;
  readonly signal: AbortSignal | undefined;
  /** Ctrl-C while an answer is awaited. */
  readonly interrupt: () => void;
}

/** The result of a tool call: an envelope with its text, or an error to throw. */
export type FakeChatTool = (
  call: FakeChatCall,
) => Promise<{ envelope: object; text?: string; isError?: true }>;

export interface ChatWithOptions {
  readonly state?: Partial<ChatState>;
  readonly first?: string;
  readonly isInteractive?: boolean;
  readonly format?: 'text' | 'json';
}

/** Runs a chat with scripted input and a daemon that answers as the test says. */
export async function chatWith(
  inputs: readonly (string | InputEvent)[],
  answer: FakeChatTool,
  { state = {}, first, isInteractive = true, format = 'text' }: ChatWithOptions = {},
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
    paint: noColor,
    signal: new AbortController().signal,
  } as const;
  const left = [...inputs];
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
        stream: (piece) => options.onProgress?.({ text: piece }),
        signal: options.signal,
        interrupt: () => onInterrupt?.(),
      });
      return {
        ...withEnvelope(envelope),
        content: [{ type: 'text', text: text ?? '' }],
        ...(isError && { isError }),
      };
    },
  };
  const ended = await runChatLoop({ ...NEW_CHAT, ...state }, first, {
    cwd: '/nowhere',
    env: io.env,
    io,
    clock,
    format,
    isInteractive,
    screen: createChatScreen({ io, clock, format, columns: () => 80 }),
    connect: () => (work) => work(client),
    input: {
      next() {
        const next = left.shift() ?? { is: 'end', cause: 'closed' };
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

const bare: Omit<FakeChatCall, 'name'> = {
  args: {},
  stream: () => undefined,
  signal: undefined,
  interrupt: () => undefined,
};

export function lostConnection(): CallError {
  return new CallError('network', 'The connection to the daemon ended.', { fix: 'Try again.' });
}
