import { hash } from 'node:crypto';
import { OWNER } from '#auth/authenticator.ts';
import { createMetadata } from '#calls/request-metadata.ts';
import {
  compareSettings,
  findChangedSettings,
  settingsAtReload,
} from '#config/load/changed-settings.ts';
import { loadConfig, type LoadedConfig } from '#config/load/load.ts';
import type { Config } from '#config/schema/config.schema.ts';
import { secretValues } from '#config/secrets/mask.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { NewId } from '#core/ids.ts';
import type { CallStore } from '#core/stores/calls.ts';
import type { Log } from '#core/telemetry/telemetry.ts';
import type { Clock } from '#core/time/clock.ts';
import type { SecretList } from '#telemetry/redaction/secret-list.ts';
import type { ModelSide } from '../manager/model-side.ts';
import { sortChanges, type ReloadAnswer } from './reload-answer.ts';
import type { RunningSettings } from './running-settings.ts';

interface ReloaderOptions {
  readonly settings: RunningSettings;
  readonly models: Pick<ModelSide, 'prepare'>;
  /** New secrets are masked before anything uses them. */
  readonly secrets: SecretList;
  /** Called with the paths of the applied settings, after they were replaced. */
  readonly onApplied: (paths: readonly string[]) => void;
  readonly calls: Pick<CallStore, 'record'>;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly log: Log;
}

/** What requested a reload. */
export type ReloadTrigger = 'unix' | 'signal' | 'start';

export interface Reloader {
  /**
   * Loads the sources again and applies what can change at run time. Throws, and changes nothing,
   * if they are invalid. Reloads run one after the other; requests that arrive while one waits to
   * start share it.
   */
  reload(by: ReloadTrigger): Promise<AppliedChanges>;
  /**
   * Reloads if the sources differ from the settings. For the end of a start: a command that changed
   * them before the daemon could be reached told no daemon.
   */
  reloadIfChanged(by: ReloadTrigger): Promise<void>;
  /** Starts no more reloads, and waits for the running one. */
  close(): Promise<void>;
}

export function createReloader(options: ReloaderOptions): Reloader {
  const { log } = options;
  let running: Promise<unknown> | undefined;
  let waiting: Promise<AppliedChanges> | undefined;
  let state: 'open' | 'closed' = 'open';

  async function start(by: ReloadTrigger): Promise<AppliedChanges> {
    waiting = undefined;
    if (state === 'closed') throw new CallError('interrupted', 'The daemon is stopping.');
    try {
      const answer = await reloadOnce(by, options);
      log.info('settings_reloaded', { by, ...answer });
      return answer;
    } catch (thrown) {
      const error = CallError.from(thrown);
      log.warn('settings_not_reloaded', { by, error: error.toJSON() });
      throw error;
    }
  }

  function run(by: ReloadTrigger): Promise<AppliedChanges> {
    const reload = start(by);
    const ended = reload.then(
      () => undefined,
      () => undefined,
    );
    running = ended;
    void ended.then(() => running === ended && (running = undefined));
    return reload;
  }

  const reload = (by: ReloadTrigger) =>
    running ? (waiting ??= running.then(() => run(by))) : run(by);

  return {
    reload,
    async reloadIfChanged(by) {
      if (isUnchanged(options.settings)) return;
      // The log says why it failed.
      await reload(by).catch(() => undefined);
    },
    async close() {
      state = 'closed';
      await running;
    },
  };
}

/** Sources that cannot be read count as changed: the reload says what is wrong with them. */
function isUnchanged(settings: RunningSettings): boolean {
  try {
    return findChangedSettings(settings.current()).length === 0;
  } catch {
    return false;
  }
}

/** The settings that a reload has changed. */
export type AppliedChanges = Pick<ReloadAnswer, 'applied' | 'restart'>;

async function reloadOnce(by: ReloadTrigger, options: ReloaderOptions): Promise<AppliedChanges> {
  const { settings, models, secrets } = options;
  const before = settings.current();
  const loaded = loadConfig(before.sources);
  secrets.add(secretValues(loaded.config));
  const next = settingsAtReload(before, loaded);
  const answer = sortChanges(compareSettings(before.config, loaded.config));
  const prepared = concernsModels(answer.applied, next.config)
    ? await models.prepare(next.config)
    : undefined;
  try {
    await recordChanges(answer, by, next, options);
  } catch (thrown) {
    await prepared?.discard();
    throw thrown;
  }
  prepared?.commit();
  settings.replace(next);
  options.onApplied(answer.applied);
  return answer;
}

/** The sections that providers, routing and budgets depend on. */
const MODEL_SECTIONS: readonly (keyof Config)[] = [
  'providers',
  'models',
  'timeouts',
  'network',
  'routing',
  'fallback',
  'breaker',
  'budget',
  'limits',
  'locale',
];

/** A server that is looked for on this machine may have been started meanwhile. */
function concernsModels(applied: readonly string[], { providers }: Config): boolean {
  const { discover, baseUrl } = providers.custom;
  if (discover && baseUrl === '') return true;
  return applied.some((path) => MODEL_SECTIONS.includes(path.split('.', 1)[0] as keyof Config));
}

/** One audit row for each applied setting: its name, never its value. */
async function recordChanges(
  { applied }: AppliedChanges,
  by: ReloadTrigger,
  { config }: LoadedConfig,
  { calls, clock, newId }: ReloaderOptions,
): Promise<void> {
  const metadata = createMetadata(config, clock);
  await Promise.all(
    applied.map((path) =>
      calls.record({
        reqId: newId('req'),
        at: clock.now(),
        principal: OWNER.principal,
        agent: null,
        door: by,
        tool: `config_reload:${path}`,
        status: 'ok',
        errorClass: null,
        argsSha256: hash('sha256', path),
        elapsedMs: 0,
        metadata: metadata(),
      }),
    ),
  );
}
