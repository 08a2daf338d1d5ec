import type { ChangedSetting } from '#config/load/changed-settings.ts';
import type { OriginKind } from '#config/load/origin.ts';
import type { RestartReason } from '#config/schema/setting-meta.ts';

/** Loads the sources of the settings again and applies what changed. Unix socket, owner alone. */
export const RELOAD_METHOD = 'exai/config/reload';

/** The command for settings that apply only when the daemon starts. */
export const RESTART_COMMAND = 'exai restart';

/** A changed setting that the daemon still runs without. */
export interface RestartNeeded {
  readonly path: string;
  readonly reason: RestartReason;
}

/** A setting whose value in the daemon comes from a stronger source than config.json. */
export interface OverriddenSetting {
  readonly path: string;
  readonly source: OriginKind;
  /** The source for display, such as `EXAI_PORT in /home/me/.exai/.env:3`. */
  readonly by: string;
}

export interface ReloadAnswer {
  /** Settings that are in effect now; names alone. */
  readonly applied: readonly string[];
  readonly restart: readonly RestartNeeded[];
  /** Where requested settings come from that neither config.json nor a default sets. */
  readonly overridden: readonly OverriddenSetting[];
}

/** Sorts changed settings by when they apply. */
export function sortChanges(
  changed: readonly ChangedSetting[],
): Pick<ReloadAnswer, 'applied' | 'restart'> {
  return {
    applied: changed.flatMap(({ path, applies }) => (applies.at === 'reload' ? [path] : [])),
    restart: changed.flatMap(({ path, applies }) =>
      applies.at === 'restart' ? [{ path, reason: applies.reason }] : [],
    ),
  };
}
