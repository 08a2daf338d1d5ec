import { describeOrigin } from '#config/load/origin.ts';
import type { AdminMethods } from '#transport/admin/admin-methods.ts';
import type { Reloader } from './reload.ts';
import { RELOAD_METHOD, type ReloadAnswer } from './reload-answer.ts';
import type { RunningSettings } from './running-settings.ts';

const MAX_PATHS = 100;

/** The reload, for the owner. */
export function reloadMethod(reloader: Reloader, settings: RunningSettings): AdminMethods {
  return {
    [RELOAD_METHOD]: async (params): Promise<ReloadAnswer> => {
      const paths = readPaths(params);
      const changes = await reloader.reload('unix');
      return { ...changes, overridden: findOverridden(paths, settings) };
    },
  };
}

function readPaths(params: unknown): readonly string[] {
  const { paths } = (params ?? {}) as { readonly paths?: unknown };
  return Array.isArray(paths) ? paths.slice(0, MAX_PATHS).map(String) : [];
}

function findOverridden(
  paths: readonly string[],
  settings: RunningSettings,
): ReloadAnswer['overridden'] {
  const { origins } = settings.current();
  return paths.flatMap((path) => {
    const origin = origins.get(path);
    const isStronger = origin && origin.kind !== 'file' && origin.kind !== 'default';
    return isStronger ? [{ path, source: origin.kind, by: describeOrigin(origin) }] : [];
  });
}
