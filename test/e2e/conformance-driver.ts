/**
 * The client that MCP's conformance suite is told to test: a daemon with the suite's server behind its
 * hub, and the SDK's client in front of it. What the suite looks at is what the daemon sends to its
 * server; the client only makes it do so. One daemon serves all scenarios, each with its own server.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { RELOAD_METHOD } from '#app/settings/reload-answer.ts';
import { runWithDaemon } from '../../src/cli/run-with-daemon.ts';
import {
  connectScenario,
  isAuthorization,
  isWithoutUser,
  playScenario,
} from './conformance-steps.ts';

const BIN = fileURLToPath(new URL('../../bin/exai.cjs', import.meta.url));
const TOKEN = 'conformance-token-0123456789';
const MODERN = '2026-07-28';
const RELOAD_MS = 60_000;
/** The address of the document that the suite expects; it is never read. */
const CLIENT_METADATA = 'https://conformance-test.local/client-metadata.json';
/** What the suite starts for each scenario: it sends here what it was given, and prints the answer. */
const FORWARD = fileURLToPath(new URL('../tools/conformance/forward.mjs', import.meta.url));

/** What the suite tells the client that it starts. */
interface Given {
  readonly url: string;
  readonly scenario: string;
  readonly version: string;
  /** What the client has beforehand, such as its keys. */
  readonly context: Readonly<Record<string, unknown>>;
}

export interface ConformanceDriver {
  /** The command that the suite is told to start for each scenario. */
  readonly command: string;
  close(): Promise<void>;
}

export async function openConformanceDriver(): Promise<ConformanceDriver> {
  const home = mkdtempSync(join(tmpdir(), 'exai-conformance-'));
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, EXAI_HOME: home, EXAI_TOKEN: TOKEN };
  const io = { env, stderr: process.stderr };
  const servers = new Map<string, object>();
  let written = Promise.resolve();
  let count = 0;

  function write(): void {
    const config = {
      mcpServers: Object.fromEntries(servers),
      tools: { enabled: ['mcp__*'] },
      hub: { clientMetadataUrl: CLIENT_METADATA },
    };
    writeFileSync(join(home, 'config.json'), JSON.stringify(config), { mode: 0o600 });
  }

  /** One after the other, each with all that was set until then. */
  function applyServers(): Promise<void> {
    written = written.then(async () => {
      write();
      await runWithDaemon(io, ({ request }) =>
        request(RELOAD_METHOD, {}, { timeoutMs: RELOAD_MS }),
      );
    });
    return written;
  }

  write();
  const daemon = spawn(process.execPath, [BIN, 'serve', '--port', '0'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const port = await portOf(daemon);

  async function run(given: Given, log: (line: string) => void): Promise<void> {
    count += 1;
    const server = `suite${count}`;
    const { url, scenario, version, context } = given;
    const protocol = version === MODERN ? 'modern' : 'legacy';
    servers.set(server, { url, protocol, ...credentials(scenario, context) });
    try {
      await applyServers();
      const open = () => connectScenario({ port, token: TOKEN, version, scenario });
      await playScenario({ io, server, scenario, context, open, log });
    } finally {
      servers.delete(server);
      await applyServers();
    }
  }

  const socket = join(home, 'forward.sock');
  const listener = createServer({ allowHalfOpen: true }, (link) => void answer(link, run));
  listener.listen(socket);
  await once(listener, 'listening');
  return {
    command: `${process.execPath} ${FORWARD} ${socket}`,
    async close() {
      listener.close();
      daemon.kill();
      if (daemon.exitCode === null && daemon.signalCode === null) await once(daemon, 'exit');
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** What the suite gives the client beforehand, as settings of the server. */
function credentials(scenario: string, context: Given['context']): object {
  if (!isAuthorization(scenario)) return {};
  return {
    ...(context['client_id'] !== undefined && { clientId: context['client_id'] }),
    ...(context['client_secret'] !== undefined && { clientSecret: context['client_secret'] }),
    ...(context['private_key_pem'] !== undefined && { clientKey: context['private_key_pem'] }),
    ...(isWithoutUser(scenario) && { login: 'client_credentials' }),
  };
}

/** Reads what the suite gave, plays the scenario, and answers with what there is to print. */
async function answer(
  link: Socket,
  run: (given: Given, log: (line: string) => void) => Promise<void>,
): Promise<void> {
  link.on('error', () => undefined);
  const output: string[] = [];
  let code = 0;
  try {
    let text = '';
    // A loop over its parts would close both directions.
    link.setEncoding('utf8').on('data', (part: string) => (text += part));
    await once(link, 'end');
    await run(JSON.parse(text) as Given, (line) => output.push(line));
  } catch (error) {
    code = 1;
    output.push(String(error));
  }
  link.end(JSON.stringify({ code, output: output.join('\n') }));
}

async function portOf({ stdout }: ChildProcess): Promise<string> {
  if (!stdout) throw new Error('The daemon has no output.');
  for await (const line of createInterface({ input: stdout })) {
    const port = /listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(line)?.[1];
    if (port !== undefined) return port;
  }
  throw new Error('The daemon ended before it listened.');
}
