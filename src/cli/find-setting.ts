import { CONFIG_SCHEMA } from '#config/schema/settings.ts';
import { isGroup, type Setting } from '#config/schema/setting-schema.ts';
import { quoteName } from '#config/secrets/secret-guard.ts';
import { CallError } from '#core/errors/call-error.ts';
import { didYouMean } from '#core/text/text.ts';

/** The paths that shells complete. */
export const SETTING_PATHS: readonly string[] = CONFIG_SCHEMA.settings.map(({ path }) => path);

/**
 * The setting with this path, old path or environment variable (`GLM_API_URL`); throws with the
 * nearest one.
 */
export function requireSetting(path: string): Setting {
  const found =
    CONFIG_SCHEMA.find(path) ?? CONFIG_SCHEMA.findAlias(path) ?? settingOfVariable(path);
  if (found && !isGroup(found)) return found;
  throw unknownSetting(path);
}

/** The settings of a section or a single setting. */
export function settingsUnder(path: string, known: readonly string[]): readonly string[] {
  const found = known.filter((each) => each === path || each.startsWith(`${path}.`));
  return found.length > 0 ? found : [requireSetting(path).path];
}

function settingOfVariable(name: string): Setting | undefined {
  return CONFIG_SCHEMA.settings.find(({ variables }) =>
    variables.some((variable) => variable.name === name && variable.unit === undefined),
  );
}

function unknownSetting(path: string): CallError {
  const below = SETTING_PATHS.filter((each) => each.startsWith(`${path}.`));
  if (below.length > 0) {
    return new CallError('validation', `${quoteName(path)} is a section, not a setting.`, {
      field: 'setting',
      fix: `Use one of ${below.slice(0, MAX_LISTED).join(', ')}.`,
    });
  }
  const near = didYouMean(path, SETTING_PATHS) || '.';
  return new CallError('validation', `${quoteName(path)} is not a setting${near}`, {
    field: 'setting',
    fix: 'exai config show lists every setting.',
  });
}

const MAX_LISTED = 12;
