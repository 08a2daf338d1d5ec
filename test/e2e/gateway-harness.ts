/** A daemon with the emulator as its vendors, for all tests of a file. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmulator, type Emulator } from '../../emulator/start.ts';
import { BIN, finished, type Result } from './exai.ts';

export interface GatewayHarness {
  readonly url: string;
  /** Its EXAI_HOME. */
  readonly home: string;
  readonly pid: number;
  readonly emulator: Emulator;
  exai(...args: readonly string[]): Promise<Result>;
  close(): Promise<void>;
}

export interface GatewayHarnessOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Of config.json. */
  readonly config?: Readonly<Record<string, unknown>>;
}

// Faults are planned on purpose here, and none of them is to be remembered when the next test
// comes.
const FORGIVING = { breaker: { minCalls: 1_000 } };

export async function openGatewayHarness({
  env = {},
  config = {},
}: GatewayHarnessOptions = {}): Promise<GatewayHarness> {
  const emulator = await startEmulator();
  const home = env['EXAI_HOME'] ?? mkdtempSync(join(tmpdir(), 'exai-gateway-'));
  const settings = JSON.stringify({ ...FORGIVING, ...config });
  writeFileSync(join(home, 'config.json'), settings, { mode: 0o600 });
  const start = (args: readonly string[]): ChildProcess =>
    spawn(process.execPath, [BIN, ...args], {
      cwd: tmpdir(),
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: home,
        EXAI_HOME: home,
        EXAI_AUTH_REQUIRE_TOKEN: 'false',
        ...vendorsAt(emulator),
        ...env,
      },
    });
  const daemon = start(['serve', '--port', '0']);
  const close = async () => {
    if (daemon.exitCode === null && daemon.signalCode === null) {
      const exited = once(daemon, 'exit');
      daemon.kill('SIGKILL');
      await exited;
    }
    await emulator.close();
    rmSync(home, { recursive: true, force: true });
  };
  try {
    const url = await listening(daemon);
    return {
      url,
      home,
      pid: daemon.pid ?? 0,
      emulator,
      close,
      exai(...args) {
        const child = start(args);
        child.stdin?.end();
        return finished(child);
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function vendorsAt({ url }: Emulator): Record<string, string> {
  return {
    KIMI_API_URL: `${url}/kimi/v1`,
    KIMI_API_KEY: 'sk-emulated-kimi-0001',
    GLM_API_URL: `${url}/glm/api/paas/v4`,
    GLM_API_KEY: 'emulated.secret0002',
  };
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
