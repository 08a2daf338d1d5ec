import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { expect, onTestFinished } from 'vitest';
import { verifies } from '../verifies.ts';
import { BIN, createHome, createPlainHome } from './exai.ts';
import { get } from '../http-get.ts';

verifies('daemon:serve', 'serve prints one line and answers the three probes', async () => {
  const { path, serve } = createHome();
  const daemon = await serve();
  expect(daemon.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);

  const health = await get(`${daemon.url}/healthz`);
  expect(health.status).toBe(200);
  expect(JSON.parse(health.body)).toEqual({
    status: 'ok',
    version: expect.stringMatching(/^\d+\.\d+\.\d+/) as string,
    uptime_s: expect.any(Number) as number,
    instance: expect.stringMatching(/^[0-9a-f]{16}$/) as string,
    pid: daemon.pid,
  });
  const readiness = await get(`${daemon.url}/readyz`);
  expect([readiness.status, JSON.parse(readiness.body)]).toMatchObject([
    200,
    {
      ready: true,
      store: { ok: true, kind: 'sqlite', schema_version: expect.any(Number) as number },
    },
  ]);
  const metrics = await get(`${daemon.url}/metrics`);
  expect(metrics.headers['content-type']).toContain('text/plain');
  expect(metrics.body).toMatch(/^process_resident_memory_bytes \d+$/m);
  expect(metrics.body).toContain(
    'exai_http_requests_total{method="GET",route="/healthz",status="200"} 1',
  );

  expect(statSync(path('daemon.json')).mode & 0o777).toBe(0o600);
  expect(JSON.parse(readFileSync(path('daemon.json'), 'utf8'))).toMatchObject({
    pid: daemon.pid,
    url: daemon.url,
  });
});

verifies(
  'daemon:serve',
  'a daemon lives on though its launcher went before it was ready',
  async () => {
    const { root } = createHome();
    const args = [BIN, 'serve', '--port', '0', '--launched'];
    const env = { PATH: process.env['PATH'] ?? '', HOME: root, EXAI_HOME: root };
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    child.disconnect();
    const [line] = (await once(child.stdout ?? child, 'data')) as [Buffer];
    const url = /http:\S+/.exec(String(line))?.[0] ?? '';
    for (let n = 0; n < 3; n++) expect((await get(`${url}/healthz`)).status).toBe(200);
    expect([child.exitCode, child.signalCode]).toEqual([null, null]);
  },
);

verifies('daemon:serve', 'serve on IPv6 prints the address in brackets', async () => {
  const { serve } = createHome();
  const daemon = await serve(['--host', '::1']);
  expect(daemon.url).toMatch(/^http:\/\/\[::1\]:\d+$/);
  expect((await get(`${daemon.url}/healthz`)).status).toBe(200);
});

verifies('daemon:serve', 'status says where the daemon is, and that there is none', async () => {
  const { root, exai, serve } = createHome();
  const before = await exai(['status', '--json']);
  expect([before.code, JSON.parse(before.stdout)]).toEqual([
    6,
    { running: false, state: 'absent', home: root },
  ]);
  expect((await exai(['status'])).stdout).toContain('exai start');

  const daemon = await serve();
  const { code, stdout } = await exai(['status', '--json']);
  expect([code, JSON.parse(stdout)]).toMatchObject([
    0,
    { running: true, ready: true, url: daemon.url, pid: daemon.pid },
  ]);
  expect(namesIn(JSON.parse(stdout)).filter((name) => /[A-Z]/.test(name))).toEqual([]);
  expect((await exai(['status'])).stdout).toContain(daemon.url);
});

verifies(
  'daemon:drain',
  'SIGTERM stops the daemon in order and leaves nothing behind',
  async () => {
    const { path, serve } = createPlainHome();
    const daemon = await serve();
    // An idle connection must not keep it.
    const { port } = new URL(daemon.url);
    const idle = connect(Number(port), '127.0.0.1');
    await once(idle, 'connect');
    onTestFinished(() => void idle.destroy());

    daemon.kill('SIGTERM');
    const { code, stderr } = await daemon.ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(existsSync(path('daemon.json'))).toBe(false);
    // The log of the database is merged into it; the empty file goes when the engine comes to it.
    const logs = readdirSync(path('data')).filter((file) => file.endsWith('-wal'));
    expect(logs.filter((file) => statSync(path('data', file)).size > 0)).toEqual([]);
    const events = readLog(path('logs', 'daemon.jsonl')).map(({ event }) => event);
    expect(events).toContain('daemon_stopping');
    expect(events).not.toContain('feature_not_stopped');
    expect(events.at(-1)).toBe('daemon_stopped');
  },
);

