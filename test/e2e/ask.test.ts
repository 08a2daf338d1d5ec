import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { startEmulator, type Emulator } from '../../emulator/start.ts';
import { breakFiles } from '../store-file-rounds.ts';
import { verifies } from '../verifies.ts';
import { createHome, finished, start } from './exai.ts';

interface Envelope {
  readonly status: string;
  readonly error_class?: string;
  readonly provider: string;
  readonly model: string;
  readonly content: unknown;
  readonly usage: { readonly input: number; readonly output: number };
  readonly route: {
    readonly because: readonly string[];
    readonly attempts: readonly { provider: string; model: string; outcome: string }[];
  };
}

/** A daemon whose vendors are the emulator. */
async function emulated() {
  const emulator = await startEmulator();
  onTestFinished(() => emulator.close());
  const home = createHome();
  const daemon = await home.serve([], { env: envOf(emulator) });
  return { ...home, emulator, daemon };
}

function envOf(emulator: Emulator): Record<string, string> {
  return {
    KIMI_API_URL: `${emulator.url}/kimi/v1`,
    KIMI_API_KEY: 'sk-emulated-kimi-0001',
    GLM_API_URL: `${emulator.url}/glm/api/paas/v4`,
    GLM_API_KEY: 'emulated.secret0002',
  };
}

verifies(
  'ask:cli',
  'the answer alone is on standard output; who gave it, why and for how much is beside it',
  async () => {
    const { exai } = await emulated();
    const { code, stdout, stderr } = await exai(['ask', 'Say exactly: Good morning.']);
    expect([code, stdout]).toEqual([0, 'Good morning.\n']);
    expect(stderr).toMatch(/^glm-\S+ \(glm\): .+; [\d,]+ tokens in, [\d,]+ out; free\n$/);

    const unquoted = ['ask', 'Say', 'exactly:', '--prefer', 'cost', 'Good', '--', '-morning.'];
    expect((await exai(unquoted)).stdout).toBe('Good -morning.\n');

    const json = await exai(['ask', 'Say exactly: Good morning.', '--json']);
    expect([json.code, json.stderr]).toEqual([0, '']);
    const envelope = JSON.parse(json.stdout) as Envelope;
    expect(envelope).toMatchObject({
      status: 'success',
      tool: 'chat',
      provider: 'glm',
      content: 'Good morning.',
      route: { attempts: [{ provider: 'glm', outcome: 'ok' }] },
    });
    expect(envelope.usage.input).toBeGreaterThan(0);
    expect(envelope.route.because.length).toBeGreaterThan(0);
  },
);

verifies(
  'ask:cli',
  'what is piped in is the text that is asked about, or the question itself',
  async () => {
    const { exai, emulator } = await emulated();
    const text = 'The lighthouse keeper of Skagen is called Aurelia Winterbottom.\n';
    const about = await exai(['ask', 'Who is the lighthouse keeper of Skagen?'], { input: text });
    expect([about.code, about.stderr]).toEqual([0, expect.stringContaining('tokens in')]);
    expect(about.stdout).toContain('Aurelia Winterbottom');
    const sent = JSON.stringify(emulator.requests({ last: 1 })[0]?.body);
    expect(sent).toContain('stdin');

    const alone = await exai(['ask'], { input: 'Say exactly: From a pipe.\n' });
    expect([alone.code, alone.stdout]).toEqual([0, 'From a pipe.\n']);
  },
);

verifies(
  'ask:chain',
  'when the first provider is down another answers, and the footer names the failed attempts',
  async () => {
    const { exai, emulator } = await emulated();
    emulator.fault({ id: 'F4', vendor: 'glm', times: 0 });
    const { code, stdout, stderr } = await exai(['ask', 'Say exactly: Still here.']);
    expect([code, stdout]).toEqual([0, 'Still here.\n']);
    expect(stderr).toMatch(/^kimi-\S+ \(kimi\): glm-\S+ was chosen but .+; \d+ attempts; .*\$\d/);
  },
);

