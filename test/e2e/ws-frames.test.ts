import { once } from 'node:events';
import { WebSocket } from 'ws';
import { describe, expect, onTestFinished } from 'vitest';
import { verifies } from '../verifies.ts';
import { createHome } from './exai.ts';

type Frame = Partial<Record<string, unknown>>;

/** A client of the older kind, which keeps every frame it gets. */
async function connect(url: string, headers: Record<string, string> = {}) {
  const ws = new WebSocket(url.replace('http', 'ws'), { headers });
  onTestFinished(() => ws.terminate());
  const frames: Frame[] = [];
  let wake = () => {};
  ws.on('message', (data: Buffer) => {
    frames.push(JSON.parse(data.toString()) as Frame);
    wake();
  });
  const closed = new Promise<number>((resolve) => ws.once('close', resolve));
  await once(ws, 'open');
  const until = async (isThere: () => boolean) => {
    while (!isThere()) await new Promise<void>((resolve) => (wake = resolve));
  };
  return {
    frames,
    closed,
    of: (op: string) => frames.filter((frame) => frame['op'] === op),
    say: (frame: Frame | string) =>
      ws.send(typeof frame === 'string' ? frame : JSON.stringify(frame)),
    until,
    ws,
  };
}

async function greeted(url: string, token = '') {
  const client = await connect(url);
  client.say({ op: 'hello', session_id: 'mine', token });
  await client.until(() => client.frames.length > 0);
  return client;
}

verifies('exai:many', 'forty calls at once on one socket are answered once each', async () => {
  const daemon = await createHome().serve();
  const client = await greeted(daemon.url);
  expect(client.frames).toEqual([
    { op: 'hello_ack', ok: true, session_id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string },
  ]);
  const names = ['status_EXAI-WS', 'health-EXAI_WS', 'mcp__exai__version', 'activity'];
  for (let n = 0; n < 40; n++) {
    client.say({ op: 'call_tool', request_id: `r${n}`, name: names[n % 4], arguments: {} });
  }
  await client.until(() => client.of('call_tool_res').length >= 40);
  client.say({ op: 'ping' });
  await client.until(() => client.of('pong').length === 1);
  const results = client.of('call_tool_res');
  expect(new Set(results.map((frame) => frame['request_id'])).size).toBe(40);
  expect(results).toHaveLength(40);
  for (const { text, outputs, error } of results) {
    expect(outputs).toEqual([{ type: 'text', text }]);
    expect(error).toBeUndefined();
  }
  expect(client.of('call_tool_ack')).toHaveLength(40);
});

verifies(
  'exai:frames',
  'what is wrong is told by its code, and the connection lives on',
  async () => {
    const daemon = await createHome().serve();
    const client = await greeted(daemon.url);
    client.say({ op: 'call_tool', request_id: 1, name: 'statuss' });
    client.say({ op: 'call_tool', request_id: 2, name: 'activity', args: { line: 3 } });
    client.say({ op: 'cancel', request_id: 'never' });
    client.say({ op: 'helo' });
    client.say({ op: 'hello' });
    client.say('{"op":');
    client.say({ op: 'health' });
    await client.until(
      () => client.of('health_res').length === 1 && client.of('call_tool_res').length === 2,
    );
    const errors = client.of('call_tool_res').map(({ error }) => error);
    expect(errors).toEqual([
      expect.objectContaining({
        code: 'TOOL_NOT_FOUND',
        message: expect.stringContaining('did you mean "status"?') as string,
      }),
      expect.objectContaining({
        code: 'VALIDATION_ERROR',
        message: expect.stringContaining('did you mean "lines"?') as string,
      }),
    ]);
    expect(client.of('cancelled')).toEqual([
      { op: 'cancelled', request_id: 'never', ok: false, error: 'not_found' },
    ]);
    expect(client.of('error').map(({ code }) => code)).toEqual([
      'UNKNOWN_OP',
      expect.any(String) as string,
      'INVALID_JSON',
    ]);
  },
);

