import { CallError } from '#core/call-error.ts';
import type { Clock } from '#core/clock.ts';
import type { Http, HttpResponse } from '#core/http.ts';
import { readBytes, toText } from './read-text.ts';
import { describeRequest, wholeBody } from './tape/describe-request.ts';
import { createScrub, type Scrub } from './tape/scrub.ts';
import type { Ended, Taped } from './tape/tape.schema.ts';
import { createTape, type Tape } from './tape/tape.ts';

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

/** Does what the other does, and writes every exchange down when it is over. */
export function recording<H extends Http>(http: H, options: RecordOptions): H {
  const { folder, clock } = options;
  const writing = new Set<Promise<void>>();
  let numbers: Promise<() => number> | undefined;

  async function write(number: number, taped: Taped): Promise<void> {
    try {
      await folder.write(fileName(number, taped.request), `${JSON.stringify(taped, null, 2)}\n`);
    } catch (error) {
      options.onFailure(CallError.from(error));
    }
  }

  function keep(number: number, taped: Taped): void {
    const work = write(number, taped).finally(() => writing.delete(work));
    writing.add(work);
  }

  async function send(request: Parameters<Http['send']>[0]): Promise<HttpResponse> {
    numbers ??= folder.list().then(countFrom);
    const number = (await numbers)();
    const bytes = await wholeBody(request);
    const scrub = createScrub(options.secrets());
    const described = describeRequest(request, bytes, scrub);
    const asked = { ...described, headers: scrub.headers(request.headers) };
    try {
      const { body, ...rest } = request;
      const response = await http.send(body === undefined ? rest : { ...rest, body: bytes });
      const tape = createTape(response.body, clock, (ended, chunks) =>
        keep(number, {
          version: 1,
          request: asked,
          response: {
            status: response.status,
            headers: scrub.headers(response.headers),
            chunks: chunks(scrub),
          },
          ended: cleanEnd(ended, scrub),
        }),
      );
      return taped(response, tape, new URL(request.url).host);
    } catch (error) {
      const { class: errorClass, message } = CallError.from(error);
      const ended = cleanEnd({ class: errorClass, message }, scrub);
      keep(number, { version: 1, request: asked, ended });
      throw error;
    }
  }

  return {
    ...http,
    send,
    async close() {
      await http.close();
      await Promise.all(writing);
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
