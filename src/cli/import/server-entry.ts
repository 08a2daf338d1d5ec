import { mcpServers } from '#config/schema/sections/hub.schema.ts';
import { textPartsOf, resolveText, variablesOf } from './server-texts.ts';

/** An entry of `mcpServers` as it is written to config.json, with `${NAME}` for variables. */
export interface ServerSettings {
  readonly type?: string;
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly disabled?: true;
  readonly disabledTools?: readonly string[];
  readonly startTimeoutMs?: number;
  readonly callTimeoutMs?: number;
}

/** Every text of an entry, rewritten by a function that knows its place. */
export function mapTexts(
  settings: ServerSettings,
  change: (text: string, place: TextPlace) => string,
): ServerSettings {
  const { command, args, env, cwd, url, headers } = settings;
  const changeAll = (texts: Readonly<Record<string, string>>, field: 'env' | 'headers') =>
    Object.fromEntries(
      Object.entries(texts).map(([name, text]) => [name, change(text, { field, name })]),
    );
  return {
    ...settings,
    ...(command !== undefined && { command: change(command, { field: 'command' }) }),
    ...(args && { args: args.map((text, index) => change(text, { field: 'args', index })) }),
    ...(env && { env: changeAll(env, 'env') }),
    ...(cwd !== undefined && { cwd: change(cwd, { field: 'cwd' }) }),
    ...(url !== undefined && { url: change(url, { field: 'url' }) }),
    ...(headers && { headers: changeAll(headers, 'headers') }),
  };
}

export type TextPlace =
  | { readonly field: 'command' | 'cwd' | 'url' }
  | { readonly field: 'args'; readonly index: number }
  | { readonly field: 'env' | 'headers'; readonly name: string };

type LookUp = (name: string) => string | undefined;

/** What makes two entries the same server: what is started or reached, and with which values. */
export function identityOfServer(settings: ServerSettings, lookUp: LookUp): string {
  const { command, args, env, cwd, url, headers } = mapTexts(settings, (text) =>
    resolveText(text, lookUp),
  );
  const sorted = (texts: Readonly<Record<string, string>> = {}) =>
    Object.entries(texts).toSorted(([one], [other]) => (one < other ? -1 : 1));
  const address = url?.replace(/\/+$/, '');
  return JSON.stringify([
    command ?? '',
    args ?? [],
    sorted(env),
    cwd ?? '',
    address ?? '',
    sorted(headers),
  ]);
}

/** The variables that an entry refers to. */
export function variablesOfServer(settings: ServerSettings): readonly string[] {
  const names: string[] = [];
  mapTexts(settings, (text) => {
    names.push(...variablesOf(text));
    return text;
  });
  return [...new Set(names)];
}

/** Why an entry cannot be one of config.json; undefined if it can. */
export function findSettingsProblem(name: string, settings: ServerSettings): string | undefined {
  const { command, url } = settings;
  if ((command === undefined) === (url === undefined)) {
    return command === undefined
      ? 'it has neither a command nor a URL'
      : 'it has a command and a URL';
  }
  // A variable may hold any value, also the begin of a URL.
  const checked = mapTexts(settings, (text, { field }) => {
    const [first] = textPartsOf(text);
    if (field === 'url' && first?.is === 'reference') return 'https://variable.example';
    return resolveText(text, () => 'x');
  });
  const result = mcpServers.safeParse({ [name]: checked });
  if (result.success) return undefined;
  const [problem] = result.error.issues;
  const field = problem?.path[1];
  return `${field === undefined ? 'its name' : `its ${String(field)}`} ${problem?.message ?? 'is not valid'}`;
}