describe('who is not let in', () => {
  const TOKEN = 'a-token-of-this-test';

  verifies('access:tokens', 'is told why, by a code of its own', async () => {
    const daemon = await createHome().serve([], { env: { EXAI_TOKEN: TOKEN } });
    const cases = [
      [{ op: 'hello', token: 'wrong' }, 4003],
      [{ op: 'hello' }, 4003],
      [{ op: 'list_tools' }, 4001],
      ['no json', 4000],
      [{ jsonrpc: '2.0', id: 1, method: 'tools/list' }, 4003],
    ] as const;
    for (const [first, code] of cases) {
      const client = await connect(daemon.url);
      client.say(first);
      expect(await client.closed).toBe(code);
    }
    const bearer = await connect(daemon.url, { authorization: `Bearer ${TOKEN}` });
    bearer.say({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    await bearer.until(() => bearer.frames.length > 0);
    expect(bearer.frames[0]).toHaveProperty('result.tools');
  });

  verifies('access:tokens', 'an old token opens for a while after it was replaced', async () => {
    const env = { EXAI_TOKEN: TOKEN, EXAI_AUTH_ROTATION_GRACE_MS: '60000' };
    const { serve, exai } = createHome();
    const daemon = await serve([], { env });
    const client = await greeted(daemon.url, TOKEN);
    client.say({ op: 'rotate_token', old: 'wrong', new: 'another-token-of-this-test' });
    await client.until(() => client.of('rotate_token_res').length === 1);
    client.say({ op: 'rotate_token', old: TOKEN, new: 'another-token-of-this-test' });
    await client.until(() => client.of('rotate_token_res').length === 2);
    expect(client.of('rotate_token_res')).toMatchObject([
      { ok: false, error: 'unauthorized' },
      { ok: true, grace_secs: 60, kept: false },
    ]);
    for (const token of [TOKEN, 'another-token-of-this-test']) {
      expect((await greeted(daemon.url, token)).frames).toMatchObject([{ ok: true }]);
    }
    const { stdout } = await exai(['logs', '--json', '-n', '500']);
    expect(stdout).not.toContain(TOKEN);
    expect(stdout).not.toContain('another-token-of-this-test');
  });

  verifies(
    'access:tokens',
    'a client that is removed can do nothing more, connected or not',
    async () => {
      const { serve, exai } = createHome();
      const daemon = await serve();
      const { stdout } = await exai(['access', 'add', 'ci', '--scope', 'version', '--json']);
      const { token } = JSON.parse(stdout) as { token: string };
      const client = await greeted(daemon.url, token);
      const call = async (id: number, name: string) => {
        client.say({ op: 'call_tool', request_id: id, name });
        await client.until(() =>
          client.of('call_tool_res').some((res) => res['request_id'] === id),
        );
        return client.of('call_tool_res').find((res) => res['request_id'] === id)?.['error'];
      };
      expect(await call(1, 'version')).toBeUndefined();
      expect(await call(2, 'status')).toMatchObject({ error_class: 'permission' });
      expect((await exai(['access', 'remove', 'ci'])).code).toBe(0);
      expect(await call(3, 'version')).toMatchObject({ error_class: 'auth' });
      const again = await connect(daemon.url);
      again.say({ op: 'hello', token });
      expect(await again.closed).toBe(4003);
    },
  );

  verifies(
    'door:limits',
    'a message over the limit ends its connection and nothing else',
    async () => {
      const daemon = await createHome().serve();
      const other = await greeted(daemon.url);
      const client = await greeted(daemon.url);
      client.say(`{"op":"ping","pad":"${'x'.repeat(33 * 1024 * 1024)}"}`);
      expect(await client.closed).toBe(1009);
      other.say({ op: 'ping' });
      await other.until(() => other.of('pong').length === 1);
      expect(other.of('pong')).toHaveLength(1);
    },
  );
});
