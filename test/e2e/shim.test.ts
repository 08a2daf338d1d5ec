import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, test } from 'vitest';
import { verifies } from '../verifies.ts';
import { BIN, createHome, type AtEnd } from './exai.ts';
import { startShim, type RpcAnswer, type ShimClient } from './shim-client.ts';
import { ANY_PORT, callStatus, daemonPid, homeForShims, starts, SUCCESS } from './shim-home.ts';

function heard({ child }: ShimClient): () => string {
  let text = '';
  child.stderr?.on('data', (chunk) => (text += String(chunk)));
  return () => text;
}

async function takenPort(atEnd: AtEnd): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  atEnd(() => void server.close());
  await once(server, 'listening');
  return String((server.address() as AddressInfo).port);
}

// Each has a home and a daemon of its own, and most of them wait for processes: the first for half
// a minute.
describe.concurrent('a shim', () => {
  verifies(
    'shim:reconnect',
    'a daemon that hangs costs an error after half a minute, and a shim ends without it',
    async ({ onTestFinished }) => {
      const { root, serve } = homeForShims(onTestFinished);
      const daemon = await serve();
      const [working, leaving] = [startShim(root), startShim(root)] as const;
      await working.initialize();
      await leaving.initialize();
      daemon.kill('SIGSTOP');
      onTestFinished(() => daemon.kill('SIGCONT'));
      const coming = startShim(root);
      const refused = coming.initialize();
      const cut = [working, leaving].map((shim) => shim.request('tools/call', { name: 'unsafe' }));
      const left = leaving.end();
      for (const { error } of await Promise.all(cut)) {
        expect(error?.data).toEqual({ error_class: 'interrupted', retryable: true });
      }
      expect(await left).toBe(0);
      expect((await refused).error?.data).toMatchObject({
        error_class: 'timeout',
        retryable: true,
      });
      expect(await coming.end()).toBe(0);
      daemon.kill('SIGCONT');
      expect((await working.request('tools/call', callStatus)).result).toMatchObject(SUCCESS);
      expect(await working.end()).toBe(0);
    },
    120_000,
  );

  verifies(
    'shim:clean',
    'nothing but messages is written, and the log lies in the home',
    async ({ onTestFinished }) => {
      const { root } = homeForShims(onTestFinished);
      const shim = startShim(root, { env: ANY_PORT });
      const stderr = heard(shim);
      await shim.initialize();
      shim.child.stdin?.write('not JSON\n\n{"jsonrpc":"2.0"}\n[]\n');
      await shim.request('ping');
      process.kill(daemonPid(root), 'SIGKILL');
      await shim.request('tools/list');
      expect(await shim.end()).toBe(0);
      for (const line of shim.lines) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
      expect(stderr()).toBe('');
      const file = join(root, 'logs', 'shim.jsonl');
      const log = readFileSync(file, 'utf8').trim().split('\n');
      expect(log.map((line) => (JSON.parse(line) as { event: string }).event)).toContain(
        'connection_lost',
      );
      expect(JSON.parse(log[0] ?? '')).toMatchObject({
        timestamp_unix: expect.any(Number) as number,
        timestamp_utc: expect.stringContaining('Z') as string,
        timestamp_local: expect.any(String) as string,
      });
      expect(statSync(file).mode & 0o777).toBe(0o600);
    },
  );

  verifies(
    'shim:reconnect',
    'a shim that found its daemon running outlives it too',
    async ({ onTestFinished }) => {
      const { root } = homeForShims(onTestFinished);
      await startShim(root, { env: ANY_PORT }).initialize();
      const shim = startShim(root, { env: ANY_PORT });
      const { result } = await shim.initialize();
      expect(result?.['protocolVersion']).toBe('2025-11-25');
      expect((await shim.request('tools/call', callStatus)).result).toMatchObject(SUCCESS);
      process.kill(daemonPid(root), 'SIGKILL');
      expect((await shim.request('tools/call', callStatus)).result).toMatchObject(SUCCESS);
      expect((await shim.request('ping')).result).toBeDefined();
      expect(shim.lines.filter((line) => line.includes('tools/list_changed'))).toHaveLength(1);
      expect(await shim.end()).toBe(0);
    },
  );

  test('a daemon that refuses to start is quoted in the answer to initialize', async ({
    onTestFinished,
  }) => {
    const { root } = homeForShims(onTestFinished);
    const shim = startShim(root, { env: { EXAI_PORT: 'eighty' } });
    const stderr = heard(shim);
    const { error } = await shim.initialize();
    expect(error).toMatchObject({
      code: -32602,
      data: { error_class: 'validation', retryable: false },
    });
    expect(error?.message).toMatch(/EXAI_PORT|port/);
    expect(error?.message).not.toContain('tried again');
    expect(await shim.end()).toBe(0);
    expect(stderr()).toMatch(/^exai: The daemon of EX-AI cannot be reached\. .*port.*\n$/i);
  });

  test('a port that is taken is told at once, to a client and on the command line', async ({
    onTestFinished,
  }) => {
    const { root, exai } = homeForShims(onTestFinished);
    const port = await takenPort(onTestFinished);
    const shim = startShim(root, { env: { EXAI_PORT: port } });
    const { error } = await shim.initialize();
    expect(error).toMatchObject({
      code: -31053,
      data: { error_class: 'conflict', retryable: false },
    });
    expect(error?.message).toContain(`Port ${port} on 127.0.0.1 is taken`);
    expect(await shim.end()).toBe(0);
    const called = await exai(['call', 'version'], { env: { EXAI_PORT: port } });
    expect(called.code).toBe(7);
    expect(called.stderr).toContain(`Port ${port} on 127.0.0.1 is taken`);
  });

  test('a home that cannot be used is named, and the shim stays to say so', async ({
    onTestFinished,
  }) => {
    const { root } = createHome(onTestFinished);
    const EXAI_HOME = join(root, 'file');
    writeFileSync(EXAI_HOME, '');
    const shim = startShim(root, { env: { EXAI_HOME } });
    expect((await shim.initialize()).error).toMatchObject({
      code: -31051,
      data: { error_class: 'permission', retryable: false, field: 'EXAI_HOME' },
    });
    expect(await shim.end()).toBe(0);
  });

  test('what was stopped stays stopped while nobody needs it, and is started when somebody does', async ({
    onTestFinished,
  }) => {
    const { root, exai } = homeForShims(onTestFinished);
    const shims = [startShim(root, { env: ANY_PORT }), startShim(root, { env: ANY_PORT })] as const;
    for (const shim of shims) await shim.initialize();
    expect((await exai(['stop'])).code).toBe(0);
    const stoppedAt = performance.now();
    do expect((await exai(['status'])).code).not.toBe(0);
    while (performance.now() - stoppedAt < 1500);
    expect((await shims[0].request('ping')).result).toEqual({});
    expect((await exai(['status'])).code).not.toBe(0);
    expect((await shims[0].request('tools/call', callStatus)).result).toMatchObject(SUCCESS);
    const pid = daemonPid(root);
    expect((await shims[1].request('tools/call', callStatus)).result).toMatchObject(SUCCESS);
    expect([daemonPid(root), starts(root)]).toEqual([pid, 2]);
    for (const shim of shims) {
      expect(shim.lines.filter((line) => line.includes('tools/list_changed'))).toHaveLength(1);
      expect(await shim.end()).toBe(0);
    }
  });

  test('after a stop somebody else may have the home, and idle shims find the daemon they start', async ({
    onTestFinished,
  }) => {
    const { root, exai, serve } = homeForShims(onTestFinished);
    const shim = startShim(root, { env: ANY_PORT });
    await shim.initialize();
    await exai(['stop']);
    const daemon = await serve();
    const { result } = await shim.request('tools/call', callStatus);
    expect(result).toBeDefined();
    expect(daemonPid(root)).toBe(daemon.pid);
    expect(await shim.end()).toBe(0);
  });

  test('a last message without a newline is answered like any other', async ({
    onTestFinished,
  }) => {
    const { root } = homeForShims(onTestFinished);
    // Without a daemon, and with the one that the first has started.
    for (const id of ['first', 'second']) {
      const shim = startShim(root, { env: ANY_PORT });
      const ended = once(shim.child, 'close');
      shim.child.stdin?.end(JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' }));
      expect(await ended).toEqual([0, null]);
      const answer = { jsonrpc: '2.0', id, result: {} };
      expect(shim.lines.map((line) => JSON.parse(line) as unknown)).toEqual([answer]);
    }
  });

  test('a url that no WebSocket has is refused at the start', async ({ onTestFinished }) => {
    const { exai } = createHome(onTestFinished);
    const { code, stdout, stderr } = await exai(['stdio', '--url', 'http://127.0.0.1:8765']);
    expect([code, stdout]).toEqual([3, '']);
    expect(stderr).toContain('must begin with ws://');
  });

  test('a shim that may not start a daemon waits for one', async ({ onTestFinished }) => {
    const { root, serve } = homeForShims(onTestFinished);
    const shim = startShim(root, { env: { EXAI_AUTOSTART: 'false' } });
    const initialized = shim.initialize();
    const daemon = await serve();
    expect((await initialized).result).toBeDefined();
    expect(await shim.end()).toBe(0);
    daemon.kill('SIGTERM');
    await daemon.ended;
  });

  verifies(
    'shim:skew',
    'a setting that only the client has is named in the log of the shim',
    async ({ onTestFinished }) => {
      const { root, serve } = homeForShims(onTestFinished);
      await serve();
      const shim = startShim(root, { env: { KIMI_API_KEY: 'sk-only-the-client-has-this' } });
      await shim.initialize();
      await shim.end();
      const log = readFileSync(join(root, 'logs', 'shim.jsonl'), 'utf8');
      expect(log).toContain('KIMI_API_KEY');
      expect(log).not.toContain('sk-only');
    },
  );

  test('the answers of what is in flight come before the end of the input ends the shim', async ({
    onTestFinished,
  }) => {
    const { root } = homeForShims(onTestFinished);
    const shim = startShim(root, { env: ANY_PORT });
    const answers = [shim.initialize(), shim.request('tools/list'), shim.request('ping')];
    expect(await shim.end()).toBe(0);
    for (const { result } of await Promise.all(answers)) expect(result).toBeDefined();
  });

  test('a signal ends it at once, and so does a client that reads no more', async ({
    onTestFinished,
  }) => {
    const { root } = homeForShims(onTestFinished);
    const ended = (shim: ShimClient) => once(shim.child, 'exit');
    const first = startShim(root, { env: ANY_PORT });
    await first.initialize();
    first.child.kill('SIGTERM');
    expect(await ended(first)).toEqual([null, 'SIGTERM']);
    const second = startShim(root, { env: ANY_PORT });
    await second.initialize();
    second.child.stdout?.destroy();
    second.send({ id: 99, method: 'ping' });
    expect(await ended(second)).toEqual([0, null]);
  });

  test('a signal ends it also when its client does not read', async ({ onTestFinished }) => {
    const { root } = homeForShims(onTestFinished);
    const shim = startShim(root, { env: ANY_PORT });
    await shim.initialize();
    shim.child.stdout?.pause();
    // More than a pipe holds: the shim is in the middle of a write that nobody takes.
    for (let i = 0; i < 200; i++) shim.send({ id: `list ${i}`, method: 'tools/list', params: {} });
    const exited = once(shim.child, 'exit');
    while (shim.child.stdout?.readableLength === 0) await new Promise(setImmediate);
    shim.child.kill('SIGTERM');
    expect(await exited).toEqual([null, 'SIGTERM']);
  });

  test('a daemon that is stopped as soon as it is up is followed by another, and nobody notices', async ({
    onTestFinished,
  }) => {
    const { root } = homeForShims(onTestFinished);
    const shim = startShim(root, { env: ANY_PORT });
    const initialized = shim.initialize();
    const file = join(root, 'daemon.json');
    while (!existsSync(file)) await new Promise(setImmediate);
    process.kill(daemonPid(root), 'SIGTERM');
    expect((await initialized).result).toBeDefined();
    expect((await shim.request('tools/call', callStatus)).result).toMatchObject(SUCCESS);
    expect(await shim.end()).toBe(0);
  });

  test('what is no request is refused by its id', async ({ onTestFinished }) => {
    const { root } = homeForShims(onTestFinished);
    const shim = startShim(root, { env: ANY_PORT });
    await shim.initialize();
    shim.child.stdin?.write('{"jsonrpc":"2.0","id":77}\n{"id":78,"method":5}\n');
    expect(await shim.end()).toBe(0);
    const answers = shim.lines.map((line) => JSON.parse(line) as RpcAnswer);
    for (const id of [77, 78]) {
      expect(answers.filter((answer) => answer.id === id)).toMatchObject([
        { error: { code: -32600 } },
      ]);
    }
  });

  test('a folder in the place of the socket file is told for what it is', async ({
    onTestFinished,
  }) => {
    const { root } = createHome(onTestFinished);
    mkdirSync(join(root, 'daemon.sock'));
    const shim = startShim(root, { env: ANY_PORT });
    const { error } = await shim.initialize();
    expect(error).toMatchObject({ code: -31053, data: { error_class: 'conflict' } });
    expect(error?.message).toContain('daemon.sock is in the way');
    expect(await shim.end()).toBe(0);
  });

  test('a daemon somewhere else is reached by its url and token', async ({ onTestFinished }) => {
    const there = createHome(onTestFinished);
    const here = createHome(onTestFinished);
    const token = 'a-token-of-some-length';
    const daemon = await there.serve([], {
      env: { EXAI_TOKEN: token, EXAI_AUTH_REQUIRE_TOKEN: 'true' },
    });
    const url = daemon.url.replace('http', 'ws');
    const shim = startShim(here.root, { env: { EXAI_TOKEN: token } }, ['--url', url]);
    expect((await shim.initialize()).result).toBeDefined();
    expect((await shim.request('tools/call', callStatus)).result).toMatchObject(SUCCESS);
    expect(await shim.end()).toBe(0);
    const stranger = startShim(here.root, {}, ['--url', url]);
    const { error } = await stranger.initialize();
    expect(error).toMatchObject({ code: -31050, data: { error_class: 'auth', retryable: false } });
    expect(error?.message).toMatch(/token/);
    expect(await stranger.end()).toBe(0);
  });

  test('a home whose path is too long for a socket file is reached over a WebSocket', async ({
    onTestFinished,
  }) => {
    const { root, exai } = createHome(onTestFinished);
    const long = join(root, 'x'.repeat(90), 'home');
    mkdirSync(long, { recursive: true });
    const env = { ...ANY_PORT, EXAI_HOME: long };
    onTestFinished(async () => {
      await exai(['stop'], { env });
    });
    const shim = startShim(root, { env });
    expect((await shim.initialize()).result).toBeDefined();
    expect((await shim.request('tools/call', callStatus)).result).toMatchObject(SUCCESS);
    process.kill(daemonPid(long), 'SIGKILL');
    expect((await shim.request('tools/list')).result).toBeDefined();
    expect(await shim.end()).toBe(0);
  });

  test('the official client works through it, also across the death of the daemon', async ({
    onTestFinished,
  }) => {
    const { root } = homeForShims(onTestFinished);
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [BIN, 'stdio'],
      env: { PATH: process.env['PATH'] ?? '', HOME: root, EXAI_HOME: root, ...ANY_PORT },
    });
    const client = new Client({ name: 'e2e', version: '1' });
    await client.connect(transport);
    onTestFinished(() => client.close());
    expect((await client.callTool(callStatus)).isError).not.toBe(true);
    process.kill(daemonPid(root), 'SIGKILL');
    expect((await client.callTool(callStatus)).isError).not.toBe(true);
  });

  test('its help is where the help of every command is', async ({ onTestFinished }) => {
    const { exai } = createHome(onTestFinished);
    const { code, stdout } = await exai(['stdio', '--help']);
    expect([code, stdout]).toEqual([0, expect.stringContaining('--url')]);
  });
});
