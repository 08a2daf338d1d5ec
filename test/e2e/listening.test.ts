import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startDaemon } from '#app/daemon/start-daemon.ts';
import { systemClock, systemRandom } from '#app/system.ts';
import { loadConfig } from '#config/load/load.ts';
import { makeCertificates } from '#net/certificates.fixture.ts';
import { verifies } from '../verifies.ts';
import { createHome, finished, start } from './exai.ts';
import { startShim } from './shim-client.ts';

const TOKEN = '0123456789abcdef0123456789abcdef';
const NOBODY = 65534;

function recordOf(root: string): Record<string, unknown> {
  return JSON.parse(readFileSync(join(root, 'daemon.json'), 'utf8')) as Record<string, unknown>;
}

/** Starts a daemon that says a line other than the usual one, and gives that line. */
async function serveUntilReady(root: string, args: string[], env: Record<string, string>) {
  const child = start(root, ['serve', ...args], { env });
  const ended = finished(child);
  const line = await new Promise<string>((resolve, reject) => {
    child.stdout?.on('data', (bytes) => resolve(String(bytes).trim()));
    void ended.then((result) => reject(new Error(JSON.stringify(result))));
  });
  return { line, ended };
}

/** Another program, of another user where the tests run as root, that has a port. */
async function takePort(): Promise<string> {
  const script =
    "const s=require('net').createServer().listen(0,'127.0.0.1',()=>console.log(s.address().port))";
  const asOther = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  const child = spawn(process.execPath, ['-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
    cwd: '/',
    ...asOther,
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [bytes] = (await once(child.stdout, 'data')) as [Buffer];
  return bytes.toString('utf8').trim();
}

verifies(
  'security:port-taken',
  'status, doctor, and the first answer say that the usual port belongs to another program',
  async () => {
    const { root, exai } = createHome();
    const port = await takePort();
    // As a daemon that was started for a client, which takes another port than the default one. The
    // default itself may be in use where the tests run, so another stands for it.
    const loaded = loadConfig({ env: { EXAI_HOME: root, HOME: root } });
    const config = { ...loaded.config, port: Number(port) };
    const system = { clock: systemClock, random: systemRandom, warn: () => undefined };
    const daemon = await startDaemon({ ...loaded, config }, system, { port: 'any_free' });
    onTestFinished(async () => void (await daemon.stop('the test is over')));

    const words = `Port ${port} belongs to `;
    const danger = `http://127.0.0.1:${port} talk to that program`;
    expect(recordOf(root)).toMatchObject({ portTaken: { port: Number(port) } });
    const status = await exai(['status']);
    expect(status.code).toBe(0);
    expect(status.stdout).toContain(words);
    expect(status.stdout).toContain(danger);
    const doctor = await exai(['doctor']);
    expect(doctor.code).toBe(22);
    expect(doctor.stdout).toContain(words);
    // The daemon of the sources has another version than the built program, which would replace it.
    const env = { EXAI_AUTOSTART: 'false' };
    const answer = await exai(['call', 'version'], { env });
    expect(answer.stderr).toContain(danger);
    const shim = startShim(root, { env });
    await shim.initialize();
    const first = await shim.request('tools/call', { name: 'version', arguments: {} });
    expect(JSON.stringify(first)).toContain(danger);
    await shim.end();
    if (process.platform === 'linux') {
      const uid = process.getuid?.() === 0 ? NOBODY : process.getuid?.();
      expect(status.stdout).toMatch(new RegExp(`belongs to .*uid ${uid}\\)?, not to EX-AI`));
    }
  },
);

verifies('security:port-taken', 'without a daemon the doctor says who has the port', async () => {
  const { exai } = createHome();
  const port = await takePort();
  const { code, stdout } = await exai(['doctor'], { env: { EXAI_PORT: port } });
  expect(code).toBe(22);
  expect(stdout).toContain(`Port ${port} belongs to `);
  expect(stdout).toContain('exai token rotate');
});

verifies(
  'security:port-other-exai',
  'where the daemon of another home has the port, every command says so and what helps',
  async () => {
    const first = createHome();
    const { url } = await first.serve();
    const port = new URL(url).port;
    const { exai } = createHome();
    const env = { EXAI_PORT: port };
    const words = /Port \d+ (?:is taken by|belongs to) another EX-AI \d+\.\d+\.\d+/;
    for (const args of [['ask', 'hi'], ['start'], ['serve'], ['status'], ['doctor']]) {
      const { code, stdout, stderr } = await exai(args, { env });
      expect(code).not.toBe(0);
      expect(stdout + stderr).toMatch(words);
      expect(stdout + stderr).toContain('EXAI_PORT=0 exai start');
    }
    const status = await exai(['status', '--json'], { env });
    expect(JSON.parse(status.stdout)).toMatchObject({ port_taken: { port: Number(port) } });
    // Nothing is said where the port is only the default one: the daemon takes a free one then.
    expect((await exai(['status'])).stdout).not.toContain('another EX-AI');
  },
);

test('with the port off the socket file serves clients, and nothing listens on TCP', async () => {
  const { root, exai, path } = createHome();
  const env = { EXAI_PORT: 'off' };
  const { line, ended } = await serveUntilReady(root, [], env);
  expect(line).toBe(`listening on ${path('daemon.sock')}`);
  const record = recordOf(root);
  expect(record).not.toHaveProperty('url');
  expect(record).not.toHaveProperty('port');
  expect(await exai(['call', 'version'])).toMatchObject({ code: 0 });
  const status = await exai(['status']);
  expect(status).toMatchObject({ code: 0 });
  expect(status.stdout).toMatch(/ready +yes/);
  expect(status.stdout).toContain('the port is off');
  const doctor = await exai(['doctor', '--json'], { env });
  expect(doctor.stdout).not.toContain('"fail"');
  expect(doctor.stdout).toContain('ready at its socket file');
  const gateway = await exai(['gateway', 'env', 'openai']);
  expect(gateway.code).toBe(22);
  expect(gateway.stderr).toContain('The gateway needs TCP; EXAI_PORT is off.');
  const shim = startShim(root);
  expect(await shim.initialize()).toMatchObject({ result: { serverInfo: { name: 'exai' } } });
  await shim.end();
  expect(await exai(['stop'])).toMatchObject({ code: 0 });
  expect(await ended).toMatchObject({ code: 0 });
});

test('--port off on a home whose socket file could not be made is refused, and leaves no trace', async () => {
  const { root, exai } = createHome();
  const EXAI_HOME = join(root, 'x'.repeat(110));
  const refused = await exai(['serve', '--port', 'off'], { env: { EXAI_HOME } });
  expect(refused.code).toBe(3);
  expect(refused.stderr).toContain('too long for a socket file');
  expect(() => readFileSync(join(EXAI_HOME, 'daemon.lock'))).toThrow(/ENOENT/);
});

verifies(
  'security:tls',
  'with a certificate the daemon serves TLS, and every program of ours verifies it',
  async () => {
    const { root, exai, path } = createHome();
    const made = makeCertificates('DNS:exai.test,DNS:localhost');
    mkdirSync(path('tls'));
    const write = (name: string, text: string) => {
      writeFileSync(path('tls', name), text, { mode: 0o600 });
      return path('tls', name);
    };
    const env = {
      EXAI_TLS_CERT: write('cert.pem', made.cert),
      EXAI_TLS_KEY: write('key.pem', made.key),
      EXAI_TOKEN: TOKEN,
    };
    const { line, ended } = await serveUntilReady(root, ['--port', '0'], env);
    expect(line).toMatch(/^listening on https:\/\/exai\.test:\d+$/);
    const { port } = recordOf(root);
    expect((await exai(['status'], { env })).stdout).toMatch(/ready +yes/);
    expect((await exai(['doctor', '--json'], { env })).stdout).toContain(
      'certificate for exai.test',
    );
    const gateway = await exai(['gateway', 'env', 'openai'], { env });
    expect(gateway.stdout).toContain(`https://exai.test:${String(port)}/v1`);

    const url = ['--url', `wss://localhost:${String(port)}`];
    const trusting = { ...env, EXAI_CA_FILE: write('ca.pem', made.ca) };
    const shim = startShim(root, { env: trusting }, url);
    expect(await shim.initialize()).toMatchObject({ result: { serverInfo: { name: 'exai' } } });
    await shim.end();
    const wary = startShim(root, { env }, url);
    const { error } = await wary.initialize();
    expect(error?.message).toContain('The certificate of localhost is not trusted');
    await wary.end();
    expect(await exai(['stop'], { env })).toMatchObject({ code: 0 });
    await ended;

    const broken = await exai(['serve', '--port', '0'], {
      env: { ...env, EXAI_TLS_KEY: write('other.pem', makeCertificates().key) },
    });
    expect(broken.code).toBe(3);
    expect(broken.stderr).toContain('is not the private key of the certificate');
  },
);

verifies(
  'security:tls',
  'without TLS beyond loopback, serve, status, doctor and the log warn of it',
  async () => {
    const { root, exai, serve, path } = createHome();
    const env = { EXAI_TOKEN: TOKEN, EXAI_HOST: '0.0.0.0' };
    const daemon = await serve([], { env });
    const words = 'The token and prompts travel unencrypted';
    expect((await exai(['status'], { env })).stdout).toContain(words);
    expect((await exai(['doctor'], { env })).stdout).toContain(words);
    expect(readFileSync(path('logs', 'daemon.jsonl'), 'utf8')).toContain(words);
    expect(recordOf(root)).toMatchObject({ host: '0.0.0.0' });
    await exai(['stop'], { env });
    expect((await daemon.ended).stderr).toContain(words);
  },
);

verifies(
  'security:tls',
  'the shim refuses a daemon on another machine without TLS unless told, and names how',
  async () => {
    const { exai } = createHome();
    const url = ['stdio', '--url', 'ws://exai.invalid:8765'];
    const refused = await exai(url, { env: { EXAI_TOKEN: TOKEN } });
    expect(refused.code).toBe(5);
    expect(refused.stderr).toContain('--insecure, or EXAI_INSECURE=true');
    // Told to, it tries; nobody has that name.
    for (const [args, env] of [
      [[...url, '--insecure'], {}],
      [url, { EXAI_INSECURE: 'true' }],
    ] as const) {
      expect(await exai(args, { env: { ...env } })).toMatchObject({ code: 0, stdout: '' });
    }
  },
);
