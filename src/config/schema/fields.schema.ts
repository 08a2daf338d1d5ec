import { isAbsolute } from 'node:path';
import * as z from 'zod';
import { parseAgentRow } from '#core/auth/agent-row.ts';
import { isUrl } from '#core/net/is-url.ts';
import { isTimeZone } from './time-zone.ts';
import { parseUrl } from '../secrets/url.ts';

// The types of setting values. Their messages complete the sentence "<setting> …", which the loader
// ends with the source and the value there.

const A_TEXT = { error: 'must be text in double quotes' };

export function wholeNumber(min: number, max: number) {
  const error = `must be a whole number from ${min} to ${max}`;
  return z.int({ error }).min(min, { error }).max(max, { error });
}

export const HOUR_MS = 3_600_000;

export const trueOrFalse = z.boolean({ error: 'must be true or false' });

export const days = wholeNumber(0, 36_500);

/** One line of text, possibly empty. */
/** Windows drives and their folders: `C:=/mnt/c,D:=/data`, or `C:/app`. */
export const driveMappings = text(
  'must be drives with folders, such as C:=/mnt/c,D:=/data',
  /^(?:\s*[A-Za-z]:\s*=?\s*\/[^,\p{Cc}]{0,1000}(?:,|$)){0,26}$/u,
);

export const line = text('must be a text without line breaks', /^\P{Cc}{0,4096}$/u);

export const MAX_SECRET_CHARS = 8192;

/** A key, token or header list: it travels in HTTP headers, which hold ASCII only. */
export const secretLine = text(
  `must be of plain ASCII characters, on one line, ${MAX_SECRET_CHARS} at most`,
  new RegExp(`^[ -~]{0,${MAX_SECRET_CHARS}}$`),
);

/** A private key in PEM. On one line, as in .env, its line breaks are written `\\n`. */
export const privateKey = z
  .string(A_TEXT)
  .trim()
  .max(16_384, { error: 'must be a private key in PEM' })
  .overwrite((value) => value.replaceAll(String.raw`\n`, '\n'))
  .regex(
    /^(?:-----BEGIN [A-Z ]*PRIVATE KEY-----[A-Za-z0-9+/=\s]+-----END [A-Z ]*PRIVATE KEY-----)?$/,
    {
      error: 'must be a private key in PEM',
    },
  );

/** A scope of OAuth. */
export const scope = text('must be a scope without spaces', /^[\x21\x23-\x5B\x5D-\x7E]{1,256}$/);

export const modelName = text('must be the name of a model', /^[^\s\p{Cc}]{1,256}$/u);

/** A model name in which `*` matches any characters. */
export const modelPattern = text(
  'must be the name of a model, or a pattern such as kimi-k2*',
  /^[^\s,\p{Cc}]{1,256}$/u,
);

/** A model alias: a name or pattern and the model it means. */
export const modelMapping = text(
  'must be a name or a pattern and what it means, such as claude-*=auto (several are separated by commas)',
  /^[^\s,;=\p{Cc}]{1,256}=[^\s,;=\p{Cc}]{1,256}$/u,
);

/**
 * A host name or address. An IPv6 address may have brackets, as in a URL, which listening does not
 * accept.
 */
export const hostName = text('must be a host name or an address', /^[\w.:%[\]-]{1,255}$/).overwrite(
  (value) => value.replace(/^\[(.*)\]$/, '$1'),
);

