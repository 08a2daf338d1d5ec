import type { FixTable } from './coded-message.ts';

type Value = string | number | boolean;
type None = Readonly<Record<never, never>>;

interface SettingName {
  readonly setting: string;
  /** The environment variable, if most users set it that way. */
  readonly variable?: string;
}

/** What a user, a model or a client can do about a problem. */
export interface FixParams {
  /** A whole sentence that is the same on every surface. */
  advice: { readonly text: string };
  /** A shell command; `purpose` says what it does: `list the models`. */
  run_command: { readonly command: string; readonly purpose?: string };

  set_argument: { readonly argument: string; readonly value?: Value };
  lower_argument: { readonly argument: string };
  raise_argument: { readonly argument: string };
  omit_argument: { readonly argument: string; readonly value?: Value };

  /** `value` may be a description: `a folder that you may write to`. */
  set_setting: SettingName & { readonly value?: Value };
  raise_setting: { readonly settings: readonly string[] };
  /** For a setting that is a list; `condition`: `if you trust it`. */
  extend_setting: SettingName & { readonly entry: string; readonly condition?: string };
  unset_setting: SettingName;
  /** A setting, or the file that holds it. */
  correct_setting: SettingName;

  /** `others`: providers that would do as well. */
  add_key: { readonly provider?: string; readonly others?: readonly string[] };
  /** The key of one provider, or of all. */
  test_key: { readonly provider?: string };
  /** `provider` by its title: `Kimi`; `key` is its id, whose test ends the cool-down. */
  top_up: { readonly provider: string; readonly key?: string };
  run_doctor: None;
  /** Why a client may or may not use a tool. */
  explain_access: { readonly tool: string; readonly client?: string; readonly agent?: string };
  restore_backup: { readonly file?: string };
  check_network: None;
  /** The URL of a provider or server: the setting, and the default. */
  check_address: { readonly setting: string; readonly address: string; readonly usual?: string };

  list_models: None;
  refresh_models: None;
  use_other_model: None;

  list_tools: { readonly kind?: 'tool' | 'prompt' | 'resource' };
  tool_help: { readonly tool: string };
  /** Call a tool through a wrapper. */
  call_through: { readonly wrapper: string; readonly tool: string };
  /** What a model would be sent, without sending it. */
  preview_request: None;

  list_jobs: None;
  cancel_jobs: None;
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

/** Creates a fix with the parameters of its kind, which are optional if none is required. */
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

/** A fix that is a shell command. */
export function commandFix(line: string, purpose?: string): Fix {
  return { kind: 'run_command', params: { command: line, ...(purpose && { purpose }) } };
}

/** Clauses in lower case, except `advice`, which is a whole sentence. */
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

  add_key: ({ provider, others = [] }) =>
    `add a key with: exai keys add ${provider ?? '<provider>'}${others.length === 0 ? '' : ` (or ${others.join(', ')})`}`,
  test_key: ({ provider }) =>
    provider === undefined
      ? 'test every key with: exai keys test'
      : `test the key with: exai keys test ${provider}`,
  top_up: ({ provider, key }) =>
    `top up the account at ${provider}${key === undefined ? '' : `, then: exai keys test ${key}`}`,
  run_doctor: () => 'see what is missing with status {"doctor": true}',
  explain_access: ({ tool, client, agent }) =>
    `see why with: exai access explain ${tool}${client === undefined ? '' : ` --client ${client}`}${agent === undefined ? '' : ` --agent ${agent}`}`,
  restore_backup: ({ file }) =>
    file === undefined
      ? 'restore a backup with: exai restore <backup file>'
      : `restore the newest backup with: exai restore ${file}`,
  check_network: () => 'check the network and its proxies with: exai doctor',
  check_address: ({ setting, address, usual }) =>
    usual === undefined
      ? `check that a server runs at ${address} (${setting})`
      : `check ${setting}, which is ${address}, or unset it for ${usual}`,

  list_models: () => 'list the models with listmodels',
  refresh_models: () => 'ask the providers for new models with: exai models refresh',
  use_other_model: () => 'choose another model',

  list_tools: ({ kind = 'tool' }) =>
    kind === 'tool' ? 'find tools with search_tools' : `list the ${kind}s with ${kind}s/list`,
  tool_help: ({ tool }) => `see what they must be with search_tools {"query": "${tool}"}`,
  call_through: ({ wrapper, tool }) =>
    `call it with ${wrapper} {"name": "${tool}", "arguments": {…}}`,
  preview_request: () => 'see what any model would be sent with route {"payload": true}',

  list_jobs: () => 'list your jobs with job_result without job_id',
  cancel_jobs: () => 'cancel some with job_cancel, which takes the ids that job_list shows',
  job_result: ({ id }) => `get the answer of the job with job_result {"job_id": "${id}"}`,
  read_result: ({ id, offset }) =>
    `read the result with read_result {"id": "${id}"${offset === undefined ? '' : `, "offset": ${offset}`}}`,

  new_conversation: (_, { argument: name }) =>
    `leave out ${name('continuation_id')} to begin a new conversation`,
  list_conversations: () => 'list your conversations with threads {"action": "list"}',
  fork_conversation: ({ id, turn }) =>
    `continue from an earlier turn with threads {"action": "fork", "id": "${id}", "turn": ${turn}}`,
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

/** Kinds whose base text ends with a command, shown without a full stop. */
export const COMMAND_FIXES: readonly FixKind[] = [
  'run_command',
  'add_key',
  'test_key',
  'top_up',
  'explain_access',
  'restore_backup',
  'check_network',
  'refresh_models',
];

/** Whether it is a fix of a kind that this version knows. */
export function isFix(value: unknown): value is Fix {
  const { kind, params } = (value ?? {}) as { readonly kind?: unknown; readonly params?: unknown };
  const isKnown = typeof kind === 'string' && Object.hasOwn(FIX_SENTENCES, kind);
  return isKnown && typeof params === 'object' && params !== null;
}
