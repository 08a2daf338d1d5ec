import type { Entry, Path } from './client.ts';
import { jsonFormat } from './json-format.ts';
import { tomlFormat } from './toml-format.ts';

/** How settings are written. Everything takes the whole text, and throws a SettingsFault if it is not of the format. */
export interface Format {
  /** The value at a path; nothing where there is none. */
  at(text: string, path: Path): unknown;
  /** The same text with an entry more, or with another in the place of one that is there. */
  set(text: string, path: Path, entry: Entry): string;
  /** The same text without what is at a path. */
  remove(text: string, path: Path): string;
  /** Everything but what is at a path, to be compared with isDeepStrictEqual. */
  rest(text: string, path: Path): unknown;
}

/** By what the client reads: `json` has neither comments nor trailing commas, `json-comments` only those, `jsonc` both. */
export type FormatName = 'json' | 'json-comments' | 'jsonc' | 'toml';

export const FORMATS: Readonly<Record<FormatName, Format>> = {
  json: jsonFormat('strict'),
  'json-comments': jsonFormat('comments'),
  jsonc: jsonFormat('lenient'),
  toml: tomlFormat,
};