verifies('daemon:drain', 'Ctrl-C stops it too, and exai stop waits until it is gone', async () => {
  const { exai, serve } = createHome();
  const first = await serve();
  first.kill('SIGINT');
  expect((await first.ended).code).toBe(0);

  const second = await serve();
  const { code, stdout } = await exai(['stop', '--json']);
  expect([code, JSON.parse(stdout)]).toEqual([0, { stopped: true, pid: second.pid }]);
  await expect(get(`${second.url}/healthz`)).rejects.toThrow('ECONNREFUSED');
  expect((await second.ended).code).toBe(0);
});

verifies('daemon:single', 'a second daemon points to the first and changes nothing', async () => {
  const { path, exai, serve } = createHome();
  const first = await serve();
  const record = readFileSync(path('daemon.json'), 'utf8');
  const second = await exai(['serve', '--port', '0']);
  expect(second.code).toBe(7);
  expect(second.stdout).toBe('');
  expect(second.stderr).toContain(`pid ${first.pid}`);
  expect(second.stderr).toContain(first.url);
  expect(readFileSync(path('daemon.json'), 'utf8')).toBe(record);
  expect((await get(`${first.url}/readyz`)).status).toBe(200);
});

verifies(
  'daemon:single',
  'of ten daemons that start at once, one runs and nine point to it',
  async () => {
    const { exai, root } = createHome();
    const starts = Array.from({ length: 10 }, () => exai(['serve', '--port', '0']));
    // The winner never ends by itself: once nine have given up, it is stopped.
    const losers = new Promise<void>((resolve) => {
      let ended = 0;
      for (const each of starts) void each.then(() => ++ended === 9 && resolve());
    });
    await losers;
    await exai(['stop']);
    const results = await Promise.all(starts);
    expect(results.filter(({ code }) => code === 0)).toHaveLength(1);
    const others = results.filter(({ code }) => code !== 0);
    expect(others.map(({ code }) => code)).toEqual(Array.from({ length: 9 }, () => 7));
    expect(others.every(({ stderr }) => stderr.includes(root))).toBe(true);
  },
);

verifies(
  'daemon:stale-lock',
  'after kill -9 the next daemon starts, and nothing takes the dead for alive',
  async () => {
    const { path, exai, serve } = createHome();
    const killed = await serve();
    killed.kill('SIGKILL');
    await killed.ended;
    expect(existsSync(path('daemon.json'))).toBe(true);
    expect((await exai(['status'])).code).toBe(6);
    const { startedAt } = JSON.parse(readFileSync(path('daemon.json'), 'utf8')) as {
      startedAt: string;
    };
    const next = await serve();
    expect((await get(`${next.url}/readyz`)).status).toBe(200);
    next.kill('SIGTERM');
    await next.ended;
    await serve();
    const log = readLog(path('logs', 'daemon.jsonl'));
    expect(log.filter(({ event }) => event === 'previous_daemon_killed')).toEqual([
      expect.objectContaining({ level: 'warn', pid: killed.pid, started_at: startedAt }),
    ]);
  },
);

verifies(
  'daemon:stale-lock',
  'stop never touches a stranger that has the number of a dead daemon',
  async () => {
    const { path, exai, serve } = createHome();
    const killed = await serve();
    killed.kill('SIGKILL');
    await killed.ended;
    const stranger = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    onTestFinished(() => void stranger.kill('SIGKILL'));
    await once(stranger, 'spawn');
    const record = JSON.parse(readFileSync(path('daemon.json'), 'utf8')) as object;
    writeFileSync(path('daemon.json'), JSON.stringify({ ...record, pid: stranger.pid }));

    const { code, stdout } = await exai(['stop']);
    expect([code, stdout]).toEqual([0, expect.stringContaining('No daemon is running')]);
    expect([stranger.exitCode, stranger.signalCode]).toEqual([null, null]);
  },
);

