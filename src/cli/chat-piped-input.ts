import { addAbortSignal, type Readable } from 'node:stream';
import { CallError } from '#core/call-error.ts';
import type { ChatInput, Heard } from './chat-input.ts';
import { linePart } from './chat-line.ts';

const MAX_CHARS = 10_000_000;

/** Each line that is piped in is a message. Ctrl-C ends what runs, and the chat. */
export function createPipedInput(input: Readable): ChatInput {
  const interrupt = new AbortController();
  const messages = messagesOf(linesOf(addAbortSignal(interrupt.signal, input)));
  let onInterrupt: (() => void) | undefined;
  const onSignal = () => {
    interrupt.abort();
    onInterrupt?.();
  };
  process.on('SIGINT', onSignal);

  return {
    async next(): Promise<Heard> {
      try {
        const { value, done } = await messages.next();
        if (done !== true) return { is: 'text', text: value };
      } catch (thrown) {
        if (!interrupt.signal.aborted) throw thrown;
      }
      return { is: 'end', because: interrupt.signal.aborted ? 'interrupted' : 'closed' };
    },
    whileBusy(listener) {
      onInterrupt = listener;
      return { stop: () => (onInterrupt = undefined) };
    },
    close: () => void process.off('SIGINT', onSignal),
  };
}

async function* messagesOf(lines: AsyncIterable<string>): AsyncGenerator<string, void> {
  let begun: string | undefined;
  for await (const line of lines) {
    const { text, end } = linePart(line);
    const whole: string = begun === undefined ? text : `${begun}\n${text}`;
    if (whole.length > MAX_CHARS) throw tooLong();
    begun = end === 'open' ? whole : undefined;
    if (end === 'closed') yield whole;
  }
  if (begun !== undefined) yield begun;
}

async function* linesOf(input: Readable): AsyncGenerator<string, void> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let rest = '';
  for await (const chunk of input) {
    const lines = (
      rest + decoded(() => decoder.decode(chunk as Uint8Array, { stream: true }))
    ).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > MAX_CHARS) throw tooLong();
    yield* lines.map((line) => line.replace(/\r$/, ''));
  }
  rest += decoded(() => decoder.decode());
  if (rest !== '') yield rest;
}

function decoded(read: () => string): string {
  try {
    return read();
  } catch (cause) {
    throw new CallError('validation', 'What was piped in is no text in UTF-8.', {
      field: 'stdin',
      fix: 'Pipe in text; iconv turns other encodings into UTF-8.',
      cause,
    });
  }
}

function tooLong(): CallError {
  return new CallError(
    'too_large',
    `A message that was piped in has more than ${MAX_CHARS / 1_000_000} million characters; each line is one.`,
    {
      field: 'stdin',
      fix: 'Name a file instead: exai chat --file FILE, or ask about it: exai ask "…" < FILE',
    },
  );
}
