import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Environment } from './environment.ts';
import { homePaths, type Home } from './home/home.ts';
import { loadConfig, type ConfigSources, type LoadedConfig } from './load/load.ts';

export interface TempHome {
  readonly home: Home;
  readonly env: Environment;
  /** Writes a file of the home, with mode 0600 by default. */
  write(name: 'config.json' | '.env', content: string, mode?: number): void;
  load(env?: Environment, sources?: Partial<ConfigSources>): LoadedConfig;
  /** The message of the error that loading throws. */
  refusal(env?: Environment, sources?: Partial<ConfigSources>): string;
}

/** A temporary home for the running test, removed when the test ends. */
export function tempHome(): TempHome {
  const root = mkdtempSync(join(tmpdir(), 'exai-config-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const env = { EXAI_HOME: root, HOME: '/home/somebody' };
  const load: TempHome['load'] = (more = {}, sources = {}) =>
    loadConfig({ env: { ...env, ...more }, ...sources });
  return {
    home: homePaths(env),
    env,
    write(name, content, mode = 0o600) {
      writeFileSync(join(root, name), content);
      chmodSync(join(root, name), mode);
    },
    load,
    refusal(more, sources) {
      try {
        load(more, sources);
      } catch (thrown) {
        return thrown instanceof Error ? thrown.message.replaceAll(root, '<home>') : '';
      }
      return 'nothing was refused';
    },
  };
}
