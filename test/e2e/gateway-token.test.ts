/**
 * Tools and libraries that are pointed at a daemon with its defaults by the lines of `exai gateway
 * env`.
 */
import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, onTestFinished } from 'vitest';
import { verifies } from '../verifies.ts';
import { BIN, createHome } from './exai.ts';
import { CLIENT_MS, runClient, valueOf, type GatewayClient } from './gateway-driver.ts';
import { openGatewayHarness, type GatewayHarness } from './gateway-harness.ts';

/** What the drivers have the model say. */
const SAID = 'Zürich, 北京 and 🚀 on one line';
/** What a tool does first: it prints the status of the answer. */
const ASK_FOR_MODELS =
  'fetch(process.env.OPENAI_BASE_URL + "/models", { headers: { authorization: "Bearer " + process.env.OPENAI_API_KEY } }).then(({ status }) => console.log(status))';

/** How the lines are evaluated, as the documentation has it for each shell. */
const SHELLS = [
  {
    name: 'sh',
    line: 'e="$("$NODE" "$BIN" gateway env openai)" && eval "$e" && "$NODE" -e "$ASK"',
  },
  {
    name: 'fish',
    line: '"$NODE" "$BIN" gateway env openai --shell fish | source; and "$NODE" -e "$ASK"',
  },
  {
    name: 'pwsh',
    line: '& $env:NODE $env:BIN gateway env openai --shell powershell | Out-String | Invoke-Expression; & $env:NODE -e $env:ASK',
  },
].filter(({ name }) => spawnSync(name, ['-c', 'exit']).error === undefined);

describe.each(SHELLS)('in $name', ({ name, line }) => {
  verifies(
    'gateway:env',
    'the lines start a daemon in a home that has none, and a tool reaches it with its token',
    async () => {
      const { root, exai } = createHome();
      onTestFinished(async () => {
        await exai(['stop']);
      });
      const { stdout, stderr } = spawnSync(name, ['-c', line], {
        env: {
          PATH: process.env['PATH'] ?? '',
          HOME: root,
          EXAI_HOME: root,
          EXAI_PORT: '0',
          NODE: process.execPath,
          BIN,
          ASK: ASK_FOR_MODELS,
        },
        encoding: 'utf8',
      });
      expect([stdout, stderr]).toEqual(['200\n', '']);
    },
  );
});

interface Pointed extends GatewayClient {
  readonly tool: 'openai' | 'anthropic';
}

const CLIENTS: readonly Pointed[] = [
  {
    name: 'the OpenAI SDK',
    driver: 'openai',
    packages: { sdk: 'openai' },
    node: 'this',
    path: '/v1',
    tool: 'openai',
  },
  {
    name: 'the AI SDK',
    driver: 'ai',
    packages: { sdk: 'ai', provider: '@ai-sdk/openai-compatible' },
    node: 'this',
    path: '/v1',
    tool: 'openai',
  },
  {
    name: 'the Anthropic SDK',
    driver: 'anthropic',
    packages: { sdk: '@anthropic-ai/sdk' },
    node: 'this',
    path: '',
    tool: 'anthropic',
  },
];

describe('with the variables of `exai gateway env`', () => {
  let harness: GatewayHarness;
  beforeAll(async () => {
    harness = await openGatewayHarness({ env: { EXAI_AUTH_REQUIRE_TOKEN: 'true' } });
  }, CLIENT_MS);
  afterAll(() => harness?.close());

  describe.each(CLIENTS)('$name', (client) => {
    verifies('gateway:env', 'asks and streams where a token is required', async () => {
      const { stdout: lines } = await harness.exai('gateway', 'env', client.tool);
      const { url, key } = evaluated(lines, client.tool.toUpperCase());
      expect(url).toBe(harness.url + client.path);
      const told = await runClient(client, harness, ['chat', 'stream'], key);
      expect(JSON.stringify(valueOf(told, 'chat'))).toContain(SAID);
      expect(JSON.stringify(valueOf(told, 'stream'))).toContain(SAID);
      const refused = await runClient(client, harness, ['chat'], 'local');
      expect(refused['chat']?.threw).toMatchObject({ status: 401 });
    });
  });
});

/** What the lines set in a shell that has nothing else of ours. */
function evaluated(lines: string, vendor: string): { readonly url: string; readonly key: string } {
  const print = `printf '%s %s' "$${vendor}_BASE_URL" "$${vendor}_API_KEY"`;
  const { stdout } = spawnSync('sh', ['-c', `${lines}\n${print}`], { env: {}, encoding: 'utf8' });
  const [url = '', key = ''] = stdout.split(' ');
  return { url, key };
}
