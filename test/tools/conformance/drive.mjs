// The client that MCP's conformance suite is told to test: a daemon with the suite's server behind its hub, and the SDK's client in
// front of it. What the suite looks at is what the daemon sends to its server; the client only makes it do so.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const EXAI = fileURLToPath(new URL('../../../bin/exai.cjs', import.meta.url));
const SERVER = 'suite';
const TOKEN = 'conformance-token-0123456789';
const MODERN = '2026-07-28';

const url = process.argv.at(-1);
const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? '';
const isModern = process.env.MCP_CONFORMANCE_PROTOCOL_VERSION === MODERN;
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}');

const named = (tool) => `mcp__${SERVER}__${tool}`;

/** What the client does in each scenario. In all of them the daemon has connected and read the lists. */
const STEPS = {
  tools_call: (client) => call(client, 'add_numbers', { a: 2, b: 40 }),
  'elicitation-sep1034-client-defaults': (client) =>
    call(client, 'test_client_elicitation_defaults'),
  'sse-retry': (client) => call(client, 'test_reconnection'),
  async 'sep-2322-client-request-state'(client) {
    for (const name of [
      'test_mrtr_echo_state',
      'test_mrtr_unrelated',
      'test_mrtr_no_state',
      'test_mrtr_no_result_type',
    ])
      await call(client, name);
  },
  async 'http-standard-headers'(client) {
    for (const name of ['test_headers', 'my-hyphenated-tool']) await call(client, name);
    const { resources } = await client.listResources();
    for (const { uri } of resources.filter((each) => each.uri.startsWith('mcp://')))
      await client.readResource({ uri });
    await client.getPrompt({ name: named('test_prompt') });
  },
  async 'http-custom-headers'(client) {
    for (const { name, arguments: given } of context.toolCalls) await call(client, name, given);
  },
  async 'http-invalid-tool-headers'(client) {
    for (const { name } of await toolsOf(client))
      await client.callTool({ name, arguments: { region: 'here' } });
  },
  async 'json-schema-2020-12-preservation'(client) {
    const tools = await toolsOf(client);
    const found = tools.find(({ name }) => name === named('json_schema_2020_12_tool'));
    await call(client, 'json_schema_echo', { schema: found.inputSchema });
  },
};

/** Scenarios of authorization: a login with a browser that agrees to everything, then a call. */
const isAuthorization = scenario.startsWith('auth/');
const WITHOUT_USER = ['auth/client-credentials-jwt', 'auth/client-credentials-basic'];
/** The address of the document that the suite expects; it is never read. */
const CLIENT_METADATA = 'https://conformance-test.local/client-metadata.json';

/** What the suite gives the client beforehand. */
const client = {
  ...(context.client_id && { clientId: context.client_id }),
  ...(context.client_secret && { clientSecret: context.client_secret }),
  ...(context.private_key_pem && { clientKey: context.private_key_pem }),
  ...(WITHOUT_USER.includes(scenario) && { login: 'client_credentials' }),
};

const home = mkdtempSync(join(tmpdir(), 'exai-conformance-'));
const config = {
  mcpServers: { [SERVER]: { url, protocol: isModern ? 'modern' : 'legacy', ...client } },
  tools: { enabled: [named('*')] },
  ...(isAuthorization && { hub: { clientMetadataUrl: CLIENT_METADATA } }),
};
writeFileSync(join(home, 'config.json'), JSON.stringify(config), { mode: 0o600 });
const env = { PATH: process.env.PATH, HOME: home, EXAI_HOME: home, EXAI_TOKEN: TOKEN };
const daemon = exai(['serve', '--port', '0'], ['ignore', 'pipe', 'inherit']);
try {
  const port = await portOf(daemon);
  if (isAuthorization) await authorize(port);
  else {
    await ended(exai(['servers', 'restart', SERVER], 'inherit'));
    await STEPS[scenario]?.(await connect(port));
  }
} finally {
  daemon.kill();
  await ended(daemon);
  rmSync(home, { recursive: true, force: true });
}

function exai(args, stdio) {
  return spawn(process.execPath, [EXAI, ...args], { env, stdio });
}

async function ended(child) {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return child.exitCode;
}

async function portOf({ stdout }) {
  for await (const line of createInterface({ input: stdout })) {
    const port = /listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(line)?.[1];
    if (port !== undefined) return port;
  }
  throw new Error('The daemon ended before it listened.');
}

/** Logs in where the server asks for it, and calls each of its tools. */
async function authorize(port) {
  if (WITHOUT_USER.includes(scenario)) await ended(exai(['servers', 'restart', SERVER], 'inherit'));
  else {
    await logIn();
    // The server may have moved to another authorization server since.
    const again = exai(['servers', 'restart', SERVER], 'inherit');
    if ((await ended(again)) === 4) await logIn();
  }
  const client = await connect(port);
  for (const { name } of await toolsOf(client))
    await client.callTool({ name, arguments: {} }).then(
      ({ content }) => console.error(JSON.stringify(content)),
      (error) => console.error(String(error)),
    );
}

async function logIn() {
  const child = exai(['servers', 'login', SERVER, '--no-browser'], ['ignore', 'inherit', 'pipe']);
  for await (const line of createInterface({ input: child.stderr })) {
    console.error(line);
    const address = /^ {2}(http\S+)$/.exec(line)?.[1];
    if (address !== undefined) await browse(address);
  }
  await ended(child);
}

/** A browser whose user agrees: it goes where it is sent, and ends at the daemon. */
async function browse(address) {
  const response = await fetch(address, { redirect: 'manual' });
  const location = response.headers.get('location');
  if (location) console.error((await fetch(location)).status);
}

async function connect(port) {
  const capabilities = {
    elicitation: { form: { applyDefaults: true }, ...(isAuthorization && { url: {} }) },
  };
  const versionNegotiation = { mode: isModern ? { pin: MODERN } : 'legacy' };
  const client = new Client(
    { name: 'conformance', version: '1' },
    { capabilities, versionNegotiation },
  );
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    if (params.mode === 'url') await browse(params.url);
    return { action: 'accept', ...(params.mode !== 'url' && { content: {} }) };
  });
  const headers = { authorization: `Bearer ${TOKEN}` };
  const at = new URL(`http://127.0.0.1:${port}/mcp`);
  await client.connect(new StreamableHTTPClientTransport(at, { requestInit: { headers } }));
  return client;
}

async function toolsOf(client) {
  const { tools } = await client.listTools();
  return tools.filter(({ name }) => name.startsWith(named('')));
}

async function call(client, tool, given = {}) {
  const result = await client.callTool({ name: named(tool), arguments: given });
  console.error(JSON.stringify(result.content));
}
