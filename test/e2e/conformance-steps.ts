/** What the client does in each scenario of MCP's conformance suite for clients. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { CallError } from '#core/errors/call-error.ts';
import type { Io } from '../../src/cli/io.ts';
import { eventually } from '../eventually.ts';
import { callLogin, callServers } from '../../src/cli/servers/servers.ts';

const MODERN = '2026-07-28';
const WAIT_MS = 2_000;

interface Play {
  readonly io: Pick<Io, 'env' | 'stderr'>;
  /** The name of the suite's server in the settings of the daemon. */
  readonly server: string;
  readonly scenario: string;
  readonly context: Readonly<Record<string, unknown>>;
  readonly open: () => Promise<Client>;
  readonly log: (line: string) => void;
}

type Given = Readonly<Record<string, unknown>>;
type Tools = Awaited<ReturnType<Client['listTools']>>['tools'];

/** The calls of one scenario, by the names that the suite's server gave its tools. */
interface Caller {
  readonly client: Client;
  readonly server: string;
  readonly named: (tool: string) => string;
  readonly call: (tool: string, given?: Given) => Promise<void>;
  readonly tools: () => Promise<Tools>;
}

const STEPS: Readonly<Record<string, (caller: Caller, context: Given) => Promise<void>>> = {
  tools_call: ({ call }) => call('add_numbers', { a: 2, b: 40 }),
  'elicitation-sep1034-client-defaults': ({ call }) => call('test_client_elicitation_defaults'),
  'sse-retry': ({ call }) => call('test_reconnection'),
  async 'sep-2322-client-request-state'({ call }) {
    for (const name of [
      'test_mrtr_echo_state',
      'test_mrtr_unrelated',
      'test_mrtr_no_state',
      'test_mrtr_no_result_type',
    ])
      await call(name);
  },
  async 'http-standard-headers'({ client, server, call, named }) {
    for (const name of ['test_headers', 'my-hyphenated-tool']) await call(name);
    // They are listed when the daemon has looked at them, which may be after the tools.
    const uris = async () =>
      (await client.listResources()).resources
        .map(({ uri }) => uri)
        .filter((uri) => uri.startsWith(`mcp://${server}/`));
    await eventually(async () => (await uris()).length > 0);
    for (const uri of await uris()) await client.readResource({ uri });
    const prompt = named('test_prompt');
    await eventually(async () =>
      (await client.listPrompts()).prompts.some(({ name }) => name === prompt),
    );
    await client.getPrompt({ name: prompt });
  },
  async 'http-custom-headers'({ call }, context) {
    const calls = context['toolCalls'] as readonly { name: string; arguments: Given }[];
    for (const { name, arguments: given } of calls) await call(name, given);
  },
  async 'http-invalid-tool-headers'({ client, tools }) {
    await eventually(async () => (await tools()).length > 0);
    for (const { name } of await tools())
      await client.callTool({ name, arguments: { region: 'here' } });
  },
  async 'json-schema-2020-12-preservation'({ call, tools, named }) {
    const wanted = async () =>
      (await tools()).find(({ name }) => name === named('json_schema_2020_12_tool'));
    await eventually(async () => (await wanted()) !== undefined);
    const found = await wanted();
    await call('json_schema_echo', { schema: found?.inputSchema });
  },
};

/** Scenarios of authorization: a login with a browser that agrees to everything, then a call. */
export function isAuthorization(scenario: string): boolean {
  return scenario.startsWith('auth/');
}

/** Those in which the client has an account of its own. */
export function isWithoutUser(scenario: string): boolean {
  return scenario.startsWith('auth/client-credentials-');
}

/** In all of them the daemon has connected and read the lists. */
export async function playScenario(play: Play): Promise<void> {
  const { io, server, scenario, context, open, log } = play;
  const named = (tool: string) => `mcp__${server}__${tool}`;
  const restart = () => callServers(io, 'restart', { name: server });
  if (!isAuthorization(scenario)) {
    // Its first connection ends by itself, so that the suite sees two whole ones.
    await eventually(async () => {
      const { state } = await callServers(io, 'show', { name: server });
      return state !== 'stopped' && state !== 'starting';
    });
    await restart();
    if (!STEPS[scenario]) return;
  } else if (isWithoutUser(scenario)) await restart();
  else {
    await logIn(play);
    // The server may have moved to another authorization server since.
    await restart().catch((thrown: unknown) => {
      if (CallError.from(thrown).class === 'auth') return logIn(play);
      log(String(thrown));
      return undefined;
    });
  }
  const client = await open();
  try {
    const tools = async () =>
      (await client.listTools()).tools.filter(({ name }) => name.startsWith(named('')));
    const call = async (tool: string, given: Given = {}) => {
      await eventually(async () => (await tools()).some(({ name }) => name === named(tool)));
      const result = await client.callTool({ name: named(tool), arguments: given });
      log(JSON.stringify(result.content));
    };
    if (!isAuthorization(scenario)) {
      await STEPS[scenario]?.({ client, server, named, call, tools }, context);
      return;
    }
    for (const { name } of await tools())
      await client.callTool({ name, arguments: {} }).then(
        ({ content }) => log(JSON.stringify(content)),
        (error: unknown) => log(String(error)),
      );
  } finally {
    await client.close();
  }
}

/** As `exai servers login --no-browser` does, with a user who follows the address at once. */
async function logIn({ io, server, log }: Play): Promise<void> {
  try {
    const { id, url } = await callLogin(io, 'begin', { name: server });
    await browse(url, log);
    let progress = await callLogin(io, 'wait', { id, timeoutMs: WAIT_MS });
    while (progress.is === 'waiting')
      progress = await callLogin(io, 'wait', { id, timeoutMs: WAIT_MS });
    log(JSON.stringify(progress));
  } catch (error) {
    log(String(error));
  }
}

/** A browser whose user agrees: it goes where it is sent, and ends at the daemon. */
async function browse(address: string, log: (line: string) => void): Promise<void> {
  const response = await fetch(address, { redirect: 'manual' });
  const location = response.headers.get('location');
  if (location !== null) log(String((await fetch(location)).status));
}

interface Connecting {
  readonly port: string;
  readonly token: string;
  readonly version: string;
  readonly scenario: string;
}

/** The SDK's client, as of the revision of the scenario. */
export async function connectScenario(options: Connecting): Promise<Client> {
  const { port, token, version, scenario } = options;
  const capabilities = {
    elicitation: {
      form: { applyDefaults: true },
      ...(isAuthorization(scenario) && { url: {} }),
    },
  };
  const client = new Client(
    { name: 'conformance', version: '1' },
    {
      capabilities,
      versionNegotiation: { mode: version === MODERN ? { pin: MODERN } : 'legacy' },
    },
  );
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    if (params.mode === 'url') await browse(params.url, () => undefined);
    return { action: 'accept', ...(params.mode !== 'url' && { content: {} }) };
  });
  const headers = { authorization: `Bearer ${token}` };
  const at = new URL(`http://127.0.0.1:${port}/mcp`);
  await client.connect(new StreamableHTTPClientTransport(at, { requestInit: { headers } }));
  return client;
}
