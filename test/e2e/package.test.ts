import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { makeCertificates } from '#net/certificates.fixture.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startEmulator, type Emulator } from '../../emulator/start.ts';
import { verifies } from '../verifies.ts';
import { finished, type Result } from './exai.ts';

/** The reader of PDF documents and its character maps take 2.1 MB of it. */
const MAX_UNPACKED_BYTES = 8_200_000;
const MAX_PACKED_BYTES = 2_800_000;
/** `nobody` where the tests run as root; else the user of the tests. */
const OTHER = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

interface Packed {
  readonly filename: string;
  readonly size: number;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string; readonly mode: number }[];
}

let folder: string;
let packed: Packed;
let emulator: Emulator;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'exai-package-'));
  chmodSync(folder, 0o755);
  // dist/ is built; building it again would disturb the tests beside this one.
  const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder];
  const { stdout, status } = spawnSync('npm', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`npm pack ended with ${status}`);
  [packed] = JSON.parse(stdout) as [Packed];
  emulator = await startEmulator();
});

afterAll(async () => {
  await emulator?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** An empty home of a user who has nothing but Node.js and npm. */
function otherUser(name: string) {
  const home = join(folder, name);
  mkdirSync(home, { mode: 0o700 });
  if (OTHER.uid !== undefined) chownSync(home, OTHER.uid, OTHER.gid);
  const env: Record<string, string> = {
    HOME: home,
    PATH: [
      join(home, 'global/bin'),
      dirname(process.execPath),
      '/usr/local/bin:/usr/bin:/bin',
    ].join(':'),
    EXAI_HOME: join(home, 'exai'),
    npm_config_cache: join(home, 'npm-cache'),
    npm_config_prefix: join(home, 'global'),
    npm_config_update_notifier: 'false',
    ...registryOf(process.env),
    KIMI_API_URL: `${emulator.url}/kimi/v1`,
    KIMI_API_KEY: 'sk-emulated-kimi-0001',
  };
  const start = (line: string, more: Record<string, string> = {}) =>
    spawn('sh', ['-c', line], { ...OTHER, cwd: home, env: { ...env, ...more }, detached: true });
  const run = (line: string, more: Record<string, string> = {}): Promise<Result> => {
    const child = start(line, more);
    child.stdin.end();
    return finished(child);
  };
  return { home, start, run };
}

/** How this machine reaches the registry. */
function registryOf(env: NodeJS.ProcessEnv): Record<string, string> {
  const { stdout } = spawnSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' });
  const passed = Object.entries(env).filter(([name]) =>
    /^(?:https?_proxy|node_extra_ca_certs)$/i.test(name),
  );
  return {
    npm_config_registry: stdout.trim(),
    ...Object.fromEntries(passed.map(([name, value]) => [name, value ?? ''])),
  };
}

verifies('package:content', 'the package has what it needs and nothing else', () => {
  const kinds = packed.files.map(({ path }) =>
    path
      .replace(/^dist\/[\w-]+\.(js|cjs)$/, 'dist/*.$1')
      .replace(/^docs\/(?:decisions\/)?[\w-]+\.md$/, 'docs/*.md'),
  );
  expect([...new Set(kinds)].sort()).toEqual([
    '.env.example',
    'CHANGELOG.md',
    'LICENSE',
    'README.md',
    'bin/exai.cjs',
    'dist/*.cjs',
    'dist/*.js',
    'dist/licenses.txt',
    'docs/*.md',
    'docs/config.schema.json',
    'package.json',
  ]);
  const paths = packed.files.map(({ path }) => path);
  for (const path of ['dist/main.js', 'dist/stdio.cjs', 'dist/sqlite-writer-worker.js'])
    expect(paths).toContain(path);
  expect(packed.unpackedSize).toBeLessThan(MAX_UNPACKED_BYTES);
  expect(packed.size).toBeLessThan(MAX_PACKED_BYTES);
});

verifies(
  'package:content',
  'every user can read every file, and only the program is executable',
  () => {
    const modes = packed.files.map(({ path, mode }) => [path, (mode & 0o777).toString(8)]);
    const odd = modes.filter(([path, mode]) => mode !== (path === 'bin/exai.cjs' ? '755' : '644'));
    expect(odd).toEqual([]);
  },
);

test('names stay readable without source maps: the program is not minified', () => {
  const main = readdirSync('dist').filter((file) => /^run-daemon-\w+\.js$/.test(file));
  expect(readFileSync(join('dist', main[0] ?? ''), 'utf8')).toContain(
    'async function startDaemon(',
  );
});

verifies('package:npx', 'npx runs the tarball in an empty folder', async () => {
  const { run } = otherUser('npx');
  const tarball = join(folder, packed.filename);
  const stop = `npx --yes file:${tarball} stop`;
  try {
    const { code, stdout, stderr } = await run(
      `npx --yes file:${tarball} ask "Say exactly: hello"`,
      { EXAI_PORT: '0' },
    );
    expect({ code, stdout, stderr }).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('hello') as string,
    });
    const help = await run(`npx --yes file:${tarball} --help`);
    expect(help.stdout).toContain('exai');
    expect(help.stdout).not.toContain('emulate');
  } finally {
    await run(stop);
  }
});

