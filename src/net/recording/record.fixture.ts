import { createFakeClock } from '../../../test/fake-clock.ts';
import type { CallError } from '#core/errors/call-error.ts';
import type { Http, HttpRequest } from '#core/net/http.ts';
import { get } from '../net.fixture.ts';
import { createRecorder } from './record.ts';
import { createReplay } from './replay.ts';

export const KEY = 'sk-Very/Secret"Key+1';

export function folder() {
  const files = new Map<string, string>();
  return {
    files,
    list: () => Promise.resolve([...files.keys()].toReversed()),
    read: (name: string) => Promise.resolve(files.get(name) ?? ''),
    write: async (name: string, text: string) => void files.set(name, text),
    all: () => [...files.values()].join('\n'),
  };
}

/** Records the responses of a client into a folder. */
export function recorder(
  http: Http,
  to: ReturnType<typeof folder>,
  failures: CallError[] = [],
  key = KEY,
) {
  const made = createRecorder({
    folder: to,
    secrets: () => [key, ''],
    clock: createFakeClock(),
    onFailure: (error) => void failures.push(error),
  });
  return made.recording(http);
}

export function player(from: ReturnType<typeof folder>) {
  return createReplay({ folder: from, secrets: () => [KEY] });
}

/** An Http that answers with these chunks, and then perhaps fails. */
export function answering(chunks: readonly Uint8Array[], failure?: CallError, headers = {}): Http {
  return {
    send: async () => ({
      status: 200,
      headers,
      body: (async function* () {
        yield* chunks;
        if (failure) throw failure;
      })(),
      text: () => Promise.reject(new Error('not used')),
    }),
    close: () => Promise.resolve(),
  };
}

export function post(body: HttpRequest['body'], more: Partial<HttpRequest> = {}): HttpRequest {
  return {
    ...get('https://api.vendor.test/v1/chat/completions'),
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body }),
    ...more,
  };
}

export async function chunksOf(http: Http, request: HttpRequest): Promise<string[]> {
  const chunks: string[] = [];
  for await (const chunk of (await http.send(request)).body)
    chunks.push(Buffer.from(chunk).toString('latin1'));
  return chunks;
}
