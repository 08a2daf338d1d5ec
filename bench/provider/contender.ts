// One client of the mock, in a process of its own: it works when told, and says what the work cost
// it.
import { JSON_CHARS, CHUNKS, streamChars } from './answers.ts';
import { CLIENTS, type ClientName } from './clients.ts';
import type { Ask, Work } from './protocol.ts';

const [name, url] = process.argv.slice(2) as [ClientName, string];
const client = CLIENTS[name](url);

process.on('message', (work: Work) => {
  void run(work).then((answer) => process.send?.(answer));
});
// Nobody is left to work for.
process.on('disconnect', () => process.exit());
process.send?.('ready');

async function run({ ask, calls, inFlight }: Work): Promise<{ microseconds: number }> {
  let left = calls;
  const worker = async () => {
    while (left-- > 0) await once(ask);
  };
  const before = process.cpuUsage();
  await Promise.all(Array.from({ length: inFlight }, worker));
  const { user, system } = process.cpuUsage(before);
  return { microseconds: (user + system) / calls };
}

async function once(ask: Ask): Promise<void> {
  const chars = ask === 'whole' ? await client.whole() : await client.stream(ask);
  const expected = ask === 'whole' ? JSON_CHARS : streamChars(CHUNKS);
  if (chars !== expected) throw new Error(`${name} read ${chars} characters, not ${expected}`);
}