const ORIGIN = /^[a-z][a-z0-9+.-]{0,63}:\/\/[^\s/\\?#@,\p{Cc}]{1,255}(?=[/]|$)/iu;

/** An origin of pages, of any scheme: apps and browser extensions have their own. */
export const pageOrigin = text(
  'must be an origin, such as http://localhost:3000, app://obsidian.md or chrome-extension://<id>',
  ORIGIN,
).overwrite((value) => ORIGIN.exec(value)?.[0] ?? value);

const HTTP = ['http://', 'https://'];
/** An empty text means no URL. */
const NONE = '';

export const httpUrl = url('must be a URL that begins with http:// or https://', HTTP);

export const optionalHttpUrl = url('must be empty, or a URL that begins with http:// or https://', [
  NONE,
  ...HTTP,
]);

const POSTGRES = /^postgres(?:ql)?:\/\//i;
const SSL_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'];

export const databaseUrl = checked(
  'must be empty, or a URL that begins with postgres:// or postgresql://',
  (value) => value === NONE || (POSTGRES.test(value) && parseUrl(value) !== undefined),
).refine(hasKnownSslMode, { error: `must have one of ${SSL_MODES.join(', ')} as its sslmode` });

export const timeZone = checked('must be a time zone such as Australia/Melbourne', isTimeZone);

export const folder = checked('must be an absolute path, or one that begins with ~', isAbsolute);

export const optionalPath = line.refine((value) => value === NONE || isAbsolute(value), {
  error: 'must be empty, or an absolute path',
});

const PORT = { error: 'must be a whole number from 0 to 65535, or off' };

export const tcpPort = z.union(
  [z.int(PORT).min(0, PORT).max(65_535, PORT), z.literal('off')],
  PORT,
);

export function oneOf<const Name extends string>(names: readonly Name[]) {
  return z.enum(names, { error: `must be one of ${names.join(', ')}` });
}

/** A tool name in which `*` matches any characters. */
/** One tool of an MCP server, or none. */
export const toolName = text(
  'must be empty, or the name of a tool such as mcp__brave__brave_web_search',
  /^(?:mcp__[\w.-]{1,120})?$/,
);

export const toolPattern = text(
  'must be the name of a tool, or a pattern such as kimi_*',
  /^[\w.*-]{1,128}$/,
);

export const agentRow = checked(
  'must be a row of an agent, such as allow:github/get_*, read:memory/* or deny:*/* does=runs_code',
  (row) => parseAgentRow(row) !== undefined,
);

const DOLLARS = { error: 'must be an amount in dollars from 0 to 1000000, such as 2.50' };

export const dollars = z.number(DOLLARS).min(0, DOLLARS).max(1_000_000, DOLLARS);

/** A client and its daily budget: `ci=0.50`. */
export const clientBudget = text(
  'must be a client and an amount in dollars, such as ci=0.50',
  /^[^\s=\p{Cc}]{1,128}=\d{1,7}(?:\.\d{1,6})?$/u,
);

export function list<Item extends z.ZodType>(item: Item) {
  return z
    .array(item, { error: 'must be a list' })
    .max(256, { error: 'must have at most 256 entries' });
}

/** Texts by name: the variables of a program, the headers of a request. */
export function map<Name extends z.core.$ZodRecordKey>(name: Name) {
  return z
    .record(name, z.string(A_TEXT).max(MAX_MAP_CHARS, { error: 'has a value that is too long' }), {
      error: 'must be an object of texts, such as {"NAME": "value"}',
    })
    .refine((value) => Object.keys(value).length <= MAX_MAP_ENTRIES, {
      error: `must have at most ${MAX_MAP_ENTRIES} entries`,
    });
}

const MAX_MAP_CHARS = 32_768;
const MAX_MAP_ENTRIES = 256;

const VARIABLE = { error: 'has a name that is not a variable: letters, digits and _ only' };

export const variableNames = z.string(VARIABLE).regex(/^[A-Za-z_]\w{0,255}$/, VARIABLE);

const HEADER = { error: 'has a name that is not an HTTP header' };

export const headerNames = z.string(HEADER).regex(/^[!#$%&'*+.^_`|~\w-]{1,128}$/, HEADER);

export const optionalServerUrl = url(
  'must be empty, or a URL that begins with http://, https://, ws:// or wss://',
  [NONE, ...HTTP, 'ws://', 'wss://'],
);

function text(error: string, shape: RegExp) {
  return z.string(A_TEXT).trim().regex(shape, { error });
}

function checked(error: string, check: (value: string) => boolean) {
  return z.string(A_TEXT).trim().max(4096, { error }).refine(check, { error });
}

/** A URL without trailing slashes, so that a path can be appended. */
function url(error: string, starts: readonly string[]) {
  return checked(error, (value) => starts.some((start) => startsUrl(value, start))).overwrite(
    (value) => value.replace(/\/+$/, ''),
  );
}

function startsUrl(value: string, start: string): boolean {
  if (start === NONE) return value === NONE;
  return value.toLowerCase().startsWith(start) && isUrl(value);
}

/** Whether the sslmode is known. The driver would treat an unknown one by its own default. */
function hasKnownSslMode(value: string): boolean {
  const modes = parseUrl(value)?.searchParams.getAll('sslmode') ?? [];
  return modes.every((mode) => SSL_MODES.includes(mode));
}

const ENTRY_NAME = {
  error: 'must begin with a letter or a digit and have letters, digits, - and _ only, 64 at most',
};

/** The name of an entry that a user adds, such as an MCP server. */
export const FREE_NAME = z.string(ENTRY_NAME).regex(/^[A-Za-z\d][\w-]{0,63}$/, ENTRY_NAME);

/** A section whose entries have free names, each with the same settings. */
export function record<Shape extends z.core.$ZodLooseShape>(
  shape: Shape,
  name: z.ZodType<string, string> & z.core.$ZodRecordKey = FREE_NAME,
) {
  return z.record(name, z.strictObject(shape)).default({});
}

/** A group of settings. It may be left out; its settings then have their defaults. */
export function section<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  const group = z.strictObject(shape);
  // Every setting has a default, so an empty object is a valid input, which the generic type cannot
  // express.
  return group.prefault({} as z.input<typeof group>);
}
