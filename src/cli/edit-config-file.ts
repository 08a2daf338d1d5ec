import type { Home } from '#config/home/home.ts';
import { prepareHome } from '#config/home/home.ts';
import { withFileLock } from '#config/home/file-lock.ts';
import { CallError } from '#core/errors/call-error.ts';
import { SETTINGS_FORMATS, withEntry, withoutEntry } from './init/edit-settings.ts';
import {
  createSettingsFile,
  encodeSettings,
  readSettingsFile,
  replaceSettingsFile,
} from './init/settings-file.ts';
import { settingsError } from './init/settings-syntax-error.ts';

const FORMAT = SETTINGS_FORMATS.json;

/** Sets one value in config.json and leaves every other byte as it is. */
export function setInConfigFile(home: Home, path: string, value: unknown): 'changed' | 'unchanged' {
  return editConfigFile(home, (text) => withEntry(FORMAT, text, keysOf(path), value).text);
}

/** Sets several values in one write. */
export function setAllInConfigFile(
  home: Home,
  values: readonly (readonly [path: string, value: unknown])[],
): 'changed' | 'unchanged' {
  return editConfigFile(home, (text) =>
    values.reduce((done, [path, value]) => withEntry(FORMAT, done, keysOf(path), value).text, text),
  );
}

/** Removes values, with the sections that they leave empty. */
export function unsetInConfigFile(home: Home, paths: readonly string[]): 'changed' | 'unchanged' {
  return editConfigFile(home, (text) =>
    paths.reduce((left, path) => {
      const keys = keysOf(path);
      if (FORMAT.at(left, keys) === undefined) return left;
      return withoutEntry(FORMAT, left, keys, [keys[0]]);
    }, text),
  );
}

function keysOf(path: string): readonly [string, ...string[]] {
  const [first = '', ...others] = path.split('.');
  return [first, ...others];
}

const NEW_FILE_MODE = 0o600;

function editConfigFile(home: Home, edit: (text: string) => string): 'changed' | 'unchanged' {
  const file = home.configFile;
  prepareHome(home);
  return withFileLock(file, () => {
    try {
      const before = readSettingsFile(file);
      const text = before?.text ?? '';
      const edited = edit(text);
      if (edited === text) return 'unchanged';
      const bytes = encodeSettings(edited, before?.mark ?? 'none');
      if (before) replaceSettingsFile(before, bytes);
      else createSettingsFile(file, bytes, NEW_FILE_MODE);
      return 'changed';
    } catch (thrown) {
      throw withOwnFix(settingsError(thrown, file), file);
    }
  });
}

/** The functions for files of clients advise to run `exai init` again. */
function withOwnFix(error: CallError, file: string): CallError {
  return new CallError(error.class, error.message, {
    field: file,
    fix: `Correct ${file}, then run the command again. Nothing was written to it.`,
    cause: error,
  });
}
