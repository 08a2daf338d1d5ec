/**
 * A program of its own, because the memory of a process is measured: `node --expose-gc … <vendor>
 * <load> <url>` speaks to the emulator at the URL, does one large thing and prints how much memory
 * that took at its most.
 */
import type { ChatRequest } from '#core/llm/chat.ts';
import { deadlineIn } from '#core/time/deadline.ts';
import type { Provider, ProviderContext } from '#core/llm/provider.ts';
import { createSecret } from '#core/secrets/secret.ts';
import { systemClock, systemRandom } from '#app/system.ts';
import { createCatalogue } from '#models/catalogue.ts';
import { createHttp } from '#net/create-http.ts';
import { user } from './provider-requests.ts';
import { SUBJECTS } from './provider-subjects.ts';

export const LOADS = ['prompt', 'upload', 'stream'] as const;
export type Load = (typeof LOADS)[number];

export interface MemoryTaken {
  readonly payloadBytes: number;
  readonly grownBytes: number;
  /** What came of it, to see that it was done. */
  readonly done: number;
}

const MB = 1024 * 1024;
const PROMPT_TOKENS = 256_000;
const UPLOAD_BYTES = 100 * MB;
const STREAM_CHUNKS = 50_000;
const WARM_UP_ROUNDS = 10;

const [vendor = '', load = '', url = ''] = process.argv.slice(2);
const subject = SUBJECTS.find((each) => each.vendor === vendor);
if (!subject) throw new Error(`Nobody speaks to ${vendor}.`);
const { path, key } = subject;
// Ones with room for the prompt and the answer.
const model = vendor === 'glm' ? 'glm-5.3' : 'kimi-k3';
const network = { httpProxy: '', httpsProxy: '', noProxy: '', extraCa: '' };
const http = createHttp({ network, guard: 'configured', clock: systemClock });
let bytesRead = 0;
const provider = subject.create(
  { baseUrl: `${url}${path}`, key: createSecret(key) },
  {
    http: {
      ...http,
      async send(request) {
        const response = await http.send(request);
        async function* counted() {
          for await (const chunk of response.body) {
            bytesRead += chunk.length;
            yield chunk;
          }
        }
        const { status, headers } = response;
        return { status, headers, body: counted(), text: (most) => response.text(most) };
      },
    },
    publicHttp: createHttp({ network, guard: 'public', clock: systemClock }),
    clock: systemClock,
    random: systemRandom,
    catalogue: () => createCatalogue(),
    timeouts: { firstTokenMs: 60_000, idleMs: 60_000 },
  },
);

const context = (): ProviderContext => ({
  signal: new AbortController().signal,
  deadline: deadlineIn(systemClock, 120_000),
});

/**
 * Gives the number of words: what comes in one read is told as one piece, and a piece may end
 * within a word.
 */
async function chat(request: Omit<ChatRequest, 'model'>): Promise<number> {
  let words = 0;
  let last = '';
  for await (const event of provider.chat({ model, ...request }, context())) {
    if (event.type !== 'text') continue;
    words += `${last}${event.text}`.match(/(?<!\S)\S+/g)?.length ?? 0;
    if (/\S/.test(last)) words -= 1;
    last = event.text.slice(-1);
  }
  return words;
}

async function upload(to: Provider, size: number): Promise<number> {
  const piece = Buffer.alloc(64 * 1024, 'x');
  const purpose = to.capabilities.includes('file_content') ? 'extract' : 'agent';
  const file = await to.upload?.(
    {
      name: 'large.txt',
      mediaType: 'text/plain',
      size,
      purpose,
      async *bytes() {
        for (let left = size; left > 0; left -= piece.length)
          yield await Promise.resolve(piece.subarray(0, left));
      },
    },
    context(),
  );
  return file?.size ?? 0;
}

const RUNS: Readonly<
  Record<Load, (size: 'small' | 'large') => Promise<Omit<MemoryTaken, 'grownBytes'>>>
> = {
  async prompt(size) {
    const words = 'harbor '.repeat(size === 'small' ? 1_000 : PROMPT_TOKENS);
    const messages = user(`[[think 1]] [[tokens 3]] ${words}`);
    return { done: await chat({ messages, delivery: 'whole' }), payloadBytes: words.length };
  },
  async upload(size) {
    const payloadBytes = size === 'small' ? MB : UPLOAD_BYTES;
    return { done: await upload(provider, payloadBytes), payloadBytes };
  },
  async stream(size) {
    bytesRead = 0;
    const maxOutputTokens = 2 * STREAM_CHUNKS;
    const messages = user(`[[think 1]] [[tokens ${size === 'small' ? 2_000 : STREAM_CHUNKS}]]`);
    return {
      done: await chat({ messages, delivery: 'stream', maxOutputTokens }),
      payloadBytes: bytesRead,
    };
  },
};

const run = RUNS[load as Load];
// A daemon that has worked a while: code is compiled, and the heap has room for what it throws away
// at once.
for (let round = 0; round < WARM_UP_ROUNDS; round += 1) await run('small');
globalThis.gc?.();
const before = process.memoryUsage.rss();
let most = before;
const look = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 5);
const taken = await run('large');
clearInterval(look);
most = Math.max(most, process.memoryUsage.rss());
console.log(JSON.stringify({ ...taken, grownBytes: most - before }));
await http.close();
