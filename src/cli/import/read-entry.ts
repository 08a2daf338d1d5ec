import { isAbsolute } from 'node:path';
import { findSettingsProblem, mapTexts, type ServerSettings } from './server-entry.ts';
import { toConfigText, UnknownReferenceError, type TextContext } from './server-texts.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What an entry of a client is for us. */
export type ReadEntry =
  | { readonly is: 'server'; readonly settings: ServerSettings; readonly notes: readonly string[] }
  /** `why` completes "it is left alone: …". */
  | { readonly is: 'unusable'; readonly why: string };

/**
 * Reads an entry of any client. Clients have different names for the same fields, and none has a
 * name for a different field, so that one reader is enough for all.
 */
export function readEntry(name: string, raw: unknown, context: TextContext): ReadEntry {
  if (!isFields(raw)) return { is: 'unusable', why: 'it is not an object' };
  try {
    const notes: string[] = [];
    const found = settingsOf(raw, notes);
    const settings = mapTexts(found, (text) => toConfigText(text, context));
    const problem = findSettingsProblem(safeName(name), settings);
    if (problem !== undefined) return { is: 'unusable', why: problem };
    return { is: 'server', settings, notes };
  } catch (thrown) {
    if (!(thrown instanceof UnknownReferenceError)) throw thrown;
    return { is: 'unusable', why: `it refers to ${thrown.reference}, which EX-AI does not have` };
  }
}

const MAX_NAME_CHARS = 64;

/** A name that config.json accepts. */
export function safeName(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replaceAll(/[^\w-]+/g, '-')
    .replaceAll(/^[-_]+|-+$/g, '')
    .slice(0, MAX_NAME_CHARS);
  return plain === '' ? 'server' : plain;
}

function settingsOf(raw: Fields, notes: string[]): ServerSettings {
  const program = programOf(raw);
  const url = textOf(raw, 'url', 'httpUrl', 'serverUrl', 'endpoint');
  const env = { ...textsOf(raw['env'] ?? raw['environment']), ...inherited(raw['env_vars']) };
  const headers = { ...textsOf(raw['headers'] ?? raw['http_headers']), ...headersOfVariables(raw) };
  const off = listOf(raw['disabledTools'] ?? raw['disabled_tools'] ?? raw['excludeTools']);
  const allowed = listOf(raw['includeTools'] ?? raw['enabled_tools']);
  const isOff = raw['disabled'] === true || raw['enabled'] === false;
  const cwd = textOf(raw, 'cwd');
  const settings: ServerSettings = {
    ...(isSse(raw) && { type: 'sse' }),
    ...program,
    ...(Object.keys(env).length > 0 && program.command !== undefined && { env }),
    ...(cwd !== undefined && isUsableFolder(cwd) && { cwd }),
    ...(url !== undefined && { url }),
    ...(Object.keys(headers).length > 0 && url !== undefined && { headers }),
    ...(isOff && { disabled: true as const }),
    ...(off.length > 0 && { disabledTools: off.filter(isToolPattern) }),
    ...timeoutsOf(raw),
  };
  if (allowed.length > 0) {
    notes.push(`its client allows only ${allowed.join(', ')}; EX-AI offers all of its tools`);
  }
  if (textOf(raw, 'envFile') !== undefined) {
    notes.push('its envFile is not read: write its variables to .env');
  }
  return settings;
}

/** Other types follow from the rest of the entry. */
function isSse(raw: Fields): boolean {
  return textOf(raw, 'type', 'transportType', 'transport')?.toLowerCase() === 'sse';
}

/** `command` may be the program, the whole command line, or an object with a path. */
function programOf(raw: Fields): Pick<ServerSettings, 'command' | 'args' | 'env'> {
  const { command } = raw;
  const more = listOf(raw['args']);
  if (isFields(command)) {
    const path = textOf(command, 'path', 'command');
    const env = textsOf(command['env']);
    return {
      ...(path !== undefined && { command: path }),
      ...withArgs(listOf(command['args'])),
      ...(Object.keys(env).length > 0 && { env }),
    };
  }
  const words = Array.isArray(command) ? listOf(command) : [];
  const program = typeof command === 'string' ? command : words[0];
  if (program === undefined || program === '') return {};
  return { command: program, ...withArgs([...words.slice(1), ...more]) };
}

function withArgs(args: readonly string[]): Pick<ServerSettings, 'args'> {
  return args.length > 0 ? { args } : {};
}

/** Names of variables that Codex passes on. */
function inherited(names: unknown): Record<string, string> {
  const all = Array.isArray(names) ? names : [];
  const texts = all.map((each: unknown) => (isFields(each) ? textOf(each, 'name') : each));
  return Object.fromEntries(
    texts.flatMap((each) => (typeof each === 'string' ? [[each, `\${${each}}`]] : [])),
  );
}

/** The fields of Codex that name variables instead of values. */
function headersOfVariables(raw: Fields): Record<string, string> {
  const bearer = textOf(raw, 'bearer_token_env_var');
  const named = Object.entries(textsOf(raw['env_http_headers']));
  return {
    ...Object.fromEntries(named.map(([header, variable]) => [header, `\${${variable}}`])),
    ...(bearer !== undefined && { Authorization: `Bearer \${${bearer}}` }),
  };
}

const SECOND_MS = 1_000;
const LONGEST_MS = 3_600_000;

/** Seconds for Codex and Cline, milliseconds for Gemini CLI and opencode. */
function timeoutsOf(raw: Fields): Pick<ServerSettings, 'startTimeoutMs' | 'callTimeoutMs'> {
  const start =
    milliseconds(raw['startup_timeout_sec'], SECOND_MS) ??
    milliseconds(raw['startup_timeout_ms'], 1);
  const { timeout } = raw;
  // No client waits a second at most, and none a day.
  const unit = Number(timeout) < SECOND_MS ? SECOND_MS : 1;
  const call = milliseconds(raw['tool_timeout_sec'], SECOND_MS) ?? milliseconds(timeout, unit);
  return {
    ...(start !== undefined && { startTimeoutMs: start }),
    ...(call !== undefined && { callTimeoutMs: call }),
  };
}

function milliseconds(value: unknown, unit: number): number | undefined {
  if (typeof value !== 'number' && typeof value !== 'bigint') return undefined;
  const ms = Math.round(Number(value) * unit);
  return ms >= 100 && ms <= LONGEST_MS ? ms : undefined;
}

/** A relative folder means that of the client. */
function isUsableFolder(text: string): boolean {
  return isAbsolute(text) || text.startsWith('${');
}

function isToolPattern(text: string): boolean {
  return /^[\w.*-]{1,128}$/.test(text);
}

function textOf(fields: Fields, ...names: readonly string[]): string | undefined {
  const found = names.map((name) => fields[name]).find((each) => typeof each === 'string');
  return found === undefined || found === '' ? undefined : (found as string);
}

function textsOf(value: unknown): Record<string, string> {
  if (!isFields(value)) return {};
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, each]) =>
      ['string', 'number', 'boolean', 'bigint'].includes(typeof each) ? [[name, String(each)]] : [],
    ),
  );
}

function listOf(value: unknown): string[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((each: unknown) =>
    ['string', 'number', 'boolean', 'bigint'].includes(typeof each) ? [String(each)] : [],
  );
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
