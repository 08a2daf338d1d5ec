import { withFileLock } from '#config/home/file-lock.ts';
import type { Home } from '#config/home/home.ts';
import { parseDotenv } from '#config/load/dotenv.ts';
import { createReport } from '#config/load/report.ts';
import { editEnvFile, removeVariable } from '#config/secrets/dotenv-edit.ts';
import { CallError } from '#core/errors/call-error.ts';
import { unsetInConfigFile } from '../edit-config-file.ts';
import { SETTINGS_FORMATS, withEntry } from '../init/edit-settings.ts';
import {
  encodeSettings,
  readSettingsFile,
  replaceSettingsFile,
  sha256,
  type SettingsFile,
} from '../init/settings-file.ts';
import { settingsError } from '../init/settings-syntax-error.ts';
import {
  digestOf,
  loadImportRecords,
  prepareImportRecords,
  readMovedBackup,
  saveImportRecords,
  type ImportRecord,
  type MovedFile,
} from './import-records.ts';
import { asConfigured } from './plan-import.ts';
import { variablesOfServer } from './server-entry.ts';

/** What undo does with one file of a client. */
export type FileUndo = { readonly file: MovedFile } &
  /** Its bytes as they were. */
  (
    | { readonly is: 'restore'; readonly found: SettingsFile; readonly bytes: Buffer }
    /** It was changed since: the entries are added to it. */
    | { readonly is: 'add_back'; readonly found: SettingsFile; readonly bytes: Buffer }
    | { readonly is: 'unchanged' }
    | { readonly is: 'refused'; readonly error: CallError }
  );

export interface ImportUndoPlan {
  /** The newest run; undo takes back one run at a time. */
  readonly record: ImportRecord;
  readonly files: readonly FileUndo[];
  /** Servers that are still as they were imported. */
  readonly servers: readonly string[];
  /** Servers that were changed since, which stay. */
  readonly kept: readonly string[];
  readonly variables: readonly string[];
}

/** What would be undone; undefined if there is nothing. */
export function planImportUndo(home: Home): ImportUndoPlan | undefined {
  const record = loadImportRecords(home).at(-1);
  if (!record) return undefined;
  const text = readSettingsFile(home.configFile)?.text ?? '{}';
  const raw = SETTINGS_FORMATS.json.at(text, ['mcpServers']);
  const configured = (raw ?? {}) as Readonly<Record<string, unknown>>;
  const there = record.servers.filter(({ name }) => Object.hasOwn(configured, name));
  const isOurs = ({ name, digest }: { name: string; digest: string }) =>
    digestOf(configured[name]) === digest;
  const servers = there.filter(isOurs).map(({ name }) => name);
  const others = Object.entries(asConfigured(raw)).filter(([name]) => !servers.includes(name));
  const inUse = new Set(others.flatMap(([, settings]) => variablesOfServer(settings)));
  const stored = storedVariables(home);
  return {
    record,
    files: record.files.map(planFileUndo),
    servers,
    kept: there.filter((each) => !isOurs(each)).map(({ name }) => name),
    variables: record.variables
      .filter(({ name, digest }) => digestOf(stored.get(name)) === digest && !inUse.has(name))
      .map(({ name }) => name),
  };
}

/** The variables of .env; a malformed line hides no other. */
export function storedVariables(home: Home): ReadonlyMap<string, string> {
  const text = readSettingsFile(home.envFile)?.text ?? '';
  const variables = parseDotenv(home.envFile, text, createReport());
  return new Map([...variables].map(([name, { value }]) => [name, value]));
}

function planFileUndo(file: MovedFile): FileUndo {
  try {
    const found = readSettingsFile(file.file);
    const original = readMovedBackup(file);
    if (!original) throw backupError(file);
    if (!found) throw missingError(file);
    const now = sha256(found.bytes);
    if (now === file.before) return { file, is: 'unchanged' };
    if (now === file.after) return { file, is: 'restore', found, bytes: original };
    const bytes = withEntries(file, found, original);
    return bytes.equals(found.bytes)
      ? { file, is: 'unchanged' }
      : { file, is: 'add_back', found, bytes };
  } catch (thrown) {
    return { file, is: 'refused', error: settingsError(thrown, file.file) };
  }
}

/** Entries that the user has added again since are left as they are. */
function withEntries({ format: name, paths }: MovedFile, found: SettingsFile, original: Buffer) {
  const format = SETTINGS_FORMATS[name];
  const before = original.toString().replace(/^\uFEFF/, '');
  const text = paths.reduce((done, path) => {
    if (format.at(done, path) !== undefined) return done;
    return withEntry(format, done, path, format.at(before, path)).text;
  }, found.text);
  return encodeSettings(text, found.mark);
}

function backupError({ file, backup }: MovedFile): CallError {
  const message = `The backup of ${file} is missing or was changed.`;
  return new CallError('not_found', message, {
    field: backup,
    fix: `Add the entries to ${file} by hand; exai servers list names them.`,
  });
}

function missingError({ file, backup }: MovedFile): CallError {
  return new CallError('not_found', `${file} is no longer there.`, {
    field: file,
    fix: `Its earlier content is in ${backup}.`,
  });
}

/** Undoes a plan; the failure of one file does not stop the others. */
export function runImportUndo(home: Home, plan: ImportUndoPlan): readonly FileUndo[] {
  return withFileLock(prepareImportRecords(home), () => {
    const files = plan.files.map(undoFile);
    unsetInConfigFile(
      home,
      plan.servers.map((name) => `mcpServers.${name}`),
    );
    editEnvFile(home.envFile, (text) => removeVariable(text, plan.variables));
    const refused = files.flatMap(({ is, file }) => (is === 'refused' ? [file] : []));
    const earlier = loadImportRecords(home).filter(({ at }) => at !== plan.record.at);
    // What could not be put back can be tried again.
    const left = { ...plan.record, servers: [], variables: [], files: refused };
    saveImportRecords(home, refused.length > 0 ? [...earlier, left] : earlier);
    return files;
  });
}

function undoFile(undo: FileUndo): FileUndo {
  if (undo.is !== 'restore' && undo.is !== 'add_back') return undo;
  try {
    replaceSettingsFile(undo.found, undo.bytes);
    return undo;
  } catch (thrown) {
    const error = CallError.from(thrown);
    if (error.class === 'internal') throw thrown;
    return { file: undo.file, is: 'refused', error };
  }
}
