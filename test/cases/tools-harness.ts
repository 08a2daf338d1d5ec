import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '#app/system.ts';
import type { Store } from '#core/stores/store.ts';
import { openStore } from '#store/open-store.ts';
import { startEmulator, type Emulator } from '../../emulator/start.ts';
import { BIN, finished } from '../e2e/exai.ts';
import { createListLog } from '../list-log.ts';

/** A daemon whose vendors are the emulator, for all tests of a file. Its store outlives it. */
export interface ToolsHarness {
  readonly emulator: Emulator;
  readonly home: string;
  /** Where it listens now: a restart takes another port. */
  readonly url: () => string;
  /** Whoever comes over TCP without it is nobody; only its bearer is asked for roots there. */
  readonly ownerToken: string;
  /** A folder under the roots of whoever gives some, and under none else. */
  readonly project: string;
  /** A folder that the settings allow. */
  readonly shared: string;
  /** Another, which is empty and no repository. */
  readonly plain: string;
  /** A folder that nobody may read. */
  readonly outside: string;
  /** Gives the token of a new client that may call everything. */
  addClient(name: string): Promise<string>;
  /** Stops it, and starts it again with the same store. */
  restart(): Promise<void>;
  /** Stops it for good, and lets somebody look at what is stored. */
  lookInto<T>(look: (store: Store) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export interface ToolsHarnessOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Sections of the configuration. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** A program that starts the daemon and watches it, with its arguments. */
  readonly watcher?: readonly string[];
}

// Faults are planned on purpose here, and none of them is to be remembered when the next test
// comes.
const FORGIVING = { breaker: { minCalls: 1_000, coolOffMs: 100 } };

const OWNER_TOKEN = 'the-owner-of-the-tools-harness';

export async function openToolsHarness(options: ToolsHarnessOptions = {}): Promise<ToolsHarness> {
  const emulator = await startEmulator();
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'exai-tools-')));
  const folder = (name: string) => {
    mkdirSync(join(top, name), { mode: 0o700 });
    return join(top, name);
  };
  const home = folder('home');
  const folders = {
    project: folder('project'),
    shared: folder('shared'),
    plain: folder('plain'),
    outside: folder('outside'),
  };
  const allowedDirs = [folders.shared, folders.plain];
  const settings = { ...FORGIVING, allowedDirs, ...options.settings };
  writeFileSync(join(home, 'config.json'), JSON.stringify(settings));

  const start = (args: readonly string[], watcher: readonly string[] = []): ChildProcess => {
    const [program = '', ...more] = [...watcher, process.execPath, BIN, ...args];
    return spawn(program, more, {
      cwd: folders.outside,
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: home,
        EXAI_HOME: home,
        EXAI_TOKEN: OWNER_TOKEN,
        ...vendorsAt(emulator),
        ...options.env,
      },
    });
  };

  let running: { readonly child: ChildProcess; readonly url: string } | undefined;

  async function serve(): Promise<void> {
    const child = start(['serve', '--port', '0'], options.watcher);
    running = { child, url: await listening(child) };
  }

  async function stop(signal: NodeJS.Signals): Promise<void> {
    const child = running?.child;
    running = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  }

  async function close(): Promise<void> {
    await stop('SIGKILL');
    await emulator.close();
    rmSync(top, { recursive: true, force: true });
  }

  try {
    await serve();
  } catch (error) {
    await close();
    throw error;
  }
  return {
    emulator,
    home,
    url: () => running?.url ?? '',
    ownerToken: OWNER_TOKEN,
    ...folders,
    async addClient(name) {
      const child = start(['access', 'add', name, '--scope', '*', '--json']);
      child.stdin?.end();
      const { stdout, stderr } = await finished(child);
      if (stdout === '') throw new Error(stderr);
      return (JSON.parse(stdout) as { token: string }).token;
    },
    async restart() {
      await stop('SIGTERM');
      await serve();
    },
    async lookInto(look) {
      await stop('SIGTERM');
      return lookAt(home, look);
    },
    close,
  };
}

function vendorsAt({ url }: Emulator): Record<string, string> {
  return {
    KIMI_API_URL: `${url}/kimi/v1`,
    KIMI_API_KEY: 'sk-emulated-kimi-0001',
    GLM_API_URL: `${url}/glm/api/paas/v4`,
    GLM_API_KEY: 'emulated.secret0002',
    OPENROUTER_API_URL: `${url}/openrouter/api/v1`,
    OPENROUTER_API_KEY: 'sk-or-emulated-0003',
  };
}

async function lookAt<T>(home: string, look: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore({
    database: '',
    dataDir: join(home, 'data'),
    backupDir: join(home, 'backups'),
    writerId: 'writer_looking',
    clock: systemClock,
    log: createListLog(),
  });
  try {
    return await look(store);
  } finally {
    await store.close();
  }
}

function listening(daemon: ChildProcess): Promise<string> {
  let said = '';
  return new Promise((resolve, reject) => {
    daemon.stderr?.on('data', (chunk) => (said += String(chunk)));
    daemon.stdout?.on('data', (chunk) => {
      said += String(chunk);
      const line = /^listening on (http:\S+)\n/m.exec(said);
      if (line?.[1] !== undefined) resolve(line[1]);
    });
    daemon.once('close', (code) => reject(new Error(`exai serve ended with ${code}: ${said}`)));
  });
}

/** A repository with one commit, and a change that was not committed. */
export function makeRepository(folder: string): void {
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-C', folder, '-c', 'user.name=T', '-c', 'user.email=t@t', ...args], {
      env: { PATH: process.env['PATH'] ?? '', HOME: folder, GIT_CONFIG_NOSYSTEM: '1' },
      stdio: 'pipe',
    });
  git('init', '--quiet', '--initial-branch=main');
  writeFileSync(join(folder, 'kept.ts'), 'export const kept = 1;\n');
  git('add', 'kept.ts');
  git('commit', '--quiet', '--message', 'Begin');
  writeFileSync(join(folder, 'kept.ts'), 'export const kept = 2;\n');
}
