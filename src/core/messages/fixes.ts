import type { FixTable } from './coded.ts';

type Value = string | number | boolean;
type None = Readonly<Record<never, never>>;

interface SettingName {
  readonly setting: string;
  /** The environment variable beside it, where that is how most people set it. */
  readonly variable?: string;
}

/** What a user, a model or a client can do about a problem. */
export interface FixParams {
  /** A whole sentence that is the same on every surface. */
  advice: { readonly text: string };
  /** A command of a shell; `purpose` says what it does: `list the models`. */
  run_command: { readonly command: string; readonly purpose?: string };

  set_argument: { readonly argument: string; readonly value?: Value };
  lower_argument: { readonly argument: string };
  raise_argument: { readonly argument: string };
  omit_argument: { readonly argument: string; readonly value?: Value };

  /** `value` may be a description: `a folder that you may write to`. */
  set_setting: SettingName & { readonly value?: Value };
  raise_setting: { readonly settings: readonly string[] };
  /** Of a setting that is a list; `condition`: `if you trust it`. */
  extend_setting: SettingName & { readonly entry: string; readonly condition?: string };
  unset_setting: SettingName;
  /** A setting, or the file that holds it. */
  correct_setting: SettingName;

  add_key: { readonly provider?: string };
  run_doctor: None;
  /** Why a client may or may not use a tool. */
  explain_access: { readonly tool: string; readonly client?: string };
  restore_backup: { readonly file?: string };
  check_network: None;
  /** The address of a provider or server: what the setting is, and what is asked without it. */
  check_address: { readonly setting: string; readonly address: string; readonly usual?: string };

  list_models: None;
  refresh_models: None;
  use_other_model: None;

  list_tools: { readonly kind?: 'tool' | 'prompt' | 'resource' };
  tool_help: { readonly tool: string };

  list_jobs: None;
  job_result: { readonly id: string };
  read_result: { readonly id: string; readonly offset?: number };

  new_conversation: None;
  list_conversations: None;
  fork_conversation: { readonly id: string; readonly turn: number };
  declare_root: None;

  send_less: None;
  wait: None;
  retry: { readonly afterMs?: number };
}

export type FixKind = keyof FixParams;

export type Fix = {
  readonly [Kind in FixKind]: { readonly kind: Kind; readonly params: FixParams[Kind] };
}[FixKind];

/** One fix, with the parameters of its kind; they may be left out where none is required. */
export function fix<Kind extends FixKind>(
  kind: Kind,
  ...[params]: None extends FixParams[Kind] ? [FixParams[Kind]?] : [FixParams[Kind]]
): Fix {
  return { kind, params: params ?? {} } as Fix;
}

/** A fix that is a plain sentence. */
export function advice(text: string): Fix {
  return { kind: 'advice', params: { text } };
}

/** A fix that is a command of a shell. */
export function command(line: string, purpose?: string): Fix {
  return { kind: 'run_command', params: { command: line, ...(purpose && { purpose }) } };
}

/** Clauses that begin in lower case, but for `advice`, which is a sentence already. */
export const FIX_SENTENCES: FixTable = {
  advice: ({ text }) => text,
  run_command: ({ command: line, purpose }) =>
    purpose === undefined ? `run: ${line}` : `${purpose} with: ${line}`,

  set_argument: ({ argument, value }, { argument: name }) => `set ${name(argument, value)}`,
  lower_argument: ({ argument }, { argument: name }) => `lower ${name(argument)}`,
  raise_argument: ({ argument }, { argument: name }) => `raise ${name(argument)}`,
  omit_argument: ({ argument, value }, { argument: name }) => `leave out ${name(argument, value)}`,

  set_setting: ({ value, ...setting }) =>
    value === undefined ? `set ${settingName(setting)}` : `set ${settingName(setting)} to ${value}`,
  raise_setting: ({ settings }) => `raise ${settings.join(', ')}`,
  extend_setting: ({ entry, condition, ...setting }) =>
    `add ${entry} to ${settingName(setting)}${condition === undefined ? '' : ` ${condition}`}`,
  unset_setting: (setting) => `unset ${settingName(setting)}`,
  correct_setting: (setting) => `correct ${settingName(setting)}`,

  add_key: ({ provider }) => `add a key with: exai keys add ${provider ?? '<provider>'}`,
  run_doctor: () => 'see what is missing with: exai doctor',
  explain_access: ({ tool, client }) =>
    `see why with: exai access explain ${tool}${client === undefined ? '' : ` --client ${client}`}`,
  restore_backup: ({ file }) =>
    file === undefined
      ? 'restore a backup with: exai restore <backup file>'
      : `restore the newest backup with: exai restore ${file}`,
  check_network: () => 'check the network and its proxies with: exai doctor',
  check_address: ({ setting, address, usual }) =>
    usual === undefined
      ? `check that a server runs at ${address} (${setting})`
      : `check ${setting}, which is ${address}, or unset it for ${usual}`,

  list_models: () => 'list the models with: exai models',
  refresh_models: () => 'ask the providers for new models with: exai models refresh',
  use_other_model: () => 'choose another model',

  list_tools: ({ kind = 'tool' }) => `list the ${kind}s with ${kind}s/list`,
  tool_help: ({ tool }) => `see what they must be with tool_help {"tool": "${tool}"}`,

  list_jobs: () => 'list your jobs with job_result without job_id',
  job_result: ({ id }) => `get the answer of the job with job_result {"job_id": "${id}"}`,
  read_result: ({ id, offset }) =>
    `read the result with read_result {"id": "${id}"${offset === undefined ? '' : `, "offset": ${offset}`}}`,

  new_conversation: (_, { argument: name }) =>
    `leave out ${name('continuation_id')} to begin a new conversation`,
  list_conversations: () => 'list your conversations with: exai threads list',
  fork_conversation: ({ id, turn }) =>
    `continue from an earlier turn with: exai threads fork ${id} --turn ${turn}`,
  declare_root: () =>
    'have the client declare the project as a root (the home folder itself is none)',

  send_less: () => 'send less',
  wait: () => 'wait',
  retry: ({ afterMs = 0 }) =>
    afterMs > 0 ? `try again in ${Math.ceil(afterMs / 1000)} s` : 'try again',
};

function settingName({ setting, variable }: SettingName): string {
  return variable === undefined ? setting : `${setting} (${variable})`;
}

/** Whose base texts end with a command, which is shown as it is typed: without a full stop. */
export const COMMAND_FIXES: readonly FixKind[] = [
  'run_command',
  'add_key',
  'run_doctor',
  'explain_access',
  'restore_backup',
  'check_network',
  'list_models',
  'refresh_models',
  'list_conversations',
  'fork_conversation',
];

/** Whether it came with a kind that this version knows. */
export function isFix(value: unknown): value is Fix {
  const { kind, params } = (value ?? {}) as { readonly kind?: unknown; readonly params?: unknown };
  const isKnown = typeof kind === 'string' && Object.hasOwn(FIX_SENTENCES, kind);
  return isKnown && typeof params === 'object' && params !== null;
}
