import type { SentenceOverrides } from '#core/messages/coded-message.ts';
import { invalidIdClause } from '#core/messages/error-reasons.ts';
import { createRenderer } from '#core/messages/render.ts';
import { shellQuote } from '#core/text/text.ts';

/** Commands instead of the tools that MCP clients call. */
const COMMANDS = {
  fixes: {
    list_tools: ({ kind = 'tool' }) =>
      kind === 'tool'
        ? 'list the tools with: exai tools --all'
        : `list the ${kind}s with ${kind}s/list`,
    tool_help: ({ tool }) =>
      `see what they must be with: exai call search_tools query=${shellQuote(tool)}`,
    run_doctor: () => 'see what is missing with: exai doctor',
    preview_request: () => 'see what any model would be sent with: exai explain --payload',
    list_models: () => 'list the models with: exai models',
    list_conversations: () => 'list your conversations with: exai threads list',
    fork_conversation: ({ id, turn }) =>
      `continue from an earlier turn with: exai threads fork ${id} --turn ${turn}`,
    list_jobs: () => 'list your jobs with: exai jobs',
    cancel_jobs: () => 'find jobs to cancel with: exai jobs --open',
    job_result: ({ id }) => `get the answer of the job with: exai jobs result ${id} --wait`,
    read_result: ({ id, offset }) =>
      `read the result with: exai results read ${id}${offset === undefined ? '' : ` --offset ${offset}`}`,
  },
  commandFixes: [
    'list_tools',
    'tool_help',
    'run_doctor',
    'preview_request',
    'list_models',
    'list_conversations',
    'fork_conversation',
    'list_jobs',
    'cancel_jobs',
    'job_result',
    'read_result',
  ],
} satisfies SentenceOverrides;

/** For `exai call` and every command whose arguments have the names of the tool. */
export const CLI_SENTENCES: SentenceOverrides = COMMANDS;

/** For `exai jobs`, `exai results` and `exai threads`, whose only argument is an id. */
export const JOB_SENTENCES: SentenceOverrides = {
  ...COMMANDS,
  reasons: { invalid_id: ({ kind, given }) => `This ${invalidIdClause(kind, given)}` },
};

/**
 * For `exai explain`: its tool is a positional argument, without which the word would be a
 * question.
 */
const EXPLAIN_SENTENCES: SentenceOverrides = {
  ...COMMANDS,
  fixes: {
    ...COMMANDS.fixes,
    omit_argument: ({ argument, value }, { argument: name }) =>
      argument === 'tool' ? '' : `leave out ${name(argument, value)}`,
  },
};

type Value = string | number | boolean;

/** The options of `exai ask` for the arguments of the tool `chat`. */
const FLAGS: Readonly<Record<string, (value?: Value) => string>> = {
  use_websearch: () => '--web',
  thinking_mode: (value) => withValue('--think', value),
  max_cost_usd: (value) => withValue('--max-cost', value),
  prefer: (value) => withValue('--prefer', value),
  model: (value) => withValue('--model', value),
  fallback: (value) =>
    value === undefined || value === 'none' ? '--no-fallback' : `fallback: ${value}`,
};

/** Arguments without an option; fixes for them are left out. */
const WITHOUT_OPTION: ReadonlySet<string> = new Set(['max_output_tokens']);

/** The notice for a truncated answer, where its limit cannot be raised. */
export const CUT_NOTICE = {
  answer_cut: () => 'The answer ends where its limit of tokens was reached: ask for the rest.',
} satisfies SentenceOverrides['notices'];

export const ASK_SENTENCES: SentenceOverrides = {
  ...COMMANDS,
  argument: flagName,
  notices: CUT_NOTICE,
  fixes: {
    ...COMMANDS.fixes,
    set_argument: ({ argument, value }) =>
      WITHOUT_OPTION.has(argument)
        ? ''
        : `${isFlag(argument) ? 'use' : 'set'} ${flagName(argument, value)}`,
    lower_argument: ({ argument }) =>
      WITHOUT_OPTION.has(argument) ? '' : `lower ${flagName(argument)}`,
    raise_argument: ({ argument }) => {
      if (WITHOUT_OPTION.has(argument)) return '';
      return argument === 'max_cost_usd'
        ? 'allow more with --max-cost'
        : `raise ${flagName(argument)}`;
    },
    omit_argument: ({ argument, value }) =>
      WITHOUT_OPTION.has(argument) ? '' : `leave out ${flagName(argument, value)}`,
    declare_root: () => 'run the command in the folder of the file (not in the home folder itself)',
    use_other_model: () => 'choose another model with --model',
  },
  reasons: {
    invalid_argument: ({ argument, problem }) => `${label(argument)} ${problem}`,
    missing_arguments: ({ arguments: names }) =>
      `${names.map(label).join(', ')} ${names.length === 1 ? 'is' : 'are'} missing`,
  },
};

/** `--web`, `--think high`; the name of the argument if it has no option. */
function flagName(name: string, value?: Value): string {
  const flag = Object.hasOwn(FLAGS, name) ? FLAGS[name] : undefined;
  if (flag) return flag(value);
  return value === undefined ? name : `${name}: ${value}`;
}

function isFlag(name: string): boolean {
  return Object.hasOwn(FLAGS, name);
}

/** Options are shown as they are; names of arguments are quoted. */
function label(name: string): string {
  return isFlag(name) ? flagName(name) : `"${name}"`;
}

function withValue(flag: string, value: Value | undefined): string {
  return value === undefined ? flag : `${flag} ${value}`;
}

export const cliRenderer = createRenderer(CLI_SENTENCES);
export const explainRenderer = createRenderer(EXPLAIN_SENTENCES);
export const jobRenderer = createRenderer(JOB_SENTENCES);
export const askRenderer = createRenderer(ASK_SENTENCES);