verifies('daemon:port-taken', 'a taken port is named, and the home is free again', async () => {
  const { exai, serve } = createHome();
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  onTestFinished(() => void other.close());
  const { port } = other.address() as AddressInfo;

  const { code, stderr } = await exai(['serve', '--port', String(port)]);
  expect(code).toBe(7);
  expect(stderr).toContain(`Port ${port}`);
  expect(stderr).toContain('--port');
  await serve();
});

verifies('daemon:deny', 'a foreign Host header is refused, a local one is not', async () => {
  const { serve } = createHome();
  const { url } = await serve();
  const refused = await get(`${url}/healthz`, { host: 'rebound.example' });
  expect([refused.status, JSON.parse(refused.body)]).toMatchObject([
    403,
    { error: { class: 'permission' } },
  ]);
  expect((await get(`${url}/healthz`, { host: 'localhost:1' })).status).toBe(200);
});

verifies(
  'daemon:deny',
  'a bind beyond loopback needs a token, which /metrics then asks for',
  async () => {
    const { path, exai, serve } = createHome();
    const refused = await exai(['serve', '--port', '0', '--host', '0.0.0.0']);
    expect(refused.code).toBe(22);
    expect(refused.stderr).toContain('EXAI_TOKEN');
    const short = await exai(['serve', '--port', '0', '--host', '0.0.0.0'], {
      env: { EXAI_TOKEN: 'open-sesame-42' },
    });
    expect([short.code, short.stderr]).toEqual([3, expect.stringContaining('at least 16')]);
    expect(existsSync(path('daemon.lock'))).toBe(false);

    const env = { EXAI_TOKEN: 'open-sesame-12345678' };
    const daemon = await serve(['--host', '0.0.0.0'], { env });
    const url = daemon.url.replace('0.0.0.0', '127.0.0.1');
    expect((await get(`${url}/healthz`)).status).toBe(200);
    expect((await get(`${url}/metrics`)).status).toBe(401);
    const wrong = { authorization: 'Bearer open-sesame-12345679' };
    expect((await get(`${url}/metrics`, wrong)).status).toBe(401);
    const right = { authorization: 'Bearer open-sesame-12345678' };
    expect((await get(`${url}/metrics`, right)).status).toBe(200);
    expect(JSON.parse((await get(`${url}/readyz`)).body)).toEqual({ ready: true });
    expect(JSON.parse((await get(`${url}/readyz`, right)).body)).toHaveProperty('store');
    expect(JSON.parse((await exai(['status', '--json'], { env })).stdout)).toHaveProperty('store');
    const untold = JSON.parse((await exai(['status', '--json'])).stdout) as object;
    expect(untold).toMatchObject({ running: true, ready: true });
    expect(untold).not.toHaveProperty('store');
    expect(readFileSync(path('logs', 'daemon.jsonl'), 'utf8')).not.toContain('open-sesame');
  },
);

function readLog(file: string): Record<string, unknown>[] {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** Every name in a document, at every depth. */
function namesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const inside = Object.values(value).flatMap(namesIn);
  return Array.isArray(value) ? inside : [...Object.keys(value), ...inside];
}

verifies('daemon:single', 'stop signals nobody whose identity it cannot confirm', async () => {
  const { path, exai, serve } = createHome();
  const innocent = spawn('sleep', ['60']);
  onTestFinished(() => void innocent.kill('SIGKILL'));
  const daemon = await serve();
  const record = JSON.parse(readFileSync(path('daemon.json'), 'utf8')) as object;
  for (const forged of [
    { ...record, pid: innocent.pid, instance: '0'.repeat(16) },
    { ...record, pid: innocent.pid, url: 'http://127.0.0.1:9' },
    { ...record, pid: innocent.pid },
  ]) {
    writeFileSync(path('daemon.json'), JSON.stringify(forged));
    const refused = await exai(['stop']);
    expect(refused.code).toBe(15);
    expect(refused.stderr).toContain('fuser');
  }
  expect([innocent.exitCode, innocent.signalCode]).toEqual([null, null]);
  expect((await get(`${daemon.url}/healthz`)).status).toBe(200);
});
