import type { SentenceOverrides } from '#core/messages/coded.ts';
import { invalidIdClause } from '#core/messages/error-reasons.ts';
import { createRenderer } from '#core/messages/render.ts';
import { shellQuote } from '#core/shell-quote.ts';

/** Commands in the place of the tools that MCP clients call. */
const COMMANDS = {
  fixes: {
    list_tools: ({ kind = 'tool' }) =>
      kind === 'tool'
        ? 'list the tools with: exai tools --all'
        : `list the ${kind}s with ${kind}s/list`,
    tool_help: ({ tool }) =>
      `see what they must be with: exai call tool_help --args ${shellQuote(JSON.stringify({ tool }))}`,
    list_jobs: () => 'list your jobs with: exai jobs',
    job_result: ({ id }) => `get the answer of the job with: exai jobs result ${id} --wait`,
    read_result: ({ id, offset }) =>
      `read the result with: exai results read ${id}${offset === undefined ? '' : ` --offset ${offset}`}`,
  },
  commandFixes: ['list_tools', 'tool_help', 'list_jobs', 'job_result', 'read_result'],
} satisfies SentenceOverrides;

/** `exai call` and every command without options for the arguments of a tool, which have their own names there. */
export const CLI_SENTENCES: SentenceOverrides = COMMANDS;

/** `exai jobs`, `exai results` and `exai threads`, where an id stands alone on the line. */
export const JOB_SENTENCES: SentenceOverrides = {
  ...COMMANDS,
  reasons: { invalid_id: ({ kind, given }) => `This ${invalidIdClause(kind, given)}` },
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

/** There is no option for the length of an answer, so nothing can be done about it. */
const WITHOUT_OPTION: ReadonlySet<string> = new Set(['max_output_tokens']);

/** What is said of an answer that was cut, where its limit cannot be raised. */
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
    use_other_model: () => 'choose another model with --model',
  },
  reasons: {
    invalid_argument: ({ argument, problem }) => `${label(argument)} ${problem}`,
    missing_arguments: ({ arguments: names }) =>
      `${names.map(label).join(', ')} ${names.length === 1 ? 'is' : 'are'} missing`,
  },
};

/** `--web`, `--think high`; the name of the argument where there is no option. */
function flagName(name: string, value?: Value): string {
  const flag = Object.hasOwn(FLAGS, name) ? FLAGS[name] : undefined;
  if (flag) return flag(value);
  return value === undefined ? name : `${name}: ${value}`;
}

function isFlag(name: string): boolean {
  return Object.hasOwn(FLAGS, name);
}

/** Options stand for themselves; names of arguments are quoted, as elsewhere. */
function label(name: string): string {
  return isFlag(name) ? flagName(name) : `"${name}"`;
}

function withValue(flag: string, value: Value | undefined): string {
  return value === undefined ? flag : `${flag} ${value}`;
}

export const cliRenderer = createRenderer(CLI_SENTENCES);
export const jobRenderer = createRenderer(JOB_SENTENCES);
export const askRenderer = createRenderer(ASK_SENTENCES);
