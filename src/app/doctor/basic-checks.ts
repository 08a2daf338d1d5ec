import { existsSync, statfsSync, statSync } from 'node:fs';
import { isOpenToOthers } from '#config/home/home.ts';
import type { Origin } from '#config/load/load.ts';
import { existingParent, isUsable } from '#config/home/usable-home.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { Notice } from '#core/messages/notices.ts';
import { baseRenderer } from '#core/messages/render.ts';
import { shellQuote } from '#core/text/text.ts';
import { createTimestamps } from '#core/time/timestamps.ts';
import { storeSchema } from '#store/backup/maintenance.ts';
import { MIGRATIONS } from '#store/migrations/migrations.ts';
import { backupsIn, sqliteFile } from '#store/sqlite/file.ts';
import { failedCheck, type Check, type CheckContext, type RunCheck } from './check.ts';

/** Silent unless configured: most machines send no spans. */
export const checkTracing: RunCheck = ({ loaded }) => {
  if (loaded instanceof CallError) return [];
  const { endpoint, tracesEndpoint, logfireToken } = loaded.config.tracing;
  const collector = tracesEndpoint || endpoint;
  if (collector === '' && logfireToken === '') return [];
  const where = collector === '' ? 'Logfire' : addressOf(new URL(collector));
  return [{ id: 'tracing', title: 'Tracing', status: 'ok', detail: `configured: ${where}` }];
};

function addressOf({ hostname, port, protocol }: URL): string {
  return `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`;
}

const DAY_MS = 86_400_000;

export const checkBackups: RunCheck = (context) => {
  const { home, system } = context;
  const check = { id: 'backup', title: 'Last backup' } as const;
  const newest = backupsIn(home.backupDir).at(-1);
  if (newest === undefined) {
    if (!hasDatabase(context)) return [];
    return [{ ...check, status: 'off', detail: 'none', fix: 'exai backup' }];
  }
  const days = Math.floor((system.clock.now() - statSync(newest).mtimeMs) / DAY_MS);
  const age = days < 1 ? 'today' : `${days} day${days === 1 ? '' : 's'} ago`;
  return [{ ...check, status: 'ok', detail: `${age}, in ${home.backupDir}` }];
};

function hasDatabase({ loaded, home }: CheckContext): boolean {
  const isPostgres = !(loaded instanceof CallError) && loaded.config.database !== '';
  return isPostgres || existsSync(sqliteFile(home.dataDir));
}

export const checkConfiguration: RunCheck = ({ loaded, home, configFile }) => {
  const check = { id: 'config', title: 'Configuration' } as const;
  if (loaded instanceof CallError) return [failedCheck(check, loaded)];
  const [first, ...others] = loaded.notices.filter(({ code }) => !RENAMED.has(code));
  if (first) {
    const more = others.length > 0 ? ` (and ${others.length} more: exai config show)` : '';
    return [{ ...check, status: 'warn', detail: `${baseRenderer.notice(first)}${more}` }];
  }
  const places = [
    ...[configFile, home.envFile].filter((file) => existsSync(file)),
    ...fromEnvironment([...loaded.origins.values()]),
  ];
  const detail = places.length === 0 ? 'defaults' : places.join(', ');
  return [{ ...check, status: 'ok', detail }];
};

const RENAMED: ReadonlySet<Notice['code']> = new Set(['setting_renamed', 'variable_renamed']);

/** Settings in use under an old name, each with its current name. */
export const checkSettingNames: RunCheck = ({ loaded }) => {
  if (loaded instanceof CallError) return [];
  const renamed = loaded.notices.filter(({ code }) => RENAMED.has(code));
  if (renamed.length === 0) return [];
  const detail = renamed.map((each) => baseRenderer.notice(each)).join(' ');
  return [{ id: 'setting_names', title: 'Setting names', status: 'warn', detail }];
};