verifies('ask:alone', 'with --no-fallback the first failure is the answer', async () => {
  const { exai, emulator } = await emulated();
  emulator.fault({ id: 'F16', vendor: 'kimi', times: 0 });
  const args = ['ask', 'Say exactly: Nobody.', '--model', 'kimi-k3', '--no-fallback'];
  const { code, stdout, stderr } = await exai(args);
  expect([code, stdout]).toEqual([4, '']);
  expect(stderr).toMatch(/^exai: /);
  expect(emulator.requests({ vendor: 'glm' })).toEqual([]);
  const json = await exai([...args, '--json']);
  expect(json.code).not.toBe(0);
  expect(JSON.parse(json.stdout)).toMatchObject({ status: 'error', content: null });
});

verifies('ask:cli', 'an error names the options of the command line', async () => {
  const { exai } = await emulated();
  const dear = await exai(['ask', 'Hi', '--model', 'kimi-k3', '--no-fallback', '--max-cost', '0']);
  expect(dear.code).toBe(13);
  expect(dear.stderr).toContain('no other may (--no-fallback)');
  expect(dear.stderr).toContain('--max-cost');
  expect(dear.stderr).not.toContain('fallback: none');
  expect(dear.stderr).not.toMatch(/max_(?:output_tokens|cost_usd)/);
});

verifies('ask:cli', 'an answer from the web names its sources', async () => {
  const { exai, emulator } = await emulated();
  const { code, stdout } = await exai(['ask', '--web', 'What is the weather in Oslo today?']);
  expect(code).toBe(0);
  expect(stdout).toMatch(/\n\nSources:\n1\. .*https:\/\/weather\.example\/oslo/);
  expect(JSON.stringify(emulator.requests({ vendor: 'glm' }).at(-1)?.body)).toContain('web_search');
});

verifies(
  'ask:cli',
  'without any key the last resort answers, and says that it is one',
  async () => {
    const { exai, serve } = createHome();
    await serve();
    const input = 'The ferry to Anholt leaves at nine.\n';
    const { code, stdout, stderr } = await exai(['ask', 'When does the ferry leave?'], { input });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^No model answered this; /);
    expect(stdout).not.toContain('exai keys');
    expect(stdout).toContain('leaves at nine');
    expect(stdout).toContain('Looked at: 1 file, 36 characters, all of it.');
    expect(stderr).toBe('No model is set up, so what was given is quoted: exai keys add glm\n');
    const alone = await exai(['ask', 'When does the ferry leave?']);
    expect(alone.code).toBe(22);
    expect(alone.stdout).toContain('there is nothing to quote');
    expect(alone.stderr).toBe('No model is set up: exai keys add glm\n');
  },
);

verifies(
  'ask:bad-input',
  'what cannot be asked is refused by its class, and nothing is asked',
  async () => {
    const { exai, emulator } = await emulated();
    const refusals: [string[], number, string, string?][] = [
      [['ask'], 2, 'There is no question.'],
      [['ask', ''], 2, 'There is no question.', 'a text'],
      [['ask', ' \n'], 2, 'There is no question.'],
      [['ask', 'what', 'is', '-x'], 2, 'come after "--"'],
      [['ask', 'q', '--think', 'hgih'], 3, 'did you mean "high"?'],
      [['ask', 'q', '--prefer', 'quality'], 3, 'speed, cost'],
      [
        ['ask', 'q', '--max-cost', '-1'],
        3,
        '--max-cost must be an amount in dollars from 0 to 10000',
      ],
      [['ask', 'q', '--max-cost=-1'], 3, '--max-cost must be an amount'],
      [['ask', 'q', '--timeout', '86401'], 3, 'more than 0 and at most 86400 seconds'],
      [['ask', 'q', '--model', 'kimi-k33'], 6, 'kimi-k3'],
      [['ask', 'q'], 8, '10 MB', 'x'.repeat(10_000_001)],
    ];
    for (const [args, code, words, input = ''] of refusals) {
      const refused = await exai(args, { input });
      expect([args, refused.code, refused.stdout]).toEqual([args, code, '']);
      expect(refused.stderr).toContain(words);
    }
    expect(emulator.requests()).toEqual([]);
  },
);

