import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { Client as McpClient, SSEClientTransport } from '@modelcontextprotocol/client';
import { StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { WebSocket } from 'ws';
import { cite, command, type Client, type Proof } from './client.ts';
import {
  converse,
  createPeer,
  listAndCall,
  logOfRefused,
  peerOf,
  type Result,
} from './json-rpc.ts';

type Output = 'streamableHttp' | 'ws' | 'sse';

const PATHS = { streamableHttp: '/mcp', ws: '/ws', sse: '/sse' } as const;
const LISTENING_TIMEOUT_MS = 90_000;

/** In front of our shim, for clients that speak what it puts out. */
function gateway(output: Output): Client {
  const flags = (stdio: string, port: number) => [
    '--stdio',
    stdio,
    '--outputTransport',
    output,
    '--port',
    String(port),
    ...(output === 'ws' ? ['--messagePath', PATHS.ws] : []),
    ...(output === 'streamableHttp' ? ['--stateful'] : []),
  ];
  return {
    name: 'supergateway',
    variant: `stdio to ${output}`,
    how: { is: 'run', program: 'supergateway' },
    ways: ['shim'],
    connect(target) {
      if (target.kind !== 'local') throw new Error('this one is a program in front of the shim');
      return command('supergateway', ...flags([target.command, ...target.args].join(' '), 8_000));
    },
    async prove(target, sandbox) {
      if (target.kind !== 'local') throw new Error('this one is a program in front of the shim');
      const port = await freePort();
      const stdio = [target.command, ...target.args].map((word) => `"${word}"`).join(' ');
      const child = sandbox.start(['supergateway', ...flags(stdio, port)]);
      await listening(child);
      const at = `127.0.0.1:${port}${PATHS[output]}`;
      if (output === 'ws') return overWebSocket(`ws://${at}`);
      const url = new URL(`http://${at}`);
      return bySdk(
        output === 'sse' ? new SSEClientTransport(url) : new StreamableHTTPClientTransport(url),
      );
    },
  };
}

/** As a client of ours, for programs that speak stdio alone. */
const bridge: Client = {
  name: 'supergateway',
  variant: 'URL to stdio',
  how: { is: 'run', program: 'supergateway' },
  ways: ['http', 'sse'],
  connect(target) {
    if (target.kind !== 'remote') throw new Error('this one reaches servers by URL');
    const bearer = target.token ? ['--oauth2Bearer', target.token] : [];
    const flag = target.transport === 'sse' ? '--sse' : '--streamableHttp';
    return command('supergateway', flag, target.url, ...bearer);
  },
  async prove(target, sandbox) {
    const setup = bridge.connect(target);
    if (setup.kind === 'file') throw new Error('it takes no file');
    return converse(peerOf(sandbox.start([...setup.argv, '--logLevel', 'none'])));
  },
  async refused(target, sandbox) {
    const setup = bridge.connect(target);
    if (setup.kind === 'file') throw new Error('it takes no file');
    const log = await logOfRefused(sandbox.start(setup.argv));
    return [cite('its log', /HTTP error: (.*)$/m, log)];
  },
};

export const supergateways: readonly Client[] = [
  bridge,
  gateway('streamableHttp'),
  gateway('ws'),
  gateway('sse'),
];

async function bySdk(transport: Transport): Promise<Proof> {
  const client = new McpClient({ name: 'exai-client-matrix', version: '1' });
  await client.connect(transport);
  try {
    return await listAndCall(async (method, params) => {
      if (method === 'tools/list') return (await client.listTools()) as Result;
      return (await client.callTool(params as { name: string })) as Result;
    });
  } finally {
    await client.close();
  }
}

async function overWebSocket(url: string): Promise<Proof> {
  const socket = new WebSocket(url, 'mcp');
  const peer = createPeer((text) => socket.send(text));
  socket.on('message', (data: Buffer) => peer.receive(data.toString()));
  await once(socket, 'open');
  try {
    return await converse(peer);
  } finally {
    socket.terminate();
  }
}

function listening(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = '';
    const late = setTimeout(
      () => reject(new Error('supergateway does not listen')),
      LISTENING_TIMEOUT_MS,
    );
    child.stdout?.on('data', (chunk) => {
      said += String(chunk);
      if (!said.includes('Listening on port')) return;
      clearTimeout(late);
      resolve();
    });
    child.once('close', () => {
      clearTimeout(late);
      reject(new Error('supergateway ended'));
    });
  });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
