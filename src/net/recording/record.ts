import { CallError } from '#core/errors/call-error.ts';
import type { Http, HttpRequest, HttpResponse } from '#core/net/http.ts';
import { isUrl } from '#core/net/is-url.ts';
import type { Clock } from '#core/time/clock.ts';
import { readBytes, toText } from '../read-bytes.ts';
import { describeRequest, wholeBody } from './describe-request.ts';
import { createScrub, type Scrub } from './scrub.ts';
import type { Taped, TapedChunk, TapeEnd } from './tape.schema.ts';

export interface Recorder {
  /** Wraps an HTTP client so that every request is recorded when it is over. */
  recording<H extends Http>(http: H): H;
}

export interface RecordOptions {
  /** The folder of recordings, one file per request. */
  readonly folder: {
    list(): Promise<readonly string[]>;
    write(name: string, text: string): Promise<void>;
  };
  /** Values that must not appear anywhere in a recording. */
  secrets(): readonly string[];
  readonly clock: Clock;
  /** Called when a recording could not be written. The request itself is not affected. */
  onFailure(error: CallError): void;
}

/** Creates the recorder of one folder; the recordings are numbered in order. */
export function createRecorder(options: RecordOptions): Recorder {
  const { folder, clock } = options;
  let counting: Promise<(() => number) | undefined> | undefined;

  async function startCounting(): Promise<(() => number) | undefined> {
    try {
      return countFrom(await folder.list());
    } catch (error) {
      options.onFailure(CallError.from(error));
      return undefined;
    }
  }

  /** Nothing when the folder cannot be read; the next request tries again. */
  async function nextNumber(): Promise<number | undefined> {
    const attempt = (counting ??= startCounting());
    const next = await attempt;
    if (!next && counting === attempt) counting = undefined;
    return next?.();
  }

  async function write(number: number, taped: Taped): Promise<void> {
    try {
      await folder.write(fileName(number, taped.request), `${JSON.stringify(taped, null, 2)}\n`);
    } catch (error) {
      options.onFailure(CallError.from(error));
    }
  }

  /** Sends a request and passes its recording to `keep` once, when it is over. */
  async function follow(
    http: Http,
    request: HttpRequest,
    keep: (taped: Taped) => void,
  ): Promise<HttpResponse> {
    const bytes = await wholeBody(request);
    const scrub = createScrub(options.secrets());
    const { body, ...rest } = request;
    const sent = body === undefined ? rest : { ...rest, body: bytes };
    let recordedRequest: Taped['request'];
    try {
      const described = describeRequest(request, bytes, scrub);
      recordedRequest = { ...described, headers: scrub.headers(request.headers) };
    } catch (thrown) {
      // A request that cannot be recorded is sent anyway.
      options.onFailure(CallError.from(thrown));
      return http.send(sent);
    }
    try {
      const response = await http.send(sent);
      const { status, headers } = response;
      const tape = createTape(response.body, clock, (ended, chunks) =>
        keep({
          version: 1,
          request: recordedRequest,
          response: {
            status,
            headers: scrub.headers(headers),
            chunks: chunks((all) => scrub.answer(all, headers['content-type'] ?? '')),
          },
          ended: cleanEnd(ended, scrub),
        }),
      );
      return taped(response, tape, new URL(request.url).host);
    } catch (error) {
      const { class: errorClass, message } = CallError.from(error);
      keep({
        version: 1,
        request: recordedRequest,
        ended: cleanEnd({ class: errorClass, message }, scrub),
      });
      throw error;
    }
  }

  return {
    recording(http) {
      const writing = new Set<Promise<void>>();

      function keep(number: number, taped: Taped): void {
        const work = write(number, taped).finally(() => writing.delete(work));
        writing.add(work);
      }

      return {
        ...http,
        async send(request) {
          // An invalid URL is left for the wrapped client to refuse.
          const number = isUrl(request.url) ? await nextNumber() : undefined;
          if (number === undefined) return await http.send(request);
          return await follow(http, request, (taped) => keep(number, taped));
        },
        async close() {
          await http.close();
          await Promise.all(writing);
        },
      };
    },
  };
}

function taped({ status, headers }: HttpResponse, body: Tape, host: string): HttpResponse {
  return {
    status,
    headers,
    body,
    text: async (maxBytes) => toText(await readBytes(body, maxBytes, host)),
  };
}

function cleanEnd(ended: TapeEnd, scrub: Scrub): TapeEnd {
  return typeof ended === 'string' ? ended : { ...ended, message: scrub.text(ended.message) };
}

/** Counts from the highest number of the existing recordings. */
function countFrom(names: readonly string[]): () => number {
  let last = names.reduce((most, name) => Math.max(most, Number.parseInt(name, 10) || 0), 0);
  return () => (last += 1);
}

/** Sorting by name gives the order of the requests. */
function fileName(number: number, { method, path, bodySha256 }: Taped['request']): string {
  const place = path
    .replaceAll(/[^\w.]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 60);
  const order = String(number).padStart(6, '0');
  return `${order}-${method.toLowerCase()}-${place}-${bodySha256.slice(0, 8)}.json`;
}

/** Recorded bytes per response; of a longer one only the beginning is recorded. */
const MAX_KEPT_BYTES = 64 * 1024 * 1024;

/** Removes secrets; the number of bytes stays the same. */
export type Clean = (bytes: Uint8Array) => Uint8Array;

export type Tape = AsyncIterableIterator<Uint8Array>;

/** Passes a body on, and reports its chunks with their times when it is over. */
export function createTape(
  body: AsyncIterable<Uint8Array>,
  clock: Clock,
  onEnd: (ended: TapeEnd, chunks: (clean: Clean) => TapedChunk[]) => void,
): Tape {
  const source = body[Symbol.asyncIterator]();
  const startedAt = clock.monotonic();
  const recorded: { atMs: number; bytes: Uint8Array }[] = [];
  let size = 0;
  let isOver = false;

  function keep(bytes: Uint8Array): void {
    size += bytes.length;
    if (size > MAX_KEPT_BYTES) return;
    recorded.push({
      atMs: Math.round(clock.monotonic() - startedAt),
      bytes: Uint8Array.from(bytes),
    });
  }

  function end(ended: TapeEnd): void {
    if (isOver) return;
    isOver = true;
    onEnd(size > MAX_KEPT_BYTES ? tooLong() : ended, (clean) => cleanChunks(recorded, clean));
  }

  return {
    async next() {
      try {
        const result = await source.next();
        if (result.done === true) end('whole');
        else keep(result.value);
        return result;
      } catch (error) {
        const { class: errorClass, message } = CallError.from(error);
        end({ class: errorClass, message });
        throw error;
      }
    },
    async return() {
      end('left by its reader');
      await source.return?.();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

function tooLong(): TapeEnd {
  return { class: 'too_large', message: 'The answer was too long to be recorded whole.' };
}

/** A secret may span two chunks, so they are scrubbed together and split again. */
function cleanChunks(
  recorded: readonly { readonly atMs: number; readonly bytes: Uint8Array }[],
  clean: Clean,
): TapedChunk[] {
  const all = Buffer.from(clean(Buffer.concat(recorded.map(({ bytes }) => bytes))));
  let at = 0;
  return recorded.map(({ atMs, bytes }) => {
    const chunk = all.subarray(at, at + bytes.length);
    at += bytes.length;
    const text = chunk.toString('utf8');
    return Buffer.from(text).equals(chunk)
      ? { atMs, text }
      : { atMs, base64: chunk.toString('base64') };
  });
}
