import { CallError } from '#core/errors/call-error.ts';
import type { AbortSignalLike } from '#core/net/abort.ts';
import type { HttpResponse } from '#core/net/http.ts';
import { fix } from '#core/messages/fixes.ts';
import { stoppingError, type GuardedHttp } from '../create-http.ts';
import { readBytes, toText } from '../read-bytes.ts';
import { describeRequest, keyOf, wholeBody, type Described } from './describe-request.ts';
import { createScrub } from './scrub.ts';
import { Taped, type TapeEnd, type TapedChunk } from './tape.schema.ts';

export interface ReplayOptions {
  readonly folder: {
    list(): Promise<readonly string[]>;
    read(name: string): Promise<string>;
  };
  /** The secrets of the recording, as far as they are known now. */
  secrets(): readonly string[];
}

/** The responses to one request, in order; the last is repeated. */
interface Answers {
  readonly taped: Taped[];
  next: number;
}

/**
 * An HTTP client that answers from recordings and never uses the network. The same requests always
 * get the same responses.
 */
export function createReplay(options: ReplayOptions): GuardedHttp<'public'> {
  const { folder } = options;
  let loading: Promise<Map<string, Answers>> | undefined;
  let closed = false;

  async function load(): Promise<Map<string, Answers>> {
    const names = (await folder.list()).filter((name) => name.endsWith('.json')).toSorted();
    const answers = new Map<string, Answers>();
    for (const name of names) {
      const taped = readTaped(name, await folder.read(name));
      const known = answers.get(keyOf(taped.request));
      if (known) known.taped.push(taped);
      else answers.set(keyOf(taped.request), { taped: [taped], next: 0 });
    }
    return answers;
  }

  return {
    guard: 'public',
    allowPrivate: [],
    async send(request) {
      if (closed) throw stoppingError();
      request.signal.throwIfAborted();
      loading ??= load();
      const answers = await loading;
      const body = await wholeBody(request);
      const described = describeRequest(request, body, createScrub(options.secrets()));
      const found = answers.get(keyOf(described));
      if (!found) throw unknown(described, answers);
      const taped = found.taped[Math.min(found.next, found.taped.length - 1)];
      found.next += 1;
      request.signal.throwIfAborted();
      if (!taped?.response) throw failureOf(taped?.ended ?? 'whole');
      return answerWith(taped.response, taped.ended, request.signal);
    },
    async close() {
      closed = true;
    },
  };
}

function readTaped(name: string, text: string): Taped {
  try {
    return Taped.parse(JSON.parse(text));
  } catch (error) {
    throw new CallError('validation', `The recording ${name} is damaged.`, {
      fixes: [
        'Delete it, and record again.',
        fix('set_setting', { setting: 'EXAI_RECORD', value: 'its folder' }),
      ],
      cause: error,
    });
  }
}

function answerWith(
  { status, headers, chunks }: NonNullable<Taped['response']>,
  ended: TapeEnd,
  signal: AbortSignalLike,
): HttpResponse {
  const body = replayed(chunks, ended, signal);
  return {
    status,
    headers,
    body,
    text: async (maxBytes) => toText(await readBytes(body, maxBytes, 'The recording')),
  };
}

async function* replayed(
  chunks: readonly TapedChunk[],
  ended: TapeEnd,
  signal: AbortSignalLike,
): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) {
    signal.throwIfAborted();
    yield 'text' in chunk ? Buffer.from(chunk.text) : Buffer.from(chunk.base64, 'base64');
  }
  signal.throwIfAborted();
  if (ended !== 'whole') throw failureOf(ended);
}

function failureOf(ended: TapeEnd): CallError {
  if (typeof ended === 'object') return new CallError(ended.class, ended.message);
  return new CallError('interrupted', 'The recording ends here, as its reader went no further.');
}

function unknown(
  { method, path, bodySha256 }: Described,
  answers: ReadonlyMap<string, Answers>,
): CallError {
  const near = [...answers.keys()].filter((key) => key.startsWith(`${method} ${path} `)).length;
  const others =
    near === 0 ? 'no request to this path' : `${near} of this path, each with another body`;
  return new CallError(
    'not_found',
    `There is no recording of ${method} ${path} with this body (${bodySha256.slice(0, 12)}); the folder has ${others}.`,
    {
      fixes: [
        'Run it once with the keys of the provider.',
        fix('set_setting', {
          setting: 'EXAI_RECORD',
          value: 'the folder, instead of EXAI_REPLAY',
        }),
      ],
    },
  );
}