verifies(
  'package:emulate',
  'a copy without the emulator says so, and offers it nowhere',
  async () => {
    const { run } = otherUser('emulate');
    const npx = `npx --yes file:${join(folder, packed.filename)}`;
    const { code, stderr } = await run(`${npx} emulate`);
    expect([code, stderr]).toEqual([22, expect.stringContaining('has no emulator')]);
    expect((await run(`${npx} help --json`)).stdout).not.toContain('emulate');
    expect((await run(`${npx} completion bash`)).stdout).not.toContain('emulate');
  },
);

const DOCKERFILE = readFileSync('docker/Dockerfile', 'utf8');
const instructions = (name: string) =>
  [...DOCKERFILE.matchAll(new RegExp(`^${name} (.*)$`, 'gm'))].map(([, line]) => line ?? '');

verifies('package:container', 'the steps of the Dockerfile work as another user', async () => {
  const { home, start, run } = otherUser('container');
  // Only root can make users; the folder of the volume is the home of this user instead.
  const [choose = '', install = '', ...rest] = instructions('RUN');
  expect(rest).toEqual([
    expect.stringMatching(/^useradd .*&& install -d .*-m 0700 \/var\/lib\/exai$/),
  ]);
  expect([instructions('ARG'), instructions('COPY')]).toEqual([
    ['TARBALL=exai-*.tgz'],
    ['${TARBALL} /package/'],
  ]);
  const place = join(home, 'package');
  mkdirSync(place);
  if (OTHER.uid !== undefined) chownSync(place, OTHER.uid, OTHER.gid);
  const inPlace = (line: string) => line.replace(/^--mount=\S+ /, '').replaceAll('/package', place);
  const tarball = join(folder, packed.filename);
  // An old tarball beside the new one would otherwise be installed, or the new one.
  expect((await run(`cp ${tarball} ${place}/exai-0.0.1.tgz && cp ${tarball} ${place}/`)).code).toBe(
    0,
  );
  expect(await run(inPlace(choose))).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('--build-arg TARBALL=') as string,
  });
  expect((await run(`rm ${place}/exai-0.0.1.tgz`)).code).toBe(0);
  for (const line of [choose, install]) {
    const { code, stderr } = await run(inPlace(line));
    expect({ line, code, stderr }).toMatchObject({ line, code: 0 });
  }

  const env = Object.fromEntries(
    instructions('ENV').flatMap((line) =>
      line.split(' ').map((pair) => pair.split('=') as [string, string]),
    ),
  );
  expect(env).toEqual({ EXAI_HOME: '/var/lib/exai', EXAI_HOST: '0.0.0.0', EXAI_PORT: '8765' });
  const used = { ...env, EXAI_HOME: join(home, 'exai'), EXAI_PORT: String(await freePort()) };
  const [command = ''] = instructions('CMD');
  const [health = ''] = instructions('HEALTHCHECK').map((line) => line.replace(/^.*? CMD /, ''));
  expect((await run(health, used)).code).toBe(1);
  const daemon = start(`exec ${(JSON.parse(command) as string[]).join(' ')}`, used);
  const ended = finished(daemon);
  try {
    await expect.poll(async () => (await run(health, used)).code, { interval: 200 }).toBe(0);
    const { stdout } = await run('exai token show', used);
    expect(stdout).toMatch(/^exai-owner-[\w-]{43}\n$/);
    expect(statSync(join(home, 'exai', '.env')).mode & 0o777).toBe(0o600);
    const url = `http://127.0.0.1:${used.EXAI_PORT}/v1/models`;
    expect((await fetch(url)).status).toBe(401);
    const authorization = `Bearer ${stdout.trim()}`;
    expect((await fetch(url, { headers: { authorization } })).status).toBe(200);
  } finally {
    daemon.kill('SIGTERM');
  }
  expect((await ended).code).toBe(0);

  // With TLS, of a name that is not the one of the check.
  const { cert, key } = makeCertificates('DNS:exai.test');
  const files = { cert: join(home, 'cert.pem'), key: join(home, 'key.pem') };
  writeFileSync(files.cert, cert);
  writeFileSync(files.key, key, { mode: 0o600 });
  for (const file of Object.values(files))
    if (OTHER.uid !== undefined) chownSync(file, OTHER.uid, OTHER.gid);
  const secured = { ...used, EXAI_TLS_CERT: files.cert, EXAI_TLS_KEY: files.key };
  const withTls = start(`exec ${(JSON.parse(command) as string[]).join(' ')}`, secured);
  const tlsEnded = finished(withTls);
  try {
    await expect.poll(async () => (await run(health, secured)).code, { interval: 200 }).toBe(0);
  } finally {
    withTls.kill('SIGTERM');
  }
  expect((await tlsEnded).code).toBe(0);
});

test('the container runs as its own user, and the compose file opens no port to others', () => {
  expect(DOCKERFILE.indexOf('\nUSER exai\n')).toBeGreaterThan(DOCKERFILE.lastIndexOf('\nRUN '));
  const compose = readFileSync('docker/compose.yaml', 'utf8');
  const ports = [...compose.matchAll(/^ {6}- (\S+:\d+:\d+)$/gm)].map(([, port]) => port);
  expect(ports).toEqual(['127.0.0.1:8765:8765']);
  expect(compose.match(/\$\{POSTGRES_PASSWORD:\?/g)).toHaveLength(2);
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
