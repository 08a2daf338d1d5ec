/** Whether what a client told about a step is what the step means. */
import type { SdkClient, StepOutcome } from './sdk-run.ts';
import type { SdkServer, Step } from './sdk-servers.ts';

/** As test/tools/sdks/drive.mjs asks for it. */
const SAID = 'Zürich, 北京 and 🚀 on one line';

export interface Judged {
  readonly client: string;
  readonly server: string;
  readonly step: Step;
  readonly ms: number;
  /** What is wrong, in a sentence; nothing when all is well. */
  readonly problem: string | undefined;
}

type Value = Readonly<Record<string, unknown>>;

type Judge = (value: Value, server: SdkServer) => string | undefined;

const JUDGES: Readonly<Partial<Record<Step, Judge>>> = {
  models: (value, { model, vendor }) => {
    const ids = value as unknown as readonly string[];
    const isListed = ids.some((id) => id === model || id === `${model}:latest`);
    // It has one model, and answers to any name.
    return isListed || (vendor === 'llamacpp' && ids.length === 1)
      ? undefined
      : `${model} is not in the list ${ids.join(', ')}`;
  },
  chat: wholeAnswer,
  streamHelper: wholeAnswer,
  stream: streamedAnswer,
  splitBytes: streamedAnswer,
  tools: roundTrip,
  toolStream: roundTrip,
  toolThoughts: ({ text, thoughts }) =>
    typeof thoughts !== 'string' || thoughts === ''
      ? 'nothing of what was thought was shown'
      : quotesWeather(text),
  parallelTools: ({ finish, calls }) =>
    same(
      { finish, calls: withoutIds(calls) },
      {
        finish: 'tool_calls',
        calls: [
          { name: 'get_weather', arguments: { city: 'Paris' } },
          { name: 'get_time', arguments: { city: 'Oslo' } },
        ],
      },
    ) ?? (idsOf(calls).size === 2 ? undefined : 'the ids of the calls are not two'),
  structured: (value) => same(value, { name: 'Oslo', people: 709_037 }),
  jsonMode: (value) =>
    typeof value === 'object' && !Array.isArray(value) ? undefined : 'the answer is no object',
  image: ({ text }) =>
    /image\/png, 74 bytes, 2 x 3 pixels/.test(String(text))
      ? undefined
      : `the answer does not describe the picture: ${String(text)}`,
  files: (value) => {
    const { content, text, gone, ...rest } = value;
    const wanted = { status: 'ok', filename: 'lindau.md', isListed: true, deleted: true };
    const wrong = same(rest, wanted) ?? same(withoutMessage(gone), NOT_FOUND);
    if (wrong !== undefined) return wrong;
    if (!String(content).includes('The lighthouse of Lindau was built in 1856.'))
      return `the content is not that of the file: ${String(content)}`;
    return String(text).includes('1856')
      ? undefined
      : `the answer is not from the file: ${String(text)}`;
  },
  embeddings: ({ vectors }) => {
    const [one = [], two = [], other = []] = vectors as readonly (readonly number[])[];
    if (one.length < 256 || one.length !== two.length) return `vectors of ${one.length} numbers`;
    const near = product(one, two);
    const far = product(one, other);
    return near > 0.8 && far < near / 2
      ? undefined
      : `like sentences are ${near} alike, unlike ones ${far}`;
  },
  rateLimitRetried: ({ text }) => same(text, SAID),
};

const NOT_FOUND = { name: 'NotFoundError', status: 404 };

/** What each SDK makes of a status. */
const OPENAI_NAMES: Readonly<Record<number, string>> = {
  400: 'BadRequestError',
  401: 'AuthenticationError',
  404: 'NotFoundError',
  429: 'RateLimitError',
  504: 'InternalServerError',
};

interface Refusal {
  readonly status: number | 'none';
  /** Must be in the message. */
  readonly words?: RegExp;
}

const REFUSALS: Readonly<Partial<Record<Step, (server: SdkServer) => Refusal>>> = {
  wrongKey: () => ({ status: 401 }),
  unknownModel: ({ unknownModelStatus }) => ({ status: unknownModelStatus }),
  rateLimit: () => ({ status: 429 }),
  htmlError: () => ({ status: 504 }),
  toolThoughtsLost: () => ({ status: 400, words: /reasoning_content is missing/ }),
  cutStream: () => ({ status: 'none' }),
  errorInStream: () => ({ status: 'none' }),
};

export function judgeSdk(
  client: SdkClient,
  server: SdkServer,
  step: Step,
  told: StepOutcome,
): Judged {
  const refusal = REFUSALS[step]?.(server);
  const problem = refusal
    ? judgeRefusal(client, refusal, told)
    : told.threw
      ? `${told.threw.name} ${told.threw.status ?? ''}: ${told.threw.message}`
      : JUDGES[step]?.(told.value as Value, server);
  return { client: client.name, server: server.vendor, step, ms: told.ms, problem };
}

function judgeRefusal(
  { driver }: SdkClient,
  { status, words }: Refusal,
  { threw }: StepOutcome,
): string | undefined {
  if (!threw) return 'it was taken for a success';
  if (words && !words.test(threw.message)) return `it says something else: ${threw.message}`;
  // A stream that broke off has its status behind it; each SDK words it in its own way.
  if (status === 'none') return undefined;
  const name = driver === 'openai' ? OPENAI_NAMES[status] : 'AI_APICallError';
  return same({ name: threw.name, status: threw.status }, { name, status });
}

function wholeAnswer({ text, finish, usage }: Value): string | undefined {
  return same({ text, finish }, { text: SAID, finish: 'stop' }) ?? judgeUsage(usage);
}

function streamedAnswer(value: Value): string | undefined {
  const { pieces } = value;
  return (
    wholeAnswer(value) ??
    (Number(pieces) > 3 ? undefined : `the text came in ${String(pieces)} pieces`)
  );
}

function roundTrip({ text, calls, usage }: Value): string | undefined {
  return (
    same(withoutIds(calls), [{ name: 'get_weather', arguments: { city: 'Paris' } }]) ??
    quotesWeather(text) ??
    judgeUsage(usage)
  );
}

function quotesWeather(text: unknown): string | undefined {
  return /"celsius":21/.test(String(text))
    ? undefined
    : `the answer does not speak of the tool's result: ${String(text)}`;
}

/** Under the names of either SDK. */
function judgeUsage(usage: unknown): string | undefined {
  const told = (usage ?? {}) as Value;
  const input = Number(told['prompt_tokens'] ?? told['inputTokens']);
  const output = Number(told['completion_tokens'] ?? told['outputTokens']);
  return input > 0 && output > 0 ? undefined : `no usage: ${JSON.stringify(usage)}`;
}

function withoutIds(calls: unknown): unknown {
  return (calls as readonly Value[] | undefined)?.map(({ name, arguments: given }) => ({
    name,
    arguments: given,
  }));
}

const idsOf = (calls: unknown): ReadonlySet<unknown> =>
  new Set((calls as readonly Value[]).map(({ id }) => id));

function withoutMessage(threw: unknown): unknown {
  const { name, status } = (threw ?? {}) as Value;
  return { name, status };
}

function product(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, each, at) => sum + each * (b[at] ?? 0), 0);
}

function same(got: unknown, wanted: unknown): string | undefined {
  const [is, ought] = [JSON.stringify(got), JSON.stringify(wanted)];
  return is === ought ? undefined : `${is}, not ${ought}`;
}
