import { withFileLock } from '#config/home/file-lock.ts';
import { prepareHome, type Home } from '#config/home/home.ts';
import { editEnvFile, setVariable } from '#config/secrets/dotenv-edit.ts';
import { CallError } from '#core/errors/call-error.ts';
import { setAllInConfigFile } from '../edit-config-file.ts';
import { replaceSettingsFile, sha256 } from '../init/settings-file.ts';
import {
  digestOf,
  loadImportRecords,
  prepareImportRecords,
  saveImportRecords,
  saveMovedBackup,
  type ImportRecord,
  type MovedFile,
} from './import-records.ts';
import type { PlannedMove } from './move-entries.ts';
import type { PlannedServer } from './plan-import.ts';

type Addition = Extract<PlannedServer, { is: 'add' }>;
type Removal = Extract<PlannedMove, { is: 'remove' }>;

/** A file of a client that could not be changed. */
export interface FailedMove {
  readonly move: Removal;
  readonly error: CallError;
}

/**
 * Writes .env, then config.json, then the files of clients, so that a server is behind EX-AI before
 * it is removed elsewhere. What is about to change is recorded first: undo works after a crash.
 */
export function runImport(
  home: Home,
  additions: readonly Addition[],
  moves: readonly Removal[],
  at: string,
): readonly FailedMove[] {
  prepareHome(home);
  return withFileLock(prepareImportRecords(home), () => {
    const earlier = loadImportRecords(home);
    const hidden = additions.flatMap((each) => each.hidden);
    const record: ImportRecord = {
      at,
      servers: additions.map(({ name, settings }) => ({ name, digest: digestOf(settings) })),
      variables: hidden.map(({ variable, value }) => ({
        name: variable,
        digest: digestOf(value),
      })),
      files: moves.map((move) => backUp(home, move)),
    };
    saveImportRecords(home, [...earlier, record]);
    if (hidden.length > 0) {
      editEnvFile(home.envFile, (text) =>
        hidden.reduce((done, { variable, value }) => setVariable(done, [variable], value), text),
      );
    }
    if (additions.length > 0) {
      const values = additions.map(
        ({ name, settings }) => [`mcpServers.${name}`, settings] as const,
      );
      setAllInConfigFile(home, values);
    }
    const failed = moves.flatMap((move) => removeEntries(move));
    if (failed.length > 0) {
      const lost = new Set(failed.map(({ move }) => move.source.file));
      const files = record.files.filter(({ file }) => !lost.has(file));
      saveImportRecords(home, [...earlier, { ...record, files }]);
    }
    return failed;
  });
}

function backUp(home: Home, { source, found, paths, bytes }: Removal): MovedFile {
  const { id, file, format } = source;
  return {
    client: id,
    file,
    format,
    paths,
    backup: saveMovedBackup(home, id, file, found.bytes),
    before: sha256(found.bytes),
    after: sha256(bytes),
  };
}

function removeEntries(move: Removal): FailedMove[] {
  try {
    replaceSettingsFile(move.found, move.bytes);
    return [];
  } catch (thrown) {
    const error = CallError.from(thrown);
    if (error.class === 'internal') throw thrown;
    return [{ move, error }];
  }
}
