import { CallError } from '#core/call-error.ts';
import type { Clock } from '#core/clock.ts';
import type { Http, HttpRequest, HttpResponse } from '#core/http.ts';
import { isUrl } from '#core/is-url.ts';
import { readBytes, toText } from './read-text.ts';
import { describeRequest, wholeBody } from './tape/describe-request.ts';
import { createScrub, type Scrub } from './tape/scrub.ts';
import type { Ended, Taped } from './tape/tape.schema.ts';
import { createTape, type Tape } from './tape/tape.ts';

export interface Recorder {
  /** Does what the other does, and writes every exchange down when it is over. */
  recording<H extends Http>(http: H): H;
}

export interface RecordOptions {
  /** Where recordings are kept, a file for each exchange. */
  readonly folder: {
    list(): Promise<readonly string[]>;
    write(name: string, text: string): Promise<void>;
  };
  /** Values that must not be written down, wherever they stand. */
  secrets(): readonly string[];
  readonly clock: Clock;
  /** A recording that could not be written; the exchange itself was not disturbed. */
  onFailure(error: CallError): void;
}

/** For one folder, so that whatever is written there has one order. */
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

  /** None when the folder cannot be read now; the next exchange tries again. */
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

  /** The exchange, and what became of it, which is told once. */
  async function follow(
    http: Http,
    request: HttpRequest,
    keep: (taped: Taped) => void,
  ): Promise<HttpResponse> {
    const bytes = await wholeBody(request);
    const scrub = createScrub(options.secrets());
    const { body, ...rest } = request;
    const sent = body === undefined ? rest : { ...rest, body: bytes };
    let asked: Taped['request'];
    try {
      const described = describeRequest(request, bytes, scrub);
      asked = { ...described, headers: scrub.headers(request.headers) };
    } catch (thrown) {
      // What cannot be written down is sent all the same.
      options.onFailure(CallError.from(thrown));
      return http.send(sent);
    }
    try {
      const response = await http.send(sent);
      const { status, headers } = response;
      const tape = createTape(response.body, clock, (ended, chunks) =>
        keep({
          version: 1,
          request: asked,
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
      keep({ version: 1, request: asked, ended: cleanEnd({ class: errorClass, message }, scrub) });
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
          // What is no address is for the other to refuse.
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

function cleanEnd(ended: Ended, scrub: Scrub): Ended {
  return typeof ended === 'string' ? ended : { ...ended, message: scrub.text(ended.message) };
}

/** After the last of those that are there. */
function countFrom(names: readonly string[]): () => number {
  let last = names.reduce((most, name) => Math.max(most, Number.parseInt(name, 10) || 0), 0);
  return () => (last += 1);
}

/** In the order of asking when sorted by name. */
function fileName(number: number, { method, path, bodySha256 }: Taped['request']): string {
  const place = path
    .replaceAll(/[^\w.]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 60);
  const order = String(number).padStart(6, '0');
  return `${order}-${method.toLowerCase()}-${place}-${bodySha256.slice(0, 8)}.json`;
}
