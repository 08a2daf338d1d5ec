import type { ChangedSetting } from '#config/load/changed-settings.ts';
import { CHANGED_SETTINGS_METHOD, type ChangedSettingsAnswer } from '../admin/account-methods.ts';
import { RESTART_COMMAND } from '../settings/reload-answer.ts';
import { requestFromDaemon, type CheckContext, type RunCheck } from './check.ts';

/** The command that gives changed settings to the running daemon. */
export const RELOAD_COMMAND = 'exai config reload';

const MAX_NAMED = 5;

/** Settings that were changed since the running daemon loaded them. */
export const checkOlderSettings: RunCheck = async ({ changed }) => {
  const changes = await changed();
  if (changes.length === 0) return [];
  const names = changes.map(({ path, key }) => (key === undefined ? path : `the key of ${key}`));
  const others = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : '';
  const list = `${names.slice(0, MAX_NAMED).join(', ')}${others}`;
  const isReloadable = changes.every(({ applies }) => applies.at === 'reload');
  return [
    {
      id: 'older_settings',
      title: 'Settings',
      status: 'warn',
      detail: `the running daemon has older settings; changed since it loaded them: ${list}`,
      fix: isReloadable ? RELOAD_COMMAND : RESTART_COMMAND,
    },
  ];
};

/** Empty if no daemon runs, and while the settings are invalid, which another check reports. */
export async function fetchChangedSettings(
  context: Pick<CheckContext, 'daemon' | 'readiness' | 'home' | 'env' | 'system'>,
): Promise<readonly ChangedSetting[]> {
  try {
    const response = await requestFromDaemon(context, (ask) => ask(CHANGED_SETTINGS_METHOD, {}));
    return (response as ChangedSettingsAnswer | undefined)?.changed ?? [];
  } catch {
    return [];
  }
}