function fromEnvironment(origins: readonly Origin[]): string[] {
  const count = origins.filter(({ kind }) => kind === 'env').length;
  if (count === 0) return [];
  return [`${count} setting${count === 1 ? '' : 's'} from the environment`];
}

/**
 * Checks that the home folder exists, is usable and private. Changes nothing; the daemon creates
 * what is missing.
 */
export const checkHomeFolder: RunCheck = ({ home: { root } }) => {
  const check = { id: 'home', title: 'Home' } as const;
  const nearest = existingParent(root);
  if (!isUsable(nearest)) {
    return [
      {
        ...check,
        status: 'fail',
        detail: `${root} cannot be written`,
        fix: 'Make it writable for you, or set EXAI_HOME to a folder that is.',
      },
    ];
  }
  if (nearest !== root) return [{ ...check, status: 'ok', detail: `${root}, made at first start` }];
  return [{ ...check, ...privacy(root) }];
};

function privacy(root: string): Pick<Check, 'status' | 'detail' | 'fix'> {
  if (!isOpenToOthers(statSync(root).mode)) return { status: 'ok', detail: root };
  return {
    status: 'warn',
    detail: `${root} can be read by other users`,
    fix: `chmod 700 ${shellQuote(root)}`,
  };
}

/** Asks a running daemon; otherwise the store is read without creating, migrating or writing it. */
export const checkStore: RunCheck = async ({ loaded, readiness, home }) => {
  const check = { id: 'store', title: 'Store' } as const;
  if (readiness?.store?.ok) {
    const { kind, schemaVersion: schema } = readiness.store;
    return [{ ...check, status: 'ok', detail: `${kind}, schema ${schema}` }];
  }
  if (loaded instanceof CallError) return [];
  try {
    const { database } = loaded.config;
    const kind = database === '' ? 'sqlite' : 'postgres';
    const schema = await storeSchema({
      database,
      dataDir: home.dataDir,
      backupDir: home.backupDir,
    });
    return [{ ...check, status: 'ok', detail: `${kind}, ${describeSchema(schema)}` }];
  } catch (thrown) {
    return [failedCheck(check, thrown)];
  }
};

function describeSchema(version: number): string {
  if (version === 0) return 'made at first start';
  const later = version < MIGRATIONS.length ? ', brought up to date at the next start' : '';
  return `schema ${version}${later}`;
}

const LOW_BYTES = 1024 ** 3;
const NO_BYTES = 64 * 1024 ** 2;

/** Reports the Node.js version, which bin/exai.cjs has accepted already. */
export const checkNode: RunCheck = () => [
  {
    id: 'node',
    title: 'Node.js',
    status: 'ok',
    detail: `${process.version} on ${process.platform}-${process.arch}`,
  },
];

export const checkDisk: RunCheck = ({ home }) => {
  const { blocks, bavail, bsize } = statfsSync(existingParent(home.root));
  // Some file systems report no sizes.
  if (blocks === 0) return [];
  const free = bavail * bsize;
  const status = free < NO_BYTES ? 'fail' : free < LOW_BYTES ? 'warn' : 'ok';
  const check: Check = { id: 'disk', title: 'Disk', status, detail: `${readable(free)} free` };
  return [status === 'ok' ? check : { ...check, fix: `Free some space for ${home.root}.` }];
};

export const checkTimeZone: RunCheck = ({ loaded, system }) => {
  if (loaded instanceof CallError) return [];
  const { timezone } = loaded.config;
  // In the format of the logs.
  const { timestamp_local: now } = createTimestamps(timezone)(system.clock.now());
  return [{ id: 'time_zone', title: 'Time zone', status: 'ok', detail: `${timezone}, now ${now}` }];
};

function readable(bytes: number): string {
  return bytes >= LOW_BYTES
    ? `${(bytes / 1024 ** 3).toFixed(1)} GiB`
    : `${(bytes / 1024 ** 2).toFixed(0)} MiB`;
}
