import { FREE_NAME } from '#config/schema/fields.schema.ts';
import { mcpServers } from '#config/schema/sections/hub.schema.ts';
import { CallError } from '#core/errors/call-error.ts';
import { hidingOf } from '#core/secrets/secret-names.ts';
import { didYouMean, oneLine } from '#core/text/text.ts';

/** The options of `exai servers add`. */
export interface NewServerOptions {
  readonly url?: string;
  readonly type?: string;
  readonly env?: readonly string[];
  readonly header?: readonly string[];
  readonly cwd?: string;
}

/** The entry of `mcpServers`, with the fields that were given. */
export type NewServer = Readonly<Record<string, unknown>>;

const MAX_SHOWN_CHARS = 100;
const REFERENCE = /\$\{[A-Za-z_]\w*\}/;

/** How searches name the tools of EX-AI itself. */
const OWN_NAME = 'exai';

/** Refuses a name that no entry of `mcpServers` may have, before anything is written. */
export function requireServerName(name: string): void {
  const checked = FREE_NAME.safeParse(name);
  const problem = checked.success ? undefined : checked.error.issues[0]?.message;
  const isOwn = name === OWN_NAME;
  if (problem === undefined && !isOwn) return;
  const shown = oneLine(name, MAX_SHOWN_CHARS);
  const why = isOwn ? 'is that of the built-in tools' : (problem ?? 'is not valid');
  throw new CallError('validation', `The name "${shown}" ${why}.`, {
    field: 'name',
    fix: 'Choose another name.',
  });
}

/** The error of a name without a command or a URL, which no preset has. */
export function unknownPreset(name: string, presets: readonly string[]): CallError {
  const near = didYouMean(name, presets) || '.';
  return new CallError('bad_request', `No preset has the name "${name}"${near}`, {
    field: 'name',
    fix: `Give a command or a URL: exai servers add ${name} npx -y PACKAGE, or exai servers add ${name} --url https://…; exai servers presets lists the presets.`,
  });
}

/**
 * Reads the words of the command line as an entry; throws an error that names the option. Options
 * add to a preset.
 */
export function readNewServer(
  name: string,
  { url, type, env = [], header = [], cwd }: NewServerOptions,
  words: readonly string[],
  preset?: NewServer,
): NewServer {
  const [command, ...args] = words;
  if (preset === undefined && (command === undefined) === (url === undefined)) {
    throw new CallError('bad_request', 'A server needs a command or --url, and not both.', {
      field: 'command',
      fix: `exai servers add ${name} -- npx -y PACKAGE, or exai servers add ${name} --url https://…`,
    });
  }
  const variables = Object.fromEntries(env.map(readVariable));
  const headers = Object.fromEntries(header.map(readHeader));
  const entry: NewServer = {
    ...preset,
    ...(type !== undefined && { type }),
    ...(command !== undefined && { command }),
    ...(args.length > 0 && { args }),
    ...(env.length > 0 && { env: { ...(preset?.['env'] as object | undefined), ...variables } }),
    ...(cwd !== undefined && { cwd }),
    ...(url !== undefined && { url }),
    ...(header.length > 0 && {
      headers: { ...(preset?.['headers'] as object | undefined), ...headers },
    }),
  };
  const checked = mcpServers.safeParse({ [name]: entry });
  if (checked.success) return entry;
  const [problem] = checked.error.issues;
  const [, field = 'name'] = problem?.path.map(String) ?? [];
  throw new CallError('validation', `${field} of the server: ${problem?.message ?? 'invalid'}.`, {
    field,
    fix: 'exai servers add --help has examples.',
  });
}

/** `NAME` refers to the variable of that name; `NAME=value` sets it. */
function readVariable(text: string): readonly [string, string] {
  const at = text.indexOf('=');
  if (at < 0) return [text, `\${${text}}`];
  const variable = text.slice(0, at);
  const value = text.slice(at + 1);
  refuseSecret(variable, value, '--env', `--env ${variable}`);
  return [variable, value];
}

/** `Name: value`. */
function readHeader(text: string): readonly [string, string] {
  const at = text.indexOf(':');
  if (at < 1) {
    throw new CallError('validation', 'A header has the form "Name: value".', {
      field: '--header',
      fix: "Example: --header 'Authorization: Bearer ${GITHUB_TOKEN}'",
    });
  }
  const header = text.slice(0, at).trim();
  const value = text.slice(at + 1).trim();
  refuseSecret(header, value, '--header', `--header '${header}: \${NAME}'`);
  return [header, value];
}

/** Keys are in .env, which only the owner reads; config.json refers to them. */
function refuseSecret(name: string, value: string, field: string, instead: string): void {
  if (hidingOf(name) === 'nothing' || REFERENCE.test(value) || value === '') return;
  const message = `The value of ${oneLine(name, MAX_SHOWN_CHARS)} looks like a secret, which is not stored in config.json.`;
  throw new CallError('validation', message, {
    field,
    fix: `Write NAME=… to EXAI_HOME/.env, then give: ${instead}`,
  });
}

const DOWNLOADERS: Readonly<Record<string, string>> = {
  npx: 'npm',
  pnpx: 'npm',
  bunx: 'npm',
  uvx: 'PyPI',
  pipx: 'PyPI',
  docker: 'a container registry',
};

/** What a command downloads before it runs; undefined if nothing is known. */
export function describeDownload({ command }: NewServer): string | undefined {
  const program = typeof command === 'string' ? (command.split(/[\\/]/).at(-1) ?? '') : '';
  const from = DOWNLOADERS[program.replace(/\.(?:cmd|exe)$/i, '')];
  if (from === undefined) return undefined;
  return `${program} downloads code from ${from} and runs it as you when the server starts.`;
}
