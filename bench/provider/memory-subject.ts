// One large thing through the provider, in a process of its own: how much more of the machine's
// memory it held at its height.
import { readFileSync, writeFileSync } from 'node:fs';
import { estimateTokens } from '#models/estimate-tokens.ts';
import { eventTexts, streamChars } from './answers.ts';
import { charsOf, newContext } from './machine.ts';
import type { Heavy } from './memory.ts';
import { openKimi, requestFor } from './provider-client.ts';

const PROMPT_TOKENS = 256_000;
const UPLOAD_BYTES = 100 * 1024 * 1024;
const STREAM_CHUNKS = 50_000;
const WARM_UP_CALLS = 200;

const [what, url] = process.argv.slice(2) as [Heavy, string];
const kimi = openKimi(url);

/** What is sent or received, and the work; whatever the caller holds itself is made before. */
const prepare: Record<
  Heavy,
  () => { readonly bytes: number; readonly work: () => Promise<unknown> }
> = {
  prompt() {
    const line =
      'The keeper of the lighthouse wrote down what he saw at 4:15, and went to sleep.\n';
    const repeated = line.repeat(Math.floor(PROMPT_TOKENS / estimateTokens(line)));
    // Flat, as a text that came from a parser is.
    const text = Buffer.from(repeated).toString();
    const request = requestFor('whole', 'whole');
    const messages = [...request.messages, { role: 'user' as const, content: text }];
    return {
      bytes: text.length,
      work: () => charsOf(kimi.chat({ ...request, messages }, newContext())),
    };
  },
  upload() {
    const piece = Buffer.alloc(64 * 1024, 'x');
    async function* bytes() {
      for (let sent = 0; sent < UPLOAD_BYTES; sent += piece.length) yield piece;
    }
    const file = {
      name: 'big.txt',
      mediaType: 'text/plain',
      size: UPLOAD_BYTES,
      bytes,
      purpose: 'extract' as const,
    };
    return { bytes: UPLOAD_BYTES, work: async () => kimi.upload?.(file, newContext()) };
  },
  stream() {
    let size = 0;
    for (const event of eventTexts(STREAM_CHUNKS)) size += event.length;
    return {
      bytes: size,
      async work() {
        const asked = requestFor(`chunks ${STREAM_CHUNKS}`, 'stream');
        const chars = await charsOf(kimi.chat(asked, newContext()));
        if (chars !== streamChars(STREAM_CHUNKS)) throw new Error(`${chars} characters came`);
      },
    };
  },
};

for (let n = 0; n < WARM_UP_CALLS; n += 1) {
  const delivery = n % 2 === 0 ? 'whole' : 'stream';
  await charsOf(kimi.chat(requestFor('warm up', delivery), newContext()));
}
const { bytes, work } = prepare[what]();
globalThis.gc?.();
// From here on the kernel notes the height anew.
writeFileSync('/proc/self/clear_refs', '5');
const before = kilobytes('VmRSS');
await work();
console.log(JSON.stringify({ bytes, growth: (kilobytes('VmHWM') - before) * 1024 }));
process.exit();

function kilobytes(name: string): number {
  const status = readFileSync('/proc/self/status', 'utf8');
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]);
}