verifies('ask:cli', 'Ctrl-C ends the call as far as the vendor, and exits with 130', async () => {
  const home = createHome();
  let child: ReturnType<typeof start> | undefined;
  let onLeft: () => void = () => undefined;
  const left = new Promise<void>((resolve) => (onLeft = resolve));
  // A vendor that accepts the request and never answers.
  const vendor = createServer((req) => {
    req.resume();
    req.socket.once('close', onLeft);
    child?.kill('SIGINT');
  });
  await new Promise<void>((resolve) => vendor.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    vendor.close();
    vendor.closeAllConnections();
  });
  const { port } = vendor.address() as AddressInfo;
  const env = { GLM_API_KEY: 'emulated.secret0002', GLM_API_URL: `http://127.0.0.1:${port}/v4` };
  await home.serve([], { env });
  child = start(home.root, ['ask', 'Are you there?']);
  child.stdin?.end();
  const result = await finished(child);
  expect(result).toMatchObject({ code: 130, stdout: '' });
  await left;
});

verifies('ask:once', 'the pieces of an answer, as they come, are the answer', async () => {
  const { daemon, emulator } = await emulated();
  // What arrives in one read is one chunk.
  emulator.fault({ id: 'slow', vendor: 'glm', with: { chunkMs: 20 } });
  const prompt = 'Say exactly: The quick brown fox jumps over the lazy dog, and over the owl 🦉.';
  const { pieces, notes, text } = await askOver(daemon.url, prompt, { 'exai/stream': true });
  expect(pieces.length).toBeGreaterThan(1);
  expect(pieces.join('')).toBe(text);
  expect(notes.join()).not.toContain('tokens so far');
  const plain = await askOver(daemon.url, prompt, {});
  expect(plain.pieces).toEqual([]);
  expect(plain.text).toBe(text);
});

interface Heard {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly message?: string; readonly _meta?: { 'exai/text'?: string } };
  readonly result?: { readonly content?: readonly { readonly text: string }[] };
}

/** Asks over a WebSocket, as an MCP client does, and records the notifications. */
function askOver(
  url: string,
  prompt: string,
  meta: object,
): Promise<{ pieces: string[]; notes: string[]; text: string }> {
  const socket = new WebSocket(url.replace('http', 'ws'), 'mcp');
  const clientInfo = { name: 'test', version: '0' };
  const opening = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
  const call = { name: 'chat', arguments: { prompt }, _meta: { progressToken: 1, ...meta } };
  const say = (message: object) => socket.send(JSON.stringify({ jsonrpc: '2.0', ...message }));
  const pieces: string[] = [];
  const notes: string[] = [];
  return new Promise((resolve, reject) => {
    socket.on('open', () => say({ id: 1, method: 'initialize', params: opening }));
    socket.on('message', (data: Buffer) => {
      const { id, params, result } = JSON.parse(data.toString()) as Heard;
      const piece = params?._meta?.['exai/text'];
      if (piece !== undefined) pieces.push(piece);
      if (params?.message !== undefined) notes.push(params.message);
      if (id === 1) {
        say({ method: 'notifications/initialized' });
        say({ id: 2, method: 'tools/call', params: call });
      } else if (id === 2) {
        socket.close();
        resolve({ pieces, notes, text: result?.content?.[0]?.text ?? '' });
      }
    });
    socket.on('error', reject);
  });
}

verifies(
  'ask:cli',
  'an answer whose record cannot be stored is printed, and the error says to put the database back',
  async () => {
    const home = await emulated();
    const question = ['ask', '--max-cost', '1', 'Say exactly: Paid for.'];
    expect((await home.exai(question)).code).toBe(0);
    breakFiles(home, 'moved');
    const { code, stdout, stderr } = await home.exai(question);
    expect([code, stdout]).toEqual([1, 'Paid for.\n']);
    expect(stderr).toContain('chat ran, but its record could not be stored.');
    expect(stderr).toContain('Put ');
    expect(stderr).not.toMatch(/took effect|exai restart/);
  },
);
