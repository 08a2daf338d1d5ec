import { SETTINGS_FORMATS, withoutEntry } from '../init/edit-settings.ts';
import { encodeSettings, type SettingsFile } from '../init/settings-file.ts';
import type { KeyPath } from '../init/client-definition.ts';
import { settingsError } from '../init/settings-syntax-error.ts';
import type { CallError } from '#core/errors/call-error.ts';
import type { ReadSource, ServerSource } from './found-servers.ts';
import type { PlannedServer } from './plan-import.ts';

/** What `--move` does to the file of a client. */
export type PlannedMove = { readonly source: ServerSource } & (
  | {
      readonly is: 'remove';
      readonly found: SettingsFile;
      readonly paths: readonly KeyPath[];
      /** The names of the entries in the client. */
      readonly names: readonly string[];
      readonly bytes: Buffer;
    }
  /** It does not use EX-AI, and would lose the servers. */
  | { readonly is: 'not_connected'; readonly names: readonly string[] }
  | { readonly is: 'refused'; readonly error: CallError }
);

/** The clients whose direct entries are behind EX-AI after the import. */
export function planMoves(
  sources: readonly ReadSource[],
  planned: readonly PlannedServer[],
): readonly PlannedMove[] {
  const behindUs = planned.filter(({ is }) => is === 'add' || is === 'present');
  const ours = planned.filter(({ is }) => is === 'exai');
  return sources.flatMap((read): PlannedMove[] => {
    if (read.is !== 'read') return [];
    const { source, found } = read;
    const entries = behindUs
      .flatMap((server) => server.found)
      .filter((each) => each.source.file === source.file);
    if (entries.length === 0) return [];
    const names = [...new Set(entries.map(({ name }) => name))];
    const isConnected = ours.some((server) =>
      server.found.some((each) => each.source.file === source.file),
    );
    if (!isConnected) return [{ source, is: 'not_connected', names }];
    const paths = entries.map(({ path }) => path);
    try {
      const format = SETTINGS_FORMATS[source.format];
      const text = paths.reduce((left, path) => withoutEntry(format, left, path, path), found.text);
      return [
        { source, is: 'remove', found, paths, names, bytes: encodeSettings(text, found.mark) },
      ];
    } catch (thrown) {
      return [{ source, is: 'refused', error: settingsError(thrown, source.file) }];
    }
  });
}
